#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What check prints: text and colour, filters, explanations, what a failing line costs, JSON and SARIF.
. "$(dirname "$0")/../lib/tap.sh"
cd "$dir" || exit 1
schema=${AUDITOPT_SARIF_SCHEMA:-$root/build/lab/sarif-2.1.0.json}
check() { "$AUDITOPT" check --machine x86_64 --no-host "$@"; }
has() { # NAME FILE TEXT...: each a part of a line
	local name=$1 file=$2 missing=
	shift 2
	for text; do
		grep -qF -- "$text" "$file" || missing="$missing $text"
	done
	[ -z "$missing" ]
	ok $? "$name" "$file"
	[ -z "$missing" ] || echo "# missing:$missing"
}

cat >set.rules <<'RULES'
-D
-b 8192
-f 1
-a always,exit -F arch=b64 -S kill -k all
-a always,exit -F arch=b64 -S kill -F uid=0 -k all
-a always,exit -F arch=b64 -S kill -F gid=0 -k wheel
-a always,exit -F arch=b64 -S kill -F uid=0 -F uid=0 -F gid=5 -k five
RULES
check --only shadowed,redundant-field set.rules >out
is 'exit status of warnings' $? 1
is 'each finding with its line, caret, places, fix; explained once' "$(cat out)" \
"set.rules:5:4: warning: line 4 decides every event of this rule first [AR101]
  -a always,exit -F arch=b64 -S kill -F uid=0 -k all
     ^~~~~~~~~~~
    set.rules:4: this rule decides first
    fix: leave the line out
    what happens: An earlier rule matches whatever this one matches, and the first match decides.
    instead: Put the narrower rule first, or leave it out.
set.rules:6:4: warning: line 4 decides every event of this rule first [AR101]
  -a always,exit -F arch=b64 -S kill -F gid=0 -k wheel
     ^~~~~~~~~~~
    set.rules:4: this rule decides first
set.rules:7:4: warning: line 4 decides every event of this rule first [AR101]
  -a always,exit -F arch=b64 -S kill -F uid=0 -F uid=0 -F gid=5 -k five
     ^~~~~~~~~~~
    set.rules:4: this rule decides first
set.rules:7:48: note: uid=0 adds nothing: the other fields of the rule imply it [AR127]
  -a always,exit -F arch=b64 -S kill -F uid=0 -F uid=0 -F gid=5 -k five
                                                 ^~~~~
    fix: -a always,exit -F arch=b64 -S kill -F uid=0 -F gid=5 -k five
    what happens: The field is tested and never false where it is reached.
    instead: Leave it out.
1 file, 4 rules, 0 errors, 3 warnings, 1 note"

# ---- what is wanted ----
check --only AR101 --brief set.rules | grep -q 'what happens\|fix:'
is '--brief: no explanations' $? 1
check --quiet --only redundant-field set.rules >out
is '--quiet: no notes' "$?: $(cat out)" '0: 1 file, 4 rules, 0 errors, 0 warnings, 0 notes'
check --only ar101,AR127 --ignore AR127 --brief set.rules >out
is '--only and --ignore together' "$(grep -c '\[AR101\]' out) $(grep -c '\[AR127\]' out)" '3 0'
check --ignore shadowed set.rules | grep -q '\[AR101\]'
is '--ignore' $? 1
check --only AR101 --only 'AR127, AR119' --brief set.rules >out
is 'several --only add up, with spaces' "$(grep -c '\[AR101\]' out) $(grep -c '\[AR127\]' out)" '3 1'
for list in '' , ' '; do
	check --only "$list" set.rules >out 2>err
	[ $? = 2 ] && [ ! -s out ] && grep -qF "there is no code \`$list'" err
	ok $? "a list that names nothing: '$list'" err
	check --explain "$list" >out 2>err
	is "... to explain" "$? $(cat out)" '2 '
done
check --brief --only AR101 gone.rules >only
status=$?
check --brief --ignore AR001 gone.rules >ignored
is 'a file that cannot be read is told of whatever is wanted' "$status $? $(cat only ignored | grep -c '^gone.rules: error: ')" '2 2 2'
check - - </dev/null >out 2>err
is 'standard input is read once' "$? $(head -n 1 err)" "2 auditopt: standard input can be read once: expected one \`-'"

# ---- colour ----
check --only AR101 --color always set.rules >out
[ "$(grep -c $'\033\\[1;35mwarning:\033\\[0m' out)" = 3 ] && [ "$(grep -c $'\033\\[1;35m^~' out)" = 3 ]
ok $? '--color always: severity and caret' out
check --only AR101 --color never set.rules | grep -q $'\033'
is '--color never' $? 1
check --only AR101 set.rules | grep -q $'\033'
is 'no colour into a pipe' $? 1
# script(1) runs it on a terminal of its own, where the system has any to give
on_terminal() { # NAME=VALUE...: of its environment
	env AUDITOPT="$AUDITOPT" TERM=xterm "$@" script -qec '"$AUDITOPT" check --no-host --only AR101 set.rules' log >/dev/null </dev/null
	grep -q $'\033\\[1;35m' log
}
if script -qec true log >/dev/null 2>&1 </dev/null; then
	on_terminal
	ok $? 'colour on a terminal' log
	on_terminal NO_COLOR=1
	is 'NO_COLOR' $? 1
	on_terminal TERM=dumb
	is 'a terminal that knows no colours' $? 1
else
	skip 'colour on a terminal' 'no terminal can be had here'
fi
printf -- '-w /caf\xc3\xa9 -p wa -k id # the menu of today\n' >utf8.rules
check --only AR023 utf8.rules >out
has 'a fix is shown as it would be written' out $'-w /caf\xc3\xa9 -p wa -k id'
for i in 1 2 3 4 5 6 7 8 9; do printf -- '-w /f%s -p wa -k id\r\n' "$i"; done >crlf.rules
check --only carriage-return crlf.rules >out
is 'a fix of many lines is cut short' "$(grep -c '    fix: ' out) $(grep '    fix: and' out)" '5     fix: and 5 lines more, see --fix'

# ---- what a failing line costs ----
cat >stop.rules <<'RULES'
-D
-b 8192
-w /a -p wa -k a
-w b -p wa -k b
-w /c -p wa -k c
-w /d -p wa -k d
-r 100
-f 1
-e 2
RULES
check --brief --quiet stop.rules >out
is 'a failing line ends the load: status' $? 2
has 'and says how much is lost' out "stop.rules:5: 2 later rules and 3 settings, among them \`-e 2', would never be loaded"
sed -i '1i -c' stop.rules
check --brief --quiet stop.rules | grep -q 'would never be loaded'
is 'with -c nothing is lost' $? 1
printf '%s\n' '-w b' >last.rules
check --brief --quiet last.rules | grep -q 'would never be loaded'
is 'nothing is lost behind the last line' $? 1
printf '%s\n' '-w /a' '-w /a' '-e 2' >twin.rules
check --brief --quiet twin.rules >out
has 'a rule that the kernel refuses ends the load as well' out "twin.rules:3: 1 later setting, among them \`-e 2', would never be loaded"
mkdir rules.d
printf '%s\n' '-w /a -k a' '-w b' >rules.d/10.rules
printf '%s\n' '-e 2' '-b 10' '-w /c' >rules.d/20.rules
check --brief --quiet rules.d >out
has 'in a directory: what comes later in its order' out 'rules.d/10.rules:2:4: error' \
	"rules.d/20.rules:3: 1 later rule and 1 setting, among them \`-e 2', would never be loaded"

# ---- directories and kernels ----
mkdir empty.d
check --brief empty.d >out
is 'a directory without rules files is told' "$?: $(head -n 1 out)" \
	'1: empty.d: warning: the directory has no file whose name ends in .rules [AR013]'
# root: a tree whose kernel was built without 32 bit calls, so that this host does not matter
mkdir -p root/boot
printf '%s\n' 'CONFIG_X86_64=y' '# CONFIG_IA32_EMULATION is not set' >root/boot/config-6.1.0
printf '%s\n' '-a always,exit -F arch=b32 -S 37 -F uid=0' >b32.rules
"$AUDITOPT" check --machine x86_64 --root root --only no-32bit --brief b32.rules >out
is 'what the kernel below the root takes' "$? $(grep -c AR207 out)" '1 1'
"$AUDITOPT" check --machine x86_64 --root root --kernel 6.12 --only no-32bit --brief b32.rules >out
is 'a kernel that was named is another one' "$? $(grep -c AR207 out)" '0 0'

# ---- labels ----
printf '%s\n' '-a always,exit -F arch=b32 -S 37 -F subj_type=init_t' '-a always,exit -F arch=b32 -S 37 -F subj_type=inet_t' >label.rules
printf '%s\n' 'Types: 2' '   init_t' '   passwd_t' >labels
check --only label --brief --labels labels label.rules >out
is 'a type that the policy does not have' "$?: $(grep -o '^label.*' out)" \
	'1: label.rules:2:37: warning: the policy has no inet_t: the field is never true [AR206]'
check --labels gone label.rules >out 2>err
is 'no such file of labels' "$?: $(cat err)" '2: auditopt: gone: No such file or directory'

# ---- codes ----
check --explain AR101,unset-auid >out
has '--explain' out 'AR101 shadowed (warning): a rule that never decides an event' 'What happens: ' 'Instead: ' 'Has it:' 'Has it not:' \
	'AR107 unset-auid (warning)'
check --explain all >all
check --list-codes >codes
is '--explain all and --list-codes tell of the same codes' "$(grep -o '^AR[0-9]* [a-z0-9-]*' all)" \
	"$(sed -n 's/^| \(AR[0-9]*\) | [a-z]* | \([a-z0-9-]*\) |.*/\1 \2/p' codes)"
sed -n '/<!-- codes -->/,/<!-- end of codes -->/p' "$root/README.md" | grep '^|' >readme
is 'the table of the README is that of the program' "$(cat readme)" "$(cat codes)"

# ---- JSON and SARIF ----
printf -- '-D\n-w /caf\xc3\xa9/b -p wa -k "a b"\n-w /\xff\xfe -p w\n-w rel\t\n-a always,exit -S open -F auid>=1000\n\x01\n' >odd.rules
mkdir 'a dir'
cp set.rules "a dir/r%20 é.rules"
: >empty.rules
n_files=0
for file in set.rules stop.rules twin.rules odd.rules empty.rules rules.d gone.rules "a dir/r%20 é.rules" "$dir/set.rules" crlf.rules; do
	n_files=$((n_files + 1))
	for format in json sarif; do
		check --format "$format" "$file" >"$n_files.$format"
		echo "$?" >>rc-$format
		check "$file" >/dev/null
		echo "$?" >>rc-text
	done
done
is 'the exit status is the same in every format' "$(cat rc-json rc-sarif | sort)" "$(sort rc-text)"
python3=/usr/bin/python3
"$python3" "$root/tests/lib/validate.py" "$root/tests/schema/check.json" ./*.json >out 2>&1
ok $? 'JSON is what its schema says' out
"$python3" "$root/tests/lib/validate.py" "$schema" ./*.sarif >out 2>&1
ok $? 'SARIF is what the schema of SARIF 2.1.0 says' out
echo '{"schema": "auditopt-check/1", "sets": []}' >no.json
"$python3" "$root/tests/lib/validate.py" "$root/tests/schema/check.json" no.json >/dev/null 2>&1
is 'and the schema is one' $? 1
check --format json set.rules >set.json
holds 'JSON: counts and findings agree' set.json \
	'my $s = $j->{sets}[0]; $s->{rules} == 4 && @{$s->{findings}} == $s->{errors} + $s->{warnings} + $s->{notes} && @{$s->{findings}} > 3'
holds 'JSON: a finding' set.json \
	'my ($f) = grep { $_->{code} eq "AR101" } @{$j->{sets}[0]{findings}}; $f->{line} == 5 && $f->{column} == 4 && $f->{related}[0]{line} == 4 && $f->{edits}[0]{kind} eq "delete"'
check --format sarif set.rules >set.sarif
holds 'SARIF: rules and results refer to each other' set.sarif \
	'my $run = $j->{runs}[0]; my $rules = $run->{tool}{driver}{rules}; my $bad = grep { $rules->[$_->{ruleIndex}]{id} ne $_->{ruleId} } @{$run->{results}}; !$bad && @{$run->{results}} > 3'
holds 'SARIF: names of files are references' "8.sarif" \
	'my ($x) = grep { $_->{locations}[0]{physicalLocation}{region} } @{$j->{runs}[0]{results}}; $x->{locations}[0]{physicalLocation}{artifactLocation}{uri} eq "a%20dir/r%2520%20%C3%A9.rules"'
check --format sarif crlf.rules >crlf.sarif
holds 'SARIF: a fix tells the changes of a file together' crlf.sarif \
	'my ($x) = grep { $_->{ruleId} eq "AR003" } @{$j->{runs}[0]{results}}; my $c = $x->{fixes}[0]{artifactChanges}; @$c == 1 && @{$c->[0]{replacements}} == 9'
holds 'SARIF: columns count characters' "4.sarif" \
	'my ($x) = grep { $_->{ruleId} eq "AR009" } @{$j->{runs}[0]{results}}; $x->{locations}[0]{physicalLocation}{region}{startColumn} == 21'
finish
