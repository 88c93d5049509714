#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two sets made to be awkward: rules that overlap, never among always, prepended ones, nested directories, every kind of
# field, arguments that hold process numbers. Reduced, and seen recording the same.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"

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
	is "$name: verified" "$(cat "$dir/$name.status")" 0
	if [ ! -s "$j" ]; then
		ok 1 "$name: there is a report" "$dir/$name.err"
		continue
	fi
	holds "$name: no trigger is recorded otherwise" "$j" '!@{$j->{lab}{events}{differences}}'
	holds "$name: triggers ran and recorded" "$j" '$j->{lab}{events}{triggers} > 100 && $j->{lab}{events}{events} > 500'
	is "$name: every rule was seen recording" "$(json "$j" '$j->{lab}{events}{rules} - $j->{lab}{events}{rules_seen}')" 0
	is "$name: both sets are held, and auditctl agrees" \
		"$(json "$j" 'map { "$_->{set}:" . ($_->{sent} == $_->{held} && $_->{auditctl_agrees} && !@{$_->{refused}} ? 1 : 0) }
			@{$j->{lab}{loads}}')" "old:1 new:1"
	holds "$name: fewer rules, and a call that none of them names is cheaper" "$j" \
		'$j->{rules_out} < $j->{rules_in} && figure("new", "sys-null", "1000") < figure("old", "sys-null", "1000")'
done

finish
