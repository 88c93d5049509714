# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by tests of what the guest has seen, behind tap.sh.
# shellcheck shell=bash

# The run NAME left $dir/NAME.status, .err and .json: verified, nothing recorded otherwise, both sets held. False when there is
# no report to say more of.
was_verified() { # NAME TRIGGERS EVENTS: more of each are to have been seen
	local name=$1 j=$dir/$1.json
	is "$name: verified" "$(cat "$dir/$name.status")" 0
	if [ ! -s "$j" ]; then
		ok 1 "$name: there is a report" "$dir/$name.err"
		return 1
	fi
	holds "$name: no trigger is recorded otherwise" "$j" '!@{$j->{lab}{events}{differences}}'
	holds "$name: triggers ran and recorded" "$j" \
		"\$j->{lab}{events}{triggers} > $2 && \$j->{lab}{events}{events} > $3"
	is "$name: both sets are held, and auditctl agrees" "$(sets_held "$j")" "old:1 new:1"
}

sets_held() { # JSON: each set, and whether all its rules are held as auditctl would have loaded them
	json "$1" 'map { "$_->{set}:" . ($_->{sent} == $_->{held} && $_->{auditctl_agrees} && !@{$_->{refused}} ? 1 : 0) }
		@{$j->{lab}{loads}}'
}

rules_unseen() { # JSON: how many rules no trigger was recorded for
	json "$1" '$j->{lab}{events}{rules} - $j->{lab}{events}{rules_seen}'
}
