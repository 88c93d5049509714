#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where output goes: what is refused before any work, what is left alone, what a full disk does.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
cd "$dir" || exit 1

printf -- '-w /etc/passwd -p wa -k id\n-a always,exit -F arch=b64 -S kill -k k\n' >in
mkdir rules.d sub
cp in rules.d/10-in.rules
mkfifo pipe
ln -s nowhere dangling

refused() { # NAME OUT WORDS [INPUT]
	"$AUDITOPT" optimize "${4:-in}" -o "$2" >text 2>err
	is "$1: refused" $? 2
	grep -q -- "$3" err
	ok $? "$1: says why" err
}
refused "a pipe" pipe "a device or a pipe"
refused "a directory" sub "Is a directory"
refused "standard output" - "expected the name of a file"
refused "a link to nothing" dangling "No such file"
refused "no name" "" "No such file"
refused "the input" in "is the input"
refused "beside the rules of the input" rules.d/20-out.rules "would be read with it" rules.d
"$AUDITOPT" optimize in -o out --json pipe >text 2>err
is "a pipe for the report: refused" $? 2
is "nothing was written, nothing replaced" "$(echo ./*) $(echo rules.d/*) $(stat -c %F pipe)" \
	"./dangling ./err ./in ./pipe ./rules.d ./sub ./text rules.d/10-in.rules fifo"

: >real
ln -s real link
"$AUDITOPT" optimize in -o link >text 2>err
is "behind a link" $? 0
[ -L link ] && grep -q '^-w /etc/passwd' real
ok $? "behind a link the file is replaced and the link stays" err

(
	ulimit -f 0
	"$AUDITOPT" optimize in -o big 2>err | cat >/dev/null
	exit "${PIPESTATUS[0]}"
) 2>err
is "no room: trouble" $? 2
is "no room: nothing is left" "$(echo big*)" "big*"

for command in "check in" "dump in" "cost in" "cost in --format json" "optimize in -o out" "bench --list" help --version; do
	# shellcheck disable=SC2086
	"$AUDITOPT" $command >/dev/full 2>err
	is "$command: a full output is trouble" $? 2
	# shellcheck disable=SC2086
	"$AUDITOPT" $command >&- 2>err
	is "$command: a closed output is trouble" $? 2
done

# A closed descriptor must not be taken by a file that then receives the report.
"$AUDITOPT" optimize in -o shut --json shut.json >&- 2>&-
grep -q '^-w /etc/passwd' shut && grep -q auditopt-report shut.json && ! grep -q "rules in" shut.json
ok $? "all of it closed: the files are what they should be"
finish
