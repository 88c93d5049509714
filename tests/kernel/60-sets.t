#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The shipped sets, reduced and verified in the guest: what is recorded stays, what is counted falls as far as promised.
# Figures are instructions, counted: they do not depend on this machine or on what else it does.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
# shellcheck source=tests/lib/lab.sh
. "$(dirname "$0")/../lib/lab.sh"

verified() { # SET [OPTION...]: reduces it and lets the guest see both
	local set=$1
	shift
	"$AUDITOPT" optimize "$root/rules/$set.rules" --verify --workload sys-null --workload sys-open "$@" \
		-o "$dir/$set.out" --json "$dir/$set.json" >"$dir/$set.text" 2>"$dir/$set.err"
	echo $? >"$dir/$set.status"
}

# What one rule costs that no list holds and no call of the workload meets, and a second count of a set.
references() {
	echo '-w /etc/passwd -p wa -k one' >"$dir/one.rules"
	"$AUDITOPT" verify --workload sys-null --no-triggers --format json "$dir/one.rules" "$dir/one.rules" \
		>"$dir/one.json" 2>"$dir/one.err"
	"$AUDITOPT" optimize "$root/rules/pci-dss-v3.1.rules" --verify --workload sys-null --workload sys-open --no-triggers \
		-o "$dir/again.out" --json "$dir/again.json" >"$dir/again.text" 2>"$dir/again.err"
}

# Two guests at a time.
{ verified pci-dss-v3.1; verified ospp; } &
{ verified stig; verified cis; } &
wait
{ verified ospp-main; } &
references
wait

off=$(json "$root/bench/calibration/debian-12-6.1-cloud-amd64.json" '$j->{coefficients}{off}{value}')
[[ $off =~ ^[0-9]+$ ]]
ok $? "the calibration has the null call without audit ($off)"
one=$(json "$dir/one.json" 'figure("old", "sys-null", "unset") - figure("audit off", "sys-null", "unset")')
[[ $one =~ ^[0-9.]+$ ]]
ok $? "a single rule was counted ($one more than without audit)" "$dir/one.err"

# The largest cost of the null call, of one rule's; rules whose triggers record nothing.
while read -r set ratio unseen; do
	j=$dir/$set.json
	was_verified "$set" 100 100 || continue
	is "$set: what was loaded is what was read and written" "$(json "$j" 'map { $_->{sent} } @{$j->{lab}{loads}}')" \
		"$(json "$j" '@$j{qw(rules_in rules_out)}')"
	is "$set: evidence" "$(json "$j" '$j->{lab}{evidence}, $j->{lab}{error}')" "counted null"
	is "$set: rules whose triggers all went unrecorded" "$(rules_unseen "$j")" "$unseen"
	for auid in unset 1000; do
		holds "$set: a call no rule names is cheaper, auid $auid" "$j" \
			"figure('new', 'sys-null', '$auid') < figure('old', 'sys-null', '$auid')"
		holds "$set: an open is cheaper, auid $auid" "$j" \
			"figure('new', 'sys-open', '$auid') < figure('old', 'sys-open', '$auid')"
	done
	got=$(json "$j" "sprintf '%.3f', (figure('new', 'sys-null', 'unset') - figure('audit off', 'sys-null', 'unset') + $off)
		/ ($one + $off)")
	awk -v got="$got" -v most="$ratio" 'BEGIN { exit !(got ~ /^[0-9.]+$/ && got >= 1 && got <= most) }'
	ok $? "$set: a call no rule names costs $got times a single rule's, at most $ratio"
done <<'SETS'
pci-dss-v3.1 1.4 0
stig 1.5 0
cis 1.7 0
ospp-main 1.2 0
ospp 2.6 0
SETS

# A batch that a timer tick falls into can move the mean of its hundreds of calls by a fraction of an instruction.
is "counted twice, the null call gives the same whole instructions" \
	"$(json "$dir/again.json" 'map { sprintf("%s %s %.0f", @$_{qw(set auid value)}) } pick($j->{lab}{figures}, workload => "sys-null")')" \
	"$(json "$dir/pci-dss-v3.1.json" 'map { sprintf("%s %s %.0f", @$_{qw(set auid value)}) } pick($j->{lab}{figures}, workload => "sys-null")')"
cmp -s "$dir/again.out" "$dir/pci-dss-v3.1.out"
ok $? "and the same rules are written"

finish
