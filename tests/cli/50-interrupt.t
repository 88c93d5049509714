#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A run that is told to stop leaves no process, no temporary file and no half-written output, wherever it was.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"

lab=${AUDITOPT_LAB_DIR:-$root/build/lab}
[ -r "$lab/vmlinuz" ] || skip_all "no kernel for the guest in $lab"
mkdir "$dir/tmp"
export TMPDIR=$dir/tmp

children() { # PID: what it started, as process ids
	cat /proc/"$1"/task/*/children 2>/dev/null
}

# Runs the main job, reads its progress line by line, and sends SIGNAL when a line with TEXT has come. Progress is shown
# once a second, so what is waited for has to last: all workloads, or all triggers.
stop_at() { # SIGNAL STATUS TEXT NAME [OPTION...]
	local signal=$1 want=$2 text=$3 name=$4 line guests status
	shift 4
	rm -f "$dir/fifo" "$dir/out" "$dir/json" "$dir/out.rollback"
	mkfifo "$dir/fifo"
	# a shell without job control has what it starts in the background ignore SIGINT
	env --default-signal=INT "$AUDITOPT" optimize "$root/rules/pci-dss-v3.1.rules" --verify "$@" -o "$dir/out" \
		--json "$dir/json" >"$dir/text" 2>"$dir/fifo" &
	local pid=$!
	exec 4<"$dir/fifo"
	local seen=1
	while read -r line <&4; do
		case $line in
		*"$text"*)
			seen=0
			break
			;;
		esac
	done
	ok $seen "$name: the run came so far"
	guests=$(children $pid)
	kill -s "$signal" $pid
	wait $pid
	status=$?
	exec 4<&-
	is "$name: ended by the signal" $status "$want"
	local left=
	for guest in $guests; do
		[ ! -d "/proc/$guest" ] || left="$left $guest"
	done
	is "$name: no process is left" "$left" ""
	is "$name: no temporary file is left" "$(ls -A "$dir/tmp")" ""
	is "$name: no output is there" "$(ls "$dir" | grep -v -x -e tmp -e fifo -e text)" ""
}

stop_at INT 130 "lab: booting" "SIGINT while booting"
stop_at TERM 143 "lab: measuring" "SIGTERM while measuring"
stop_at HUP 129 "lab: measuring" "SIGHUP while measuring"
stop_at INT 130 "lab: triggering" "SIGINT while triggering" --no-bench
finish
