#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# auditopt check on what is large: the longest file there is in little memory, and a hundred thousand rules to their end.
. "$(dirname "$0")/../lib/tap.sh"

# check FILE KIB: in that much memory of its own; status in $status, output in $dir/out
check() {
	{ (ulimit -d "$2" && exec "$AUDITOPT" check "$1") >"$dir/out" 2>&1; } 2>/dev/null
	status=$?
}

largest=$(find "$root/rules" "$corpus" -name '*.rules' -type f -printf '%s %p\n' 2>/dev/null | sort -n | tail -n 1 | cut -d' ' -f2-)
check "$largest" $((32 * 1024))
[ "$status" -le 2 ] && grep -q '^1 file, ' "$dir/out"
ok $? "the largest file is checked within 32 MiB: $(basename "$largest")" "$dir/out"
check "$largest" 1024
[ "$status" -gt 2 ]
ok $? "and the limit is one: a single MiB does not do" "$dir/out"

# each rule differs, so that none is found by being the same as another
perl -e 'print "-D\n-b 8192\n-f 1\n";
	for my $i (1 .. 25000) {
		print "-w /data/f$i -p wa -k k\n";
		print "-a always,exit -F arch=b64 -S open,openat -F exit=-EACCES -F uid=$i -k u\n";
		print "-a always,exit -F arch=b64 -F path=/p/$i -F perm=x -F auid>=1000 -F auid!=unset -k x\n";
		print "-a always,exit -F arch=b32 -S chmod -F auid>=", 1000 + $i, " -F auid!=unset -k m\n";
	}' >"$dir/many.rules"
"$AUDITOPT" check "$dir/many.rules" >"$dir/out" 2>&1
[ $? -le 1 ] && tail -n 1 "$dir/out" | grep -q '^1 file, 100000 rules, 0 errors'
ok $? 'a hundred thousand rules' "$dir/out"
finish
