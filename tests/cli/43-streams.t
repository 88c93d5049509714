#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Standard streams that are full, closed or read by nobody: what did not arrive is trouble, and no file takes the text.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"

rules=$root/rules/stig.rules
mkfifo "$dir/pipe"
commands=(--help --version "optimize --allow help" "check $rules" "dump $rules" "cost $rules" "optimize $rules -o $dir/out")
for command in "${commands[@]}"; do
	name=${command//"$root/"/}
	name=${name//"$dir/"/}
	# shellcheck disable=SC2086 # words
	"$AUDITOPT" $command >/dev/full 2>"$dir/err"
	is "$name to a full device: status" $? 2
	grep -q '^auditopt: ' "$dir/err"
	ok $? "$name to a full device: it says so" "$dir/err"
	# shellcheck disable=SC2086
	"$AUDITOPT" $command >&- 2>"$dir/err"
	is "$name to a closed stream: status" $? 2
	(
		trap '' PIPE
		# the reader is gone before anything is written
		exec 5<>"$dir/pipe" 6>"$dir/pipe" 5>&-
		# shellcheck disable=SC2086
		"$AUDITOPT" $command >&6 2>"$dir/err"
		echo $? >"$dir/status"
	)
	is "$name to a pipe without a reader: status" "$(cat "$dir/status")" 2
done
"$AUDITOPT" optimize "$rules" -o "$dir/good" >/dev/null 2>&1
rm -f "$dir/out" "$dir/out.rollback"
"$AUDITOPT" optimize "$rules" -o "$dir/out" <&- >&- 2>&-
is "all streams closed: status" $? 2
cmp -s "$dir/good" "$dir/out" && cmp -s "$rules" "$dir/out.rollback"
ok $? "all streams closed: the files are what they should be"
(
	ulimit -f 1
	"$AUDITOPT" optimize "$rules" -o "$dir/small" >/dev/null 2>&1
) 2>/dev/null
is "a limit on the size of files leaves nothing behind" "$(ls "$dir" | grep small)" ""
finish
