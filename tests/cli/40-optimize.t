#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The optimize command: options, files, the reduced set, bad input, over the shipped sets and the corpus.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"

run() { # WANTED-STATUS NAME ARGUMENT...: output in $dir/out and $dir/err
	local want=$1 name=$2
	shift 2
	"$AUDITOPT" optimize "$@" >"$dir/out" 2>"$dir/err"
	is "$name: status" $? "$want"
}
says() { # NAME FILE TEXT
	grep -qF -e "$3" "$2"
	ok $? "$1" "$2"
}
rules_of() { # FILE: how many rules the kernel would get
	"$AUDITOPT" dump --passwd "$accounts/passwd" --group "$accounts/group" "$1" 2>/dev/null | grep -c '^ADD'
}

# the account files of the host the corpus is read for, outside the directory that is looked at for left-overs
accounts=$(mktemp -d)
trap 'rm -rf "$dir" "$accounts"' EXIT
printf 'root:x:0:0::/:/bin/sh\nchrony:x:101:101::/:/bin/sh\nntp:x:102:102::/:/bin/sh\n' >"$accounts/passwd"
printf 'root:x:0:\n' >"$accounts/group"
pci=$root/rules/pci-dss-v3.1.rules
cp "$pci" "$dir/in.rules"

# ---- options ---------------------------------------------------------------------------------------------------------

run 0 "--help" --help
says "--help shows the usage" "$dir/out" "usage: auditopt optimize"
run 0 "--allow help" --allow help
says "--allow help names a loss" "$dir/out" "never-task-unset-auid"
run 2 "unknown option" --nonsense "$dir/in.rules" -o "$dir/x"
says "unknown option: usage line" "$dir/err" "usage: auditopt optimize"
run 2 "unknown assumption" --assume nothing "$dir/in.rules" -o "$dir/x"
run 2 "unknown loss" --allow everything "$dir/in.rules" -o "$dir/x"
run 2 "unknown workload" --workload none "$dir/in.rules" -o "$dir/x"
run 2 "no output named" "$dir/in.rules"
run 2 "no input named" -o "$dir/x"
run 2 "output is the input" "$dir/in.rules" -o "$dir/in.rules"
run 2 "output is the input by another name" "$dir/in.rules" -o "$dir/../$(basename "$dir")/in.rules"
run 2 "the report would replace the rules" "$dir/in.rules" -o "$dir/x" --json "$dir/x"
run 2 "the rollback file would be the input" "$dir/in.rules" -o "$dir/x" --rollback "$dir/in.rules"
run 2 "two names for one output that is not there yet" "$dir/in.rules" -o "$dir/x" --json "$dir/../$(basename "$dir")/x"
mkfifo "$dir/fifo"
ln -s in.rules "$dir/link"
ln -s none "$dir/nowhere"
mkdir "$dir/parts"
cp "$pci" "$dir/parts/10.rules"
run 2 "output is a part of the input" "$dir/parts" -o "$dir/parts/10.rules"
run 2 "output would be a part of the input" "$dir/parts" -o "$dir/parts/20.rules"
for out in fifo nowhere parts; do
	run 2 "output is no regular file: $out" "$pci" -o "$dir/$out"
	run 2 "report is no regular file: $out" "$pci" -o "$dir/x" --json "$dir/$out"
done
run 2 "output has no name" "$dir/in.rules" -o ''
run 2 "output is -" "$dir/in.rules" -o -
"$AUDITOPT" optimize - -o "$dir/in.rules" <"$dir/in.rules" >/dev/null 2>&1
is "output is standard input: status" $? 2
[ -p "$dir/fifo" ] && [ -L "$dir/link" ] && [ -L "$dir/nowhere" ] && cmp -s "$pci" "$dir/in.rules" && cmp -s "$pci" "$dir/parts/10.rules"
ok $? "all of them are as they were"
rm -r "$dir/fifo" "$dir/link" "$dir/nowhere" "$dir/parts"
run 2 "no model of that machine" --machine aarch64 "$dir/in.rules" -o "$dir/x"
run 2 "input is not there" "$dir/none" -o "$dir/x"
run 2 "output cannot be made" "$dir/in.rules" -o "$dir/none/x"
[ -z "$(ls "$dir" | grep -v -x -e in.rules -e out -e err)" ]
ok $? "none of that left a file"

# ---- files -------------------------------------------------------------------------------------------------------------

run 0 "the PCI-DSS set" "$dir/in.rules" -o "$dir/red" --json "$dir/red.json"
cmp -s "$pci" "$dir/in.rules"
ok $? "the input is as it was"
cmp -s "$dir/in.rules" "$dir/red.rollback"
ok $? "the rollback file is the input, byte for byte"
says "the head names the input's digest" "$dir/red" "$(sha256sum "$dir/in.rules" | cut -d' ' -f1)"
says "the head says that nothing is assumed" "$dir/red" "# assumed: nothing; lost: nothing"
says "comments of rules that stay are kept" "$dir/red" "$(grep -m1 '^# 10\.2\.7' "$pci")"
is "as many rules as reported" "$(rules_of "$dir/red")" "$(json "$dir/red.json" '$j->{rules_out}')"
is "the report" "$(json "$dir/red.json" '$j->{schema}, $j->{proof}{verdict}, $j->{proof}{level}, $j->{lab}')" \
	"auditopt-report/1 equal E3 null"
holds "each change has its proof and its reason" "$dir/red.json" \
	'!grep { $_->{proof}{verdict} ne "equal" || !length $_->{reason} || $_->{kind} ne "lossless" } @{$j->{changes}}'
holds "every rule that goes was there or was made, every new one is accounted for" "$dir/red.json" \
	'my %have = map { $_->{payload} => 1 } @{$j->{costs_before}};
	 for my $c (@{$j->{changes}}) {
		for (@{$c->{old}}) { return 0 unless delete $have{$_->{payload}} }
		$have{$_->{payload}} = 1 for @{$c->{new}};
	 }
	 join("\n", sort keys %have) eq join("\n", sort map { $_->{payload} } @{$j->{costs_after}})'
run 0 "the reduced set again" "$dir/red" -o "$dir/red2" --json "$dir/red2.json"
holds "it is reduced already" "$dir/red2.json" '!@{$j->{changes}}'
run 0 "a second time" "$dir/in.rules" -o "$dir/twice"
cmp -s "$dir/red" "$dir/twice"
ok $? "the same input gives the same file"
"$AUDITOPT" optimize - -o "$dir/std" <"$dir/in.rules" >/dev/null 2>&1
is "standard input: status" $? 0
is "standard input: the same rules" "$(grep -v '^#' "$dir/std")" "$(grep -v '^#' "$dir/red")"
run 0 "a loss" "$dir/in.rules" -o "$dir/loss" --allow avc-companions --json "$dir/loss.json"
says "the head names the loss" "$dir/loss" "# loss allowed: avc-companions"
holds "the loss has a witness and notes" "$dir/loss.json" \
	'my @l = grep { $_->{kind} eq "loss" } @{$j->{changes}}; @l && !grep { !$_->{proof}{witness}{event} || !@{$_->{notes}} } @l'
run 0 "an assumption" "$dir/in.rules" -o "$dir/mac" --assume no-mac
says "the head names the assumption" "$dir/mac" "# assumed: no-mac"

# ---- odd input -----------------------------------------------------------------------------------------------------------

printf -- '-w /etc -p q\n-a always,exit -F uid=0 -k\n-S foo\n' >"$dir/bad"
run 2 "bad input" "$dir/bad" -o "$dir/bad.out"
is "every bad line is named" "$(grep -c "^$dir/bad:[123]:[0-9]*: error: " "$dir/err")" 3
[ ! -e "$dir/bad.out" ] && [ ! -e "$dir/bad.out.rollback" ]
ok $? "nothing is written for it"
printf -- '-w /etc/a -p w -k a\n-w /etc/a -p w -k a\n' >"$dir/twin"
run 2 "a rule the kernel refuses" "$dir/twin" -o "$dir/twin.out"
says "it says where and why" "$dir/err" "$dir/twin:2:1: error: the kernel refuses to add this rule: Rule exists"
printf -- '-w /etc/a -p w -k a\n-D\n-b 64 -w /etc/b -p w -k b\n-A never,exit -S 500\n-w /etc/c -p w\n-W /etc/c -p w\n' >"$dir/odd"
run 0 "deletions, a prepended rule, a setting beside a rule" "$dir/odd" -o "$dir/odd.out"
is "what is left of it" "$("$AUDITOPT" dump "$dir/odd.out" 2>/dev/null | sed 's/ syscalls=[^ ]*//')" \
	"$(printf '%s\n' DELETE_ALL 'SET mask=0x10 backlog_limit=64' 'ADD flags=4 list=exit action=always nfields=3 [path = "/etc/b"] [perm = 2] [key = "b"]' \
		'ADD flags=20 list=exit prepend action=never nfields=0')"
mkdir "$dir/rules.d"
printf -- '-w /etc/a -p w -k a\n-e 2' >"$dir/rules.d/10.rules"
printf -- '\n-a always,exit -F arch=b64 -F path=/f -F perm=w -k f\n-a always,exit -F arch=b32 -F path=/f -F perm=w -k f\n' >"$dir/rules.d/20.rules"
run 0 "a rules.d directory" "$dir/rules.d" -o "$dir/d.out"
is "it is merged, reduced, and locked last" "$(grep -v '^#' "$dir/d.out" | grep .)" \
	"$(printf '%s\n' '-w /etc/a -p w -k a' '-a always,exit -F path=/f -F perm=w -F key=f' '-e 2')"

# ---- shipped sets ----------------------------------------------------------------------------------------------------------

while read -r set most; do
	run 0 "$set" "$root/rules/$set.rules" -o "$dir/s" --json "$dir/s.json"
	holds "$set: proved, fewer rules, at most $most on the exit list" "$dir/s.json" \
		"\$j->{proof}{verdict} eq 'equal' && \$j->{rules_out} < \$j->{rules_in} && \$j->{exit_list_out} <= $most"
done <<'SETS'
pci-dss-v3.1 14
stig 17
cis 25
ospp-main 4
ospp 56
SETS

# ---- the corpus ---------------------------------------------------------------------------------------------------------------

if [ ! -d "$corpus/rules" ]; then
	skip_corpus "the corpus"
	finish
	exit
fi
for file in "$corpus"/rules/*.rules "$corpus"/generated/*/audit.rules; do
	name=${file#"$corpus"/}
	{ echo -c; cat "$file"; } >"$dir/c"
	: >"$dir/c.out"
	"$AUDITOPT" optimize --passwd "$accounts/passwd" --group "$accounts/group" "$dir/c" -o "$dir/c.out" --json "$dir/c.json" >"$dir/out" 2>"$dir/err"
	is "$name: status" $? 0
	is "$name: proved, and not more rules" "$(json "$dir/c.json" '$j->{proof}{verdict}, $j->{rules_out} <= $j->{rules_in} ? "less" : "more"')" \
		"equal less"
	is "$name: read back" "$(rules_of "$dir/c.out")" "$(json "$dir/c.json" '$j->{rules_out}')"
done
finish
