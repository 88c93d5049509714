#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check --fix: copies, in place with backups, directories, standard input; nothing lost, nothing half done.
. "$(dirname "$0")/../lib/tap.sh"
cd "$dir" || exit 1
fix() { "$AUDITOPT" check --machine x86_64 --no-host --fix "$@" >out 2>err; }

rule='-a always,exit -F arch=b32 -S 37 -F uid=0 -k a'
twin=${rule/uid=0/uid=0 -F uid>=0} # the same with a field that says nothing
printf '%s\n' '-D' '-b 8192' '-f 1' '# kept as it is:   ' "$rule" "$twin" '' "-a always,exit -F arch=b32 -S 238 -F gid=1 -F gid=1 -k c" >a.rules
printf '%s\n' '-D' '-b 8192' '-f 1' '# kept as it is:   ' "$rule" '' "-a always,exit -F arch=b32 -S 238 -F gid=1 -k c" >want
only='--only same-rule,redundant-field'
cp a.rules orig
# shellcheck disable=SC2086 # lists of words
{
fix $only a.rules
is 'a copy beside: status, what was done' "$?: $(cat out)" "0: a.rules:6: fixed: line 5 selects the same events and comes first [AR100]
a.rules:8: fixed: gid=1 adds nothing: the other fields of the rule imply it [AR127]
a.rules.fixed: the mended copy
2 fixed; left: 0 errors, 0 warnings, 0 notes"
cmp -s a.rules.fixed want && cmp -s a.rules orig
ok $? 'the copy is mended, the file is not touched' a.rules.fixed
fix $only a.rules
is 'a copy that is there already stays' "$?: $(cat err)" "2: auditopt: a.rules.fixed is there already: name another copy with -o"
cmp -s a.rules.fixed want
ok $? '... as it was' a.rules.fixed
fix $only a.rules -o named
is '-o' "$?: $(tail -n 2 out | head -n 1)" '0: named: the mended copy'
cmp -s named want
ok $? 'the copy of that name' named
"$AUDITOPT" check --no-host --fix $only -o - a.rules >out 2>err
cmp -s out want && grep -q '^2 fixed' err
ok $? '-o -: the text goes to standard output, what was done to standard error' out
"$AUDITOPT" check --no-host --fix $only - <a.rules >out 2>err
cmp -s out want
ok $? 'standard input' out
"$AUDITOPT" check --no-host --fix $only - <want >out 2>err
[ $? = 0 ] && cmp -s out want
ok $? '... comes out as it went in when there is nothing to mend' out
fix --in-place - <a.rules
is 'standard input has no place' $? 2

fix $only -o a.rules a.rules
is '-o of the file itself' "$?: $(cat err)" '2: auditopt: a.rules is the file itself: --in-place mends it and keeps a backup'
cmp -s a.rules orig
ok $? '... which is not touched'
for nr in $(seq 0 540); do echo "-a never,exit -F arch=b64 -S $nr"; done >many.rules
echo '-a always,exit -F arch=b64 -S 530 -k y' >>many.rules
fix --only shadowed -o many.fixed many.rules
[ ! -e many.fixed ] && grep -q '^nothing that could be fixed' out
ok $? 'a rule that some of many others decide first, with another action, stays' out

# ---- in place ----
chmod 604 a.rules
fix $only --in-place a.rules
is 'in place' "$?: $(grep bak out)" '0: a.rules: mended, as it was in a.rules.bak'
cmp -s a.rules want && cmp -s a.rules.bak orig
ok $? 'the file is mended, the backup is what it was' a.rules
is 'the mode stays' "$(stat -c %a a.rules) $(stat -c %a a.rules.bak)" '604 604'
cp orig a.rules
fix $only --in-place a.rules
is 'another backup gets another name' "$(grep bak out)" 'a.rules: mended, as it was in a.rules.bak.1'
fix $only --in-place a.rules
is 'nothing to mend: nothing written' "$?: $(cat out)" '0: nothing that could be fixed
0 fixed; left: 0 errors, 0 warnings, 0 notes'
[ ! -e a.rules.bak.2 ] && cmp -s a.rules want
ok $? '... no backup, no change'
mkdir real
cp orig real/b.rules
ln -s real/b.rules link.rules
fix $only --in-place link.rules
[ -L link.rules ] && cmp -s real/b.rules want && cmp -s link.rules.bak orig
ok $? 'behind a link the file is mended, the link stays' out
cp orig ro.rules
mkdir locked
fix $only -o locked ro.rules
[ $? = 2 ] && [ -d locked ]
ok $? 'a directory is never replaced' err
(ulimit -f 0; trap '' XFSZ; "$AUDITOPT" check --no-host --fix $only --in-place ro.rules >out 2>err)
is 'a disk that takes nothing: status' $? 2
cmp -s ro.rules orig
ok $? '... the file is what it was' err

# ---- directories ----
mkdir rules.d
printf '%s\n' '-D' '-e 2' "$rule" >rules.d/10.rules
printf '%s' "$twin" >rules.d/20.rules
printf '%s\n' '-w /c -p wa -k c # why' >rules.d/30.rules
printf 'not read\n' >rules.d/notes.txt
fix --only joined-lines,same-rule,trailing-comment rules.d/
is 'a directory: status' "$?" 0
is 'the copy has all its rules files, and those alone' "$(cd rules.d.fixed && ls)" '10.rules
20.rules
30.rules'
is 'each mended' "$(cat rules.d.fixed/20.rules rules.d.fixed/30.rules)" '# why
-w /c -p wa -k c'
cmp -s rules.d/10.rules rules.d.fixed/10.rules
ok $? 'and what has nothing is copied as it is'
fix --only joined-lines,same-rule,trailing-comment --in-place rules.d
is 'in place: only what changed has a backup' "$(ls rules.d)" '10.rules
20.rules
20.rules.bak
30.rules
30.rules.bak
notes.txt'
fix -o - rules.d
is 'a directory is no stream' "$? $(cat out)" '2 '
long=$(printf '20%0240d.rules' 0) # it has room for a copy's name beside it, and for no backup's
mkdir part.d
printf '%s\n' "$rule" "$twin" >part.d/10.rules
printf '%s\n' "${rule/37/38}" "${twin/37/38}" >"part.d/$long"
cp part.d/10.rules part.orig
fix --only same-rule --in-place part.d
is 'a directory is mended as a whole or not at all: status' $? 2
cmp -s part.d/10.rules part.orig
ok $? '... the file that could be written is what it was' err
printf '%s\n' "$rule" "${rule/-k a/-F gid=1 -k b}" >key.rules
fix --only shadowed key.rules
is 'a rule that is dead behind another key is left to its author' "$?: $(head -n 1 out)" '1: nothing that could be fixed'
mkdir none.d
fix none.d
is 'a directory without rules' "$?: $(cat err)" '2: auditopt: none.d: no rules files'
fix gone.rules
is 'no such file' "$?: $(cat err)" '2: auditopt: gone.rules: No such file or directory'

# ---- what is mended ----
printf '%s\n' '-a always,exit -F arch=b32 -S 37 -F auid>=1000 -k a' >less.rules
fix --only unset-auid less.rules
is 'what would record less is left' "$?: $(head -n 1 out)" '1: nothing that could be fixed'
fix --only unset-auid --record-less less.rules
is '... unless it is asked for' "$?: $(cat less.rules.fixed)" '0: -a always,exit -F arch=b32 -S 37 -F auid>=1000 -F auid!=unset -k a'
printf '%s\n' "$rule" "${rule/uid=0/uid=0 -F uid=0}" >worse.rules # without the second uid=0 they are one
fix --only redundant-field worse.rules
is 'a mend that makes errors is not written' "$? $(ls worse.rules.fixed 2>&1 | grep -c 'No such')" '2 1'
echo '-w /etc/group -p wa -k accounts # and groups' >>worse.rules
fix --only redundant-field,trailing-comment worse.rules
is '... nor when it takes as many away' "$? $(ls worse.rules.fixed 2>&1 | grep -c 'No such')" '2 1'
grep -q '^auditopt: the mended text would have a new error, nothing is written: worse.rules:2: .*AR071' err
ok $? '... and says which' err
printf '%s\n' '-w etc/group -p wa -k accounts # and groups' >second.rules
fix --only trailing-comment second.rules
is 'a failing line that is mended may fail at something else' "$?: $(cat second.rules.fixed)" '0: # and groups
-w etc/group -p wa -k accounts'
printf -- '-w /a -p wa\r\n-w /b -p wa -w /c\r\n' >returns.rules
fix --only carriage-return returns.rules
is '... and so may a line that a finding of another line mends' "$?: $(tail -n 1 returns.rules.fixed)" '0: -w /b -p wa -w /c'
printf -- '\xef\xbb\xbf# rules\n-w /a -p wa -k a\n' >mark.rules
fix mark.rules
is 'nothing comes before a byte order mark' "$?: $(head -n 1 mark.rules.fixed) $(sed 1d mark.rules.fixed | sort | tr '\n' ' ')" \
	'0: # rules -b 8192 -f 1 -w /a -p wa -k a '
mkdir quoted.d
printf '%s' '"-a always,exit -F path=/a -F perm=wa -k a"' >quoted.d/1.rules
echo '# comment' >quoted.d/2.rules
fix --only joined-lines quoted.d
is 'a line that fails is parted, though each half may fail' "$? $(cat quoted.d.fixed/1.rules)" '0 "-a always,exit -F path=/a -F perm=wa -k a"'
mkdir halves.d
printf -- '-w /a -p wa -k a\r\n-a always,exit ' >halves.d/1.rules
printf -- '-F path=/b -F perm=wa -k b\r\n' >halves.d/2.rules
fix halves.d
is 'a rule in two files, which loads, is not parted into halves that do not' "$? $(ls halves.d.fixed 2>&1 | grep -c 'No such')" '2 1'
echo '-w /a -p wa -k a' >top.rules
fix --only no-backlog top.rules
is 'a finding of the whole set has no line' "$(grep -c '^top.rules: fixed: ' out)" 1
}
# Every mend of an example in the table of codes takes that finding away, and a second run finds nothing to do.
bad=
"$AUDITOPT" check --list-codes | sed -n 's/^| \(AR[0-9]*\) .*/\1/p' >codes
n_mended=0
while read -r code; do
	"$AUDITOPT" check --explain "$code" | sed -n '/^Has it:$/,/^$/p' | sed -n 's/^  //p' | perl -pe 's/\\x([0-9a-f]{2})/chr hex $1/ge' >e.rules
	[ -s e.rules ] || continue
	rm -f e.rules.fixed
	"$AUDITOPT" check --machine x86_64 --no-host --fix --record-less --only "$code" e.rules >out 2>err
	[ -e e.rules.fixed ] || continue
	n_mended=$((n_mended + 1))
	"$AUDITOPT" check --machine x86_64 --no-host --only "$code" e.rules.fixed | tail -n 1 | grep -q ' 0 errors, 0 warnings, 0 notes' ||
		bad="$bad $code"
	"$AUDITOPT" check --machine x86_64 --no-host --fix --record-less --only "$code" -o again e.rules.fixed | grep -q '^0 fixed' || bad="$bad $code(again)"
done <codes
is "examples that are mended: $n_mended" "$bad" ''
[ "$n_mended" -ge 15 ]
ok $? 'which are many'

# What is mended is as loadable as before, on real files.
bad=
for file in "$corpus"/rules/*.rules "$root"/rules/*.rules; do
	[ -e "$file" ] || continue
	"$AUDITOPT" check --machine x86_64 --no-host --fix -o fixed "$file" >out 2>err
	[ $? -le 2 ] && ! grep -q 'more errors' err || bad="$bad $file"
	before=$("$AUDITOPT" check --machine x86_64 --no-host "$file" | tail -n 1 | sed 's/.* \([0-9]*\) errors\{0,1\},.*/\1/')
	after=$(tail -n 1 out | sed 's/.* \([0-9]*\) errors\{0,1\},.*/\1/')
	[ "$after" -le "$before" ] || bad="$bad $file:$before->$after"
done
is 'real files: no more errors than before' "$bad" ''
finish
