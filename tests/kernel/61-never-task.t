#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is given up by name, and what it buys, in the guest: the exemption of tasks born without a loginuid, the loss of
# companions, and the assumption that no security module writes records (the guest has none).
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
set=$root/rules/pci-dss-v3.1.rules

verified() { # NAME OPTION...
	local name=$1
	shift
	"$AUDITOPT" optimize "$set" --verify "$@" -o "$dir/$name.out" --json "$dir/$name.json" >"$dir/$name.text" 2>"$dir/$name.err"
	echo $? >"$dir/$name.status"
}

{
	verified task --allow never-task-unset-auid --workload sys-null --workload sys-mix --workload pipe-512
	verified quiet --assume no-mac --workload sys-null
} &
{
	verified short --allow avc-companions --workload sys-null
	echo '-w /etc/passwd -p wa -k one' >"$dir/one.rules"
	"$AUDITOPT" verify --workload sys-null --no-triggers --format json "$dir/one.rules" "$dir/one.rules" \
		>"$dir/one.json" 2>"$dir/one.err"
} &
wait

for name in task quiet short; do
	is "$name: verified" "$(cat "$dir/$name.status")" 0
	if [ ! -s "$dir/$name.json" ]; then
		ok 1 "$name: there is a report" "$dir/$name.err"
		continue
	fi
	is "$name: both sets are held, and auditctl agrees" \
		"$(json "$dir/$name.json" 'map { "$_->{set}:" . ($_->{sent} == $_->{held} && $_->{auditctl_agrees} ? 1 : 0) }
			@{$j->{lab}{loads}}')" "old:1 new:1"
	is "$name: evidence" "$(json "$dir/$name.json" '$j->{lab}{evidence}')" counted
done

# ---- tasks born without a loginuid ---------------------------------------------------------------------------------

j=$dir/task.json
tail -n 1 "$dir/task.out" | grep -qx -e '-a never,task -F auid=unset'
ok $? "the exemption is the last rule" "$dir/task.out"
for workload in sys-null sys-mix pipe-512; do
	holds "$workload costs an exempt task what it costs without audit, within 1 %" "$j" \
		"figure('new', '$workload', 'unset') <= 1.01 * figure('audit off', '$workload', 'unset')
			&& figure('new', '$workload', 'unset') >= 0.99 * figure('audit off', '$workload', 'unset')"
	holds "$workload with a loginuid is not exempt" "$j" \
		"figure('new', '$workload', 1000) > 1.05 * figure('audit off', '$workload', 1000)"
done
# The harness sets the loginuid in a task that was born without one: the SYSCALL beside that LOGIN is given up, and said so.
is "all that a task born with a loginuid does is recorded as before" \
	"$(json "$j" 'map { $_->{trigger} } grep { $_->{lines_old} != 1 || $_->{lines_new} || $_->{only_old} !~ / syscall=write .* key=\(null\) / }
		pick($j->{lab}{events}{differences}, auid => 1000)')" ""
holds "what tasks without one do is not recorded any more" "$j" \
	'my @d = pick($j->{lab}{events}{differences}, auid => "unset"); @d > 0 && !grep { !$_->{only_old} || $_->{only_new} } @d'
is "the notes name exactly the rules that match without a loginuid" \
	"$(json "$j" 'my ($c) = pick($j->{changes}, pass => "never-task-unset-auid");
		sort { $a <=> $b } map { /^given up by daemons: events of line (\d+), key \S+, such as: \S/ ? $1 : () } @{$c->{notes}}')" \
	"$(json "$j" 'sort { $a <=> $b } map { $_->{line} } grep { $_->{payload} =~ /list=exit action=always/
		&& $_->{payload} !~ /\[auid != 4294967295\]/ } @{$j->{costs_after}}')"
holds "the notes say that programs which set their own loginuid are exempt too" "$j" \
	'my ($c) = pick($j->{changes}, pass => "never-task-unset-auid"); grep { /PAMName=/ } @{$c->{notes}}'
holds "a witness of the loss is shown" "$j" \
	'my ($c) = pick($j->{changes}, pass => "never-task-unset-auid"); $c->{kind} eq "loss" && $c->{proof}{verdict} eq "different"
	&& length $c->{proof}{witness}{event}'
grep -q '^# loss allowed: never-task-unset-auid$' "$dir/task.out"
ok $? "the file says what was lost"

# ---- companions -----------------------------------------------------------------------------------------------------

off=$(json "$root/bench/calibration/debian-12-6.1-cloud-amd64.json" '$j->{coefficients}{off}{value}')
one=$(json "$dir/one.json" 'figure("old", "sys-null", "unset") - figure("audit off", "sys-null", "unset")')
ratio() { # FILE: the null call under the new set, of the null call under a single rule
	json "$1" "sprintf '%.3f', (figure('new', 'sys-null', 'unset') - figure('audit off', 'sys-null', 'unset') + $off) / ($one + $off)"
}

got=$(ratio "$dir/short.json")
awk -v got="$got" 'BEGIN { exit !(got ~ /^[0-9.]+$/ && got >= 1 && got <= 1.15) }'
ok $? "avc-companions: a call no rule names costs $got times a single rule's, at most 1.15"
is "avc-companions: what is recorded otherwise has no key" \
	"$(json "$dir/short.json" 'grep { !/^[^\n]*key=\(null\)/ } map { grep { defined } @$_{qw(only_old only_new)} }
		@{$j->{lab}{events}{differences}}')" ""
holds "avc-companions: proved for the events of rules" "$dir/short.json" '$j->{proof}{verdict} eq "equal" && $j->{proof}{level} eq "E1"'

# ---- what no loss explains --------------------------------------------------------------------------------------------

# An auditctl that loads nothing: both files then load otherwise than what was proved.
mkdir "$dir/lab"
cp "$(type -P true)" "$dir/lab/auditctl"
ln -s "${AUDITOPT_LAB_DIR:-$root/build/lab}/vmlinuz" "$dir/lab/vmlinuz"
AUDITOPT_LAB_DIR=$dir/lab "$AUDITOPT" optimize "$set" --verify --allow avc-companions --no-bench --no-triggers -o "$dir/wrong.out" \
	>"$dir/wrong.text" 2>"$dir/wrong.err"
is "a set that auditctl loads otherwise: status, though a loss was allowed" $? 1
grep -q 'new set: .* auditctl loads the file DIFFERENTLY' "$dir/wrong.text"
ok $? "it says so" "$dir/wrong.text"
is "nothing is written for it" "$(ls "$dir" | grep '^wrong[.]out')" ""

# ---- no security module -----------------------------------------------------------------------------------------------

got=$(ratio "$dir/quiet.json")
awk -v got="$got" 'BEGIN { exit !(got ~ /^[0-9.]+$/ && got >= 1 && got <= 1.15) }'
ok $? "no-mac: a call no rule names costs $got times a single rule's, at most 1.15"
is "no-mac: nothing is recorded otherwise" "$(json "$dir/quiet.json" 'map { $_->{trigger} } @{$j->{lab}{events}{differences}}')" ""
holds "no-mac: proved with companions" "$dir/quiet.json" '$j->{proof}{verdict} eq "equal" && $j->{proof}{level} eq "E3"'

finish
