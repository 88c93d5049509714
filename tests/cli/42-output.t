#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The written file does what the input did, beyond the rules: nothing quoted in it is read as a line, and no setting goes.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"

reduce() { # NAME INPUT [OPTION...]: the output is $dir/out
	rm -f "$dir/out"
	"$AUDITOPT" optimize "${@:2}" -o "$dir/out" >"$dir/text" 2>"$dir/err"
	is "$1: status" $? 0
}
dump() { # FILE: without the calls
	"$AUDITOPT" dump "$1" 2>/dev/null | sed 's/ syscalls=[^ ]*//'
}
same() { # NAME FILE: the output gives what the file gives
	is "$1" "$(dump "$dir/out")" "$(dump "$2")"
}

# ---- what is quoted --------------------------------------------------------------------------------------------------

evil=$dir/$'a\n-e 0\n#.rules'
printf -- '-w /etc/a -p w\n' >"$evil"
reduce "a newline in the name of the input" "$evil"
same "it brings no setting in" "$evil"
mkdir "$dir/d"
printf -- '-a always,exit -F arch=b64 -S 1 -F uid=0 -k k\n-a always,exit -F arch=b64 -S 2 -F uid=0 -k k\n' >"$dir/d/"$'10\n-f 2\n#.rules'
printf -- '-a always,exit -F arch=b64 -S 3 -F uid=0 -k k\n' >"$dir/d/20.rules"
reduce "a newline in the name of a part" "$dir/d" --auditctl 4.2 # older ones take such a name as several
is "it brings no setting in" "$(dump "$dir/out" | cut -d' ' -f1)" ADD
# 6143 bytes are one read of auditctl's; a mark in front of them would push the end over
{
	printf -- '-c\n%-6139s-e 0\n' '-w /etc/a -p w -S foo'
	printf -- '-w /etc/b -p w\n'
} >"$dir/long"
reduce "a line that fails and is as long as can be" "$dir/long"
same "its end is no setting" "$dir/long"
{
	printf -- '%-6143s' '-b 8192'
	printf -- '-w /etc/a -p w -k a\n-w /etc/b -p w\n'
} >"$dir/pieces"
reduce "a line read in two pieces" "$dir/pieces"
same "each piece once" "$dir/pieces"
for ((i = 0; i < 600; i++)); do
	printf -- '-a always,exit -S %d -F uid=0 -k k\n' $((i % 2 ? i : 1000 + i))
done >"$dir/many"
reduce "more lines merged than a comment holds" "$dir/many"
is "every line is one read" "$(awk 'length > 6142' "$dir/out" | wc -l)" 0

# ---- settings ----------------------------------------------------------------------------------------------------------

cat >"$dir/all" <<'RULES'
-w /etc/a -p w
-D
-b 8192
-w /etc/c -p w -k a\ b
-w /etc/b -p w
-D -k a\ b
-e 1 -w /etc/d -p w -f 2
--loginuid-immutable
--reset-lost
--backlog_wait_time 60000
-r 100
-t
-e 2
RULES
reduce "deletions and settings among the rules" "$dir/all"
is "all of them, in their order" "$(dump "$dir/out" | grep -v '^ADD\|^DELETE flags')" "$(dump "$dir/all" | grep -v '^ADD')"

# ---- make-equivalent ---------------------------------------------------------------------------------------------------

mkdir "$dir/home" "$dir/mnt"
q="-q $dir/home,$dir/mnt"
rule="-a always,exit -F arch=b64 -S unlink -F dir=$dir/home"
printf -- '%s -F uid=0 -k a\n%s\n%s -k a\n' "$rule" "$q" "$rule" >"$dir/q"
"$AUDITOPT" optimize "$dir/q" -o "$dir/q.out" >"$dir/text" 2>"$dir/err"
is "a directory would pass to the other side of -q: status" $? 2
grep -qF 'would change sides with the -q of line 2' "$dir/err"
ok $? "it says so" "$dir/err"
[ ! -e "$dir/q.out" ]
ok $? "nothing is written"
printf -- '%s -F uid=0 -k a\n%s -k a\n%s\n' "$rule" "$rule" "$q" >"$dir/q"
reduce "-q behind the rules" "$dir/q"
is "the rule, then -q" "$(grep -v '^#' "$dir/out" | cut -c1-2 | xargs)" "-a -q"
finish
