#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# auditopt check: places, exit status, usage.
. "$(dirname "$0")/../lib/tap.sh"
cd "$dir" || exit 1

# t TITLE STATUS STDOUT STDERR ARGUMENT...: status and both outputs must be exactly these.
t() {
	local title=$1 status=$2 out=$3 err=$4
	shift 4
	"$AUDITOPT" check "$@" >out 2>err </dev/null
	is "$title" "$?: $(cat out) | $(cat err)" "$status: $out | $err"
}

plain="--machine x86_64 --no-host --brief --quiet"
printf '%s\n' '# fine' '-b 8192' '-w /nosuch/file -p wa -k x' >clean.rules
# shellcheck disable=SC2086 # a list of words
{
t 'clean file' 0 '1 file, 1 rule, 0 errors, 0 warnings, 0 notes' '' $plain clean.rules

printf '%s\n' '-a always,exit -F arch=b64 -S opne -k x' '-w /ok' '-w rel' >bad.rules
t 'all errors of a file with their places' 2 \
"bad.rules:1:31: error: unknown system call \`opne': expected a name of x86_64 or a number below 2048 [AR050]
  -a always,exit -F arch=b64 -S opne -k x
                                ^~~~
    bad.rules:2: 1 later rule would never be loaded
bad.rules:3:4: error: the path of a watch is relative: expected it to begin with / [AR063]
  -w rel
     ^~~
1 file, 1 rule, 2 errors, 0 warnings, 0 notes" '' $plain bad.rules

printf '%s\n' '-a always,exit -F arch=b32 -S 20 -F auid=10x' >warn.rules
t 'only warnings' 1 \
"warn.rules:1:44: warning: auditctl ignores \`x' after the number and takes 10 [AR045]
  -a always,exit -F arch=b32 -S 20 -F auid=10x
                                             ^
1 file, 1 rule, 0 errors, 1 warning, 0 notes" '' $plain --ignore one-abi warn.rules
t 'several files' 2 "$("$AUDITOPT" check $plain warn.rules | head -n -1)
$("$AUDITOPT" check $plain bad.rules | head -n -1)
3 files, 3 rules, 2 errors, 2 warnings, 0 notes" '' $plain clean.rules warn.rules bad.rules

printf '%s\n' '-w /ok -p w' '-w /ok -p w' '-w /ok -p r' >twin.rules
t 'a rule that the kernel holds already' 2 \
"twin.rules:2:1: error: the kernel refuses to add this rule: Rule exists: it holds the same one already; auditctl loads nothing of what follows (with -i or -c in the file it goes on) [AR071]
  -w /ok -p w
  ^~~~~~~~~~~
    twin.rules:1: the same rule, loaded first
    twin.rules:3: 1 later rule would never be loaded
1 file, 3 rules, 1 error, 0 warnings, 0 notes" '' $plain twin.rules
t 'no such file' 2 'gone.rules: error: cannot read: No such file or directory [AR001]
1 file, 0 rules, 1 error, 0 warnings, 0 notes' '' $plain gone.rules
}
printf '%s\n' '-w /a -p wa' >notes.rules
"$AUDITOPT" check --no-host notes.rules >out
is 'notes alone are clean' "$?, $(tail -n 1 out)" '0, 1 file, 1 rule, 0 errors, 0 warnings, 3 notes'
: >empty.rules
"$AUDITOPT" check empty.rules >out
is 'an empty file is clean, whatever the host' "$?, $(cat out)" '0, 1 file, 0 rules, 0 errors, 0 warnings, 0 notes'

usage='usage: auditopt check [OPTION...] FILE|DIR...'
t 'no argument' 2 '' "auditopt: expected at least one file or directory
$usage"
t 'unknown option' 2 '' "auditopt: unknown option or missing value: \`--nope'
$usage" --nope clean.rules
t 'option without its value' 2 '' "auditopt: unknown option or missing value: \`--dirs'
$usage" --dirs
t 'unknown machine' 2 '' "auditopt: unknown machine \`vax': expected a name such as x86_64" --machine vax clean.rules
t 'unknown release' 2 '' "auditopt: unknown release \`5.0' of auditctl: expected 3.0, 3.1, 4.0, 4.1, 4.2 or one of their releases" \
	--auditctl 5.0 clean.rules
t 'unknown kernel' 2 '' "auditopt: unknown kernel \`new': expected a version from 2.6.32 to 7.x, such as 5.15" --kernel new clean.rules
t 'unknown format' 2 '' "auditopt: unknown format \`xml': expected text, json or sarif
$usage" --format xml clean.rules
t 'unknown code' 2 '' "auditopt: there is no code \`AR999': expected some of check --list-codes
$usage" --only AR101,AR999 clean.rules
t 'unknown code to explain' 2 '' "auditopt: there is no code \`AR999': expected one of check --list-codes" --explain AR101,AR999
t 'no such root' 2 '' "auditopt: $dir/none: no directory that can be read" --root "$dir/none" clean.rules
for pair in '--fix --diff' '--in-place' '-o out' '--fix --in-place -o out' '--fix --format json' '--root . --no-host'; do
	# shellcheck disable=SC2086
	"$AUDITOPT" check $pair clean.rules warn.rules >out 2>err
	[ $? = 2 ] && [ ! -s out ] && grep -q "^usage: " err
	ok $? "options that do not go together: $pair" err
done

"$AUDITOPT" check --help >out 2>err && grep -q '^usage: auditopt check' out && [ ! -s err ]
ok $? 'help'
printf -- '-w rel\n' | "$AUDITOPT" check - 2>&1 | grep -q '^<stdin>:1:4: error:'
ok $? 'standard input'
truncate -s 65M huge.rules
"$AUDITOPT" check huge.rules 2>&1 | grep -q '^huge.rules: error: the file has more than 64 MiB'
ok $? 'a file that is too big'
finish
