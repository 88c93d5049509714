#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# auditopt check: places, status, usage.
auditopt=${AUDITOPT:-build/auditopt}
case $auditopt in /*) ;; *) auditopt=$PWD/$auditopt ;; esac
dir=$(mktemp -d) || { echo "Bail out! no temporary directory"; exit 1; }
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
n=0

# t TITLE STATUS STDOUT STDERR COMMAND...: status and both outputs must be exactly these.
t() {
	local title=$1 status=$2 out=$3 err=$4 got; shift 4
	"$@" >out 2>err </dev/null; got=$?
	n=$((n + 1))
	if [ "$got" = "$status" ] && [ "$(cat out)" = "$out" ] && [ "$(cat err)" = "$err" ]; then
		echo "ok $n - $title"
	else
		echo "not ok $n - $title"
		{ echo "status $got, expected $status"; cat out err; } | sed 's/^/# /'
	fi
}

printf '%s\n' '# fine' '-b 8192' '-w /nosuch/file -p wa -k x' >clean.rules
t 'clean file' 0 '1 file, 1 rule, 0 errors, 0 warnings' '' "$auditopt" check clean.rules

printf '%s\n' '-a always,exit -F arch=b64 -S opne -k x' '-w /ok' '-w rel' >bad.rules
t 'all errors of a file with their places' 2 '1 file, 1 rule, 2 errors, 0 warnings' \
"bad.rules:1:31: error: unknown system call \`opne': expected a name of x86_64 or a number below 2048
  -a always,exit -F arch=b64 -S opne -k x
                                ^~~~
bad.rules:3:4: error: the path of a watch is relative: expected it to begin with /
  -w rel
     ^~~" "$auditopt" check --machine x86_64 bad.rules

printf '%s\n' '-a always,exit -F auid=10x' >warn.rules
t 'only warnings' 1 '1 file, 1 rule, 0 errors, 1 warning' \
"warn.rules:1:26: warning: auditctl ignores \`x' after the number and takes 10
  -a always,exit -F auid=10x
                           ^" "$auditopt" check warn.rules

t 'several files' 2 '3 files, 3 rules, 2 errors, 1 warning' "$(cat err; "$auditopt" check --machine x86_64 bad.rules 2>&1 >/dev/null)" \
	"$auditopt" check --machine x86_64 clean.rules warn.rules bad.rules
printf '%s\n' '-w /ok -p w' '-w /ok -p w' '-w /ok -p r' >twin.rules
t 'a rule that the kernel holds already' 2 '1 file, 3 rules, 1 error, 0 warnings' \
"twin.rules:2:1: error: the kernel refuses to add this rule: Rule exists: it holds the same one already; auditctl loads nothing of what follows (with -i or -c in the file it goes on)
  -w /ok -p w
  ^~~~~~~~~~~" "$auditopt" check --machine x86_64 twin.rules
t 'no such file' 2 '1 file, 0 rules, 1 error, 0 warnings' 'gone.rules: error: cannot read: No such file or directory' \
	"$auditopt" check gone.rules
t 'no argument' 2 '' "auditopt: expected at least one file or directory
usage: auditopt check [OPTION...] FILE|DIR..." "$auditopt" check
t 'unknown option' 2 '' "auditopt: unknown option or missing value: \`--nope'
usage: auditopt check [OPTION...] FILE|DIR..." "$auditopt" check --nope clean.rules
t 'option without its value' 2 '' "auditopt: unknown option or missing value: \`--dirs'
usage: auditopt check [OPTION...] FILE|DIR..." "$auditopt" check --dirs
t 'unknown machine' 2 '' "auditopt: unknown machine \`vax': expected a name such as x86_64" \
	"$auditopt" check --machine vax clean.rules

n=$((n + 1))
if "$auditopt" check --help >out 2>err && grep -q '^usage: auditopt check' out && [ ! -s err ]; then
	echo "ok $n - help"
else
	echo "not ok $n - help"
fi
n=$((n + 1))
if printf -- '-w rel\n' | "$auditopt" check - 2>&1 >/dev/null | grep -q '^<stdin>:1:4: error:'; then
	echo "ok $n - standard input"
else
	echo "not ok $n - standard input"
fi
n=$((n + 1))
truncate -s 65M huge.rules
if "$auditopt" check huge.rules 2>&1 >/dev/null | grep -q '^huge.rules: error: the file has more than 64 MiB'; then
	echo "ok $n - a file that is too big"
else
	echo "not ok $n - a file that is too big"
fi
echo "1..$n"
