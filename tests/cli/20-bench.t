#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# auditopt bench: options, both formats, troubles, and that nothing is left behind. No figure is judged.
set -u
: "${AUDITOPT:?path of the program}"
root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/work" || exit 1
n=0

ok() { # ok NAME STATUS
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# out: /' "$tmp/out"
		sed 's/^/# err: /' "$tmp/err"
	fi
}

run() { # run ARGUMENT...: status in $status, output in out and err
	"$AUDITOPT" bench "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

is() { # is NAME WANTED-STATUS PATTERN FILE
	[ "$status" -eq "$2" ] && grep -q -e "$3" "$tmp/$4"
	ok "$1" $?
}

empty() {
	[ -z "$(ls -A "$tmp/work")" ]
	ok "$1" $?
}

run --help
is "--help tells of --batches" 0 '--batches N' out
run --list
is "--list names sys-null" 0 '^sys-null  *getppid' out
all=$(wc -l <"$tmp/out")

run no-such-workload
is "an unknown workload is trouble" 2 'no-such-workload' err
grep -q 'sys-null, ' "$tmp/err" && grep -q 'fork-exec' "$tmp/err"
ok "... and the valid names are listed" $?
[ ! -s "$tmp/out" ]
ok "... and nothing is measured" $?
run sys-null no-such-workload
is "also behind a valid one" 2 'no-such-workload' err

run --batches 2 --dir "$tmp/work" rw1 sys-stat
is "two workloads run" 0 '^rw1  *[0-9][0-9]*  *[0-9.]*[1-9]' out
is "... the second too" 0 '^sys-stat  *[0-9]' out
[ "$(grep -c '^[a-z0-9-]*  *[0-9][0-9]* ' "$tmp/out")" -eq 2 ]
ok "... and no others" $?
is "the table says what the figures are" 0 'wall-clock.*no audit state' out
empty "the work directory is empty again"

run --batches 2 --dir "$tmp/work" --format json
is "every workload runs, as JSON" 0 '"schema": "auditopt-bench/1"' out
perl "$root/tests/lib/json.pl" "$tmp/out" '$j->{schema}, $j->{batches}, $j->{cpu}, scalar @{$j->{workloads}},
	scalar(keys %{{ map { $_->{id} => 1 } @{$j->{workloads}} }}),
	scalar(grep { @{$_->{per_op_ns}} == 2 && $_->{median_ns} > 0 && $_->{mean_ns} > 0 && $_->{min_ns} > 0
		&& $_->{min_ns} <= $_->{median_ns} && $_->{ops} >= 1 && $_->{calls} >= 0 && $_->{spread_percent} >= 0
		&& !exists $_->{error} } @{$j->{workloads}})' >"$tmp/values" 2>"$tmp/err"
[ "$(cat "$tmp/values")" = "auditopt-bench/1 2 null $all $all $all" ]
ok "the JSON is complete ($(cat "$tmp/values"))" $?
empty "the work directory is empty again after all"

run --batches 0
is "no batch is an error of usage" 2 '--batches' err
run --batches 1x
is "a count must be a number" 2 '1x' err
run --batches 99999999999999999999
is "a count too large is refused" 2 '--batches' err
run --format xml sys-null
is "an unknown format is refused" 2 'xml' err
run --no-such-option
is "an unknown option is refused" 2 'usage:' err
run --cpu 1000000 --batches 2 sys-null
is "a CPU that does not exist is told" 2 'sys-null: cannot pin' err
run --dir "$tmp/none" sys-null
is "a directory that does not exist is told" 2 'sys-null: cannot make a work directory: No such file' err
run --dir "$tmp/none" --format json sys-null
is "... also in the JSON" 2 '"error": "cannot make a work directory' out

cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
run --cpu "$cpu" --batches 2 --format json ctx-pipe
is "pinning to an allowed CPU works" 0 "\"cpu\": $cpu" out

"$AUDITOPT" bench --batches 2 sys-null >/dev/full 2>"$tmp/err"
status=$?
is "a full disk is told" 2 'standard output' err

for signal in INT TERM; do
	# a shell without job control has what it starts in the background ignore SIGINT
	env --default-signal=INT "$AUDITOPT" bench --batches 1000 --dir "$tmp/work" sys-open >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	while kill -0 $pid 2>/dev/null && [ -z "$(ls -A "$tmp/work"/* 2>/dev/null)" ]; do :; done
	kill -$signal $pid
	wait $pid
	status=$?
	[ $status -gt 128 ] && [ "$(kill -l $status)" = $signal ]
	ok "SIG$signal ends it" $?
	empty "... and leaves nothing"
done

echo "1..$n"
