#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# auditopt dump: canonical form, options, merging of a directory.
auditopt=${AUDITOPT:-build/auditopt}
case $auditopt in /*) ;; *) auditopt=$PWD/$auditopt ;; esac
here=$(cd "$(dirname "$0")/../.." && pwd)
corpus=${AUDITOPT_CORPUS:-$here/../shared/corpus}
dir=$(mktemp -d) || { echo "Bail out! no temporary directory"; exit 1; }
trap 'rm -rf "$dir"' EXIT
[ -d "$corpus" ] && corpus=$(cd "$corpus" && pwd)
cd "$dir" || exit 1
n=0

is() {   # TITLE EXPECTED GOT
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		printf 'expected:\n%s\ngot:\n%s\n' "$2" "$3" | sed 's/^/# /'
	fi
}

printf '%s\n' '-w /data/ -p wa -k x' '-a always,exit -F uid=zoe -F gid=adm' >r.rules
echo /data >dirs
echo 'zoe:x:77:7::/:' >passwd
echo 'adm:x:44:' >group
is 'directories and accounts are given' \
'ADD flags=4 list=exit action=always syscalls=all nfields=3 [dir = "/data"] [perm = 10] [key = "x"]
ADD flags=4 list=exit action=always syscalls=all nfields=2 [uid = 77] [gid = 44]' \
"$("$auditopt" dump --dirs dirs --passwd passwd --group group r.rules)"
: >none
is 'not a directory' '[path = "/data"]' "$("$auditopt" dump --dirs none --passwd passwd --group group r.rules | grep -o '\[path[^]]*\]')"

printf '%s\n' '-b 1' '-w /a -p r' '-f 2 -w rel' '-w /b -p r' >stop.rules
"$auditopt" dump stop.rules >out 2>err
is 'status where the load stops' 2 $?
is 'what was sent before the load stops' \
'SET mask=0x10 backlog_limit=1
ADD flags=4 list=exit action=always syscalls=all nfields=2 [path = "/a"] [perm = 4]
SET mask=0x2 failure=2' "$(cat out)"
is 'the error' 'stop.rules:3:9: error: the path of a watch is relative: expected it to begin with / [AR063]' "$(head -n 1 err)"
sed -i '1i -i' stop.rules
"$auditopt" dump stop.rules >out 2>err
is 'status of failed lines passed over' 1 $?
is 'the load goes on' 4 "$(wc -l <out)"

# rules.d: natural order, last of each setting kept and moved, lines joined where a file has no final newline.
mkdir rules.d
printf '%s\n' '-w /ten -p r' '-e 2' '-b 10' '	# dropped' '-D' >rules.d/10-b.rules
printf '%s\n' '-w /nine -p r' '-b 9 -w /lost' '-e 1' '' >rules.d/9-a.rules
printf '%s\n%s' '-f 1' '-w /twenty ' >rules.d/20-c.rules
printf '%s\n' '-p r' '-w /last -p r' ' -D ' >rules.d/100-d.rules
printf '%s\n' 'junk' >rules.d/.hidden.rules
printf '%s\n' 'junk' >rules.d/x.rules.bak
is 'merged as augenrules does' \
'DELETE_ALL
SET mask=0x10 backlog_limit=10
SET mask=0x2 failure=1
"/nine"
"/ten"
"/twenty"
"/last"
SET mask=0x1 enabled=2' "$("$auditopt" dump --dirs none rules.d 2>err | sed 's/^ADD.*path = \("[^"]*"\).*/\1/')"
is 'the joined line is told' 1 "$(grep -c 'rules.d/20-c.rules:2:1: warning: .*no final newline' err)"
is 'the dropped setting is told' 1 "$(grep -c 'rules.d/9-a.rules:2:1: note: augenrules drops this line' err)"
echo 'foo' >>rules.d/9-a.rules
is 'places are those of the files' 'rules.d/9-a.rules:5:1: error:' "$("$auditopt" dump rules.d 2>&1 >/dev/null | grep -o '^.* error:')"

for merged in "$corpus"/generated/*/audit.rules; do
	if [ ! -e "$merged" ]; then
		n=$((n + 1)); echo "ok $n - merged sets of the corpus # SKIP no corpus"
		break
	fi
	set=$(dirname "$merged")
	is "rules.d of $(basename "$set") gives its merged file" \
		"$("$auditopt" dump --dirs none "$merged" | sha256sum)" "$("$auditopt" dump --dirs none "$set/rules.d" 2>/dev/null | sha256sum)"
done

"$auditopt" dump >out 2>err; is 'no argument' 2 $?
"$auditopt" dump a b >out 2>err; is 'two arguments' 2 $?
"$auditopt" dump --nope r.rules >out 2>err; is 'unknown option' 2 $?
"$auditopt" dump gone >out 2>err; is 'no such file' 2 $?
"$auditopt" dump --help >out 2>err; is 'help' "0 0" "$? $(wc -c <err)"
echo "1..$n"
