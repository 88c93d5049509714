#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two sets made to be awkward: rules that overlap, never among always, prepended ones, nested directories, every kind of
# field, arguments that hold process numbers. Reduced, and seen recording the same.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
# shellcheck source=tests/lib/lab.sh
. "$(dirname "$0")/../lib/lab.sh"

verified() { # NAME
	"$AUDITOPT" optimize "$root/tests/kernel/$1.rules" --verify --workload sys-null -o "$dir/$1.out" --json "$dir/$1.json" \
		>"$dir/$1.text" 2>"$dir/$1.err"
	echo $? >"$dir/$1.status"
}

for name in order fields; do
	verified $name &
done
wait

for name in order fields; do
	j=$dir/$name.json
	was_verified $name 100 500 || continue
	is "$name: every rule was seen recording" "$(rules_unseen "$j")" 0
	holds "$name: fewer rules, and a call that none of them names is cheaper" "$j" \
		'$j->{rules_out} < $j->{rules_in} && figure("new", "sys-null", "1000") < figure("old", "sys-null", "1000")'
done

# Another host's accounts and directories go into the guest too.
printf 'root:x:0:0::/:/bin/sh\njoe:x:1234:1234::/:/bin/sh\n' >"$dir/passwd"
printf 'root:x:0:\nstaff-of-app:x:4321:\n' >"$dir/group"
echo /opt/app/conf >"$dir/dirs"
mkdir "$dir/rules.d"
printf -- '-w /opt/app/conf -p wa -k app\n-w /etc/passwd -p wa -k id\n-w /etc/group -p wa -k id\n' >"$dir/rules.d/10-app.rules"
printf -- '-a always,exit -F arch=b64 -S kill -F auid=joe -F gid=staff-of-app -k joe\n-a always,exit -F arch=b32 -S kill -F auid=joe -F gid=staff-of-app -k joe\n' \
	>"$dir/rules.d/20-joe.rules"
"$AUDITOPT" optimize "$dir/rules.d" --verify --no-bench --passwd "$dir/passwd" --group "$dir/group" --dirs "$dir/dirs" \
	-o "$dir/host.out" --json "$dir/host.json" >"$dir/host.text" 2>"$dir/host.err"
ok $? "another host's rules: verified" "$dir/host.err"
is "another host's rules: auditctl finds the accounts and directories in the guest" \
	"$(sets_held "$dir/host.json")" "old:1 new:1"
finish
