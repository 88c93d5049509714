#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every shipped set is read without an error, and each of its rule lines becomes exactly one request to add a rule.
set -u
: "${AUDITOPT:?path of the program}"
root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

# What a check of the shell's exit status is worth depends on the name in front of it: ok CONDITION-STATUS NAME
ok()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		[ -z "${3:-}" ] || sed 's/^/# /' "$3"
	fi
}

sets=("$root"/rules/*.rules "$root"/rules/examples/*.rules)
[ "${#sets[@]}" -ge 8 ] && [ -e "${sets[0]}" ]
ok $? "the shipped sets are there"

# The directories that -w lines name, so that the result does not depend on this host.
printf '/etc\n/etc/selinux\n' >"$tmp/dirs"

for set in "${sets[@]}"; do
	name=${set#"$root"/}
	"$AUDITOPT" check --dirs "$tmp/dirs" "$set" >"$tmp/out" 2>&1
	status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
	ok $? "$name: check finds no error (status $status)" "$tmp/out"

	"$AUDITOPT" dump --dirs "$tmp/dirs" "$set" >"$tmp/dump" 2>"$tmp/err"
	ok $? "$name: dump succeeds" "$tmp/err"
	want=$(grep -c '^-[aAw]' "$set")
	got=$(grep -c '^ADD' "$tmp/dump")
	[ "$want" -gt 0 ] && [ "$want" -eq "$got" ]
	ok $? "$name: $want rule lines, $got rules" "$tmp/err"

	! grep -q '^-e 2' "$set" && [ "$(grep -m1 '^-' "$set")" = -D ] && grep -qx -- '-b 8192' "$set" && grep -qx -- '-f 1' "$set"
	ok $? "$name: starts from an empty list, sets limits, does not lock"
done

echo "1..$n"
