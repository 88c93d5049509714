#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check --diff: only what a change brings.
. "$(dirname "$0")/../lib/tap.sh"
cd "$dir" || exit 1
diff_of() { "$AUDITOPT" check --machine x86_64 --no-host --brief "$@" >out 2>err; }

cat >old.rules <<'RULES'
-D
-b 8192
-f 1
-a always,exit -F arch=b32 -S 37 -k kill
-a always,exit -F arch=b32 -S 37 -F uid=0 -k root
-w /etc/passwd -p wa -k id
RULES
diff_of --diff old.rules old.rules
is 'nothing changed' "$?: $(cat out)" '0: 0 errors, 0 warnings, 0 notes that old.rules has not'

{ echo '# a comment moves every line'; cat old.rules; } >moved.rules
diff_of --diff old.rules moved.rules
is 'lines moved: nothing new' "$?: $(cat out)" '0: 0 errors, 0 warnings, 0 notes that old.rules has not'

{ cat old.rules; echo '-w /etc/passwd -p wa -k id'; } >twice.rules
diff_of --diff old.rules twice.rules
is 'a rule that is there already: status' $? 2
is 'one finding, with its place in the new file' "$(grep -c 'error:\|warning:\|note:' out) $(grep -c '^twice.rules:7:1: error: .*AR071' out)" '1 1'
tail -n 1 out | grep -qx '1 error, 0 warnings, 0 notes that old.rules has not'
ok $? 'the summary' out

{ cat old.rules; echo '-a always,exit -F arch=b32 -S 37 -F uid=0 -k root'; } >same.rules
diff_of --diff old.rules same.rules
is 'the same finding a second time is new' "$(grep -c '\[AR071\]' out)" 1
diff_of --diff same.rules old.rules
is 'what went away is not told' "$?: $(cat out)" '0: 0 errors, 0 warnings, 0 notes that same.rules has not'

{ cat old.rules; echo '-a always,exit -F arch=b32 -S 37 -F gid=0 -k wheel'; } >warned.rules
diff_of --diff old.rules warned.rules
is 'warnings: status' $? 1
diff_of --diff --format json old.rules warned.rules
holds 'JSON' out '$j->{compared_with} eq "old.rules" && @{$j->{sets}} == 1 && $j->{sets}[0]{errors} == 0 && @{$j->{sets}[0]{findings}} == 2'
diff_of --diff --format sarif old.rules warned.rules
holds 'SARIF' out '@{$j->{runs}[0]{results}} == 2'
diff_of --diff --only AR071 old.rules warned.rules
is 'with --only' $? 0

mkdir a.d b.d
cp old.rules a.d/10.rules
cp old.rules b.d/10.rules
echo '-w rel' >b.d/20.rules
diff_of --diff a.d b.d
is 'directories' "$? $(grep -c '^b.d/20.rules:1:4: error' out)" '2 1'
rm b.d/20.rules
printf '%s\n' '-a always,exit -F arch=b32 -S 37 -F gid=0 -k wheel' | tee a.d/20.rules >b.d/30.rules
sed -i '1i # moved' b.d/10.rules
diff_of --diff a.d b.d/
is 'directories: other names of files, other lines, nothing new' "$?: $(cat out)" '0: 0 errors, 0 warnings, 0 notes that a.d has not'
printf '%s\n' '-D' '-b 8192' '-f 1' '-a always,exit -F arch=b64 -S opne -k a' >stop1.rules
{ cat stop1.rules; echo '-a always,exit -F arch=b64 -S mount -F success=1 -k b'; } >stop2.rules
diff_of --only unknown-syscall --diff stop1.rules stop2.rules
is 'the same error is not new when it costs another rule' "$?: $(grep -c 'AR050' out)" '0: 0'
printf '%s\n' '-c' '-w /a -p wa' '-w /a -p wa' '-w rel' >goes-on.rules
sed 1d goes-on.rules >ends.rules
diff_of --quiet --diff goes-on.rules ends.rules
is 'what was passed over and ends the load now is new' "$? $(grep -c '^ends.rules:2:1: error: .*AR071' out)" '2 1'
diff_of --quiet --diff ends.rules goes-on.rules
is '... and not the other way round' "$?" 0
{ echo '-w rel'; sed 1d goes-on.rules; } >first.rules
diff_of --quiet --only rule-exists --diff ends.rules first.rules
is 'a refusal behind another end of the load is the same refusal' "$?" 0
diff_of --quiet --only rule-exists --diff first.rules ends.rules
is '... and the other way round' "$?" 0
diff_of --diff gone.rules old.rules
is 'the old one cannot be read' "$?: $(head -n 1 err)" '2: gone.rules: error: cannot read: No such file or directory [AR001]'
diff_of --diff old.rules gone.rules
is 'the new one cannot be read' "$? $(grep -c '^gone.rules: error' out)" '2 1'
diff_of --diff old.rules
is 'one file is no pair' $? 2
finish
