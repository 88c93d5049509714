#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# auditopt cost: what it prints for small sets, in which order, and what it refuses.

: "${AUDITOPT:=build/auditopt}"
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0

ok() { # NAME, status of the test just made
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		head -n 30 "$dir/out" "$dir/err" 2>/dev/null | sed 's/^/# /'
	fi
}

is() { # NAME, got, expected
	[ "$2" = "$3" ]
	ok "$1" $?
	[ "$2" = "$3" ] || printf '# got: %s\n# expected: %s\n' "$2" "$3"
}

cost() { # runs it; status in $status
	"$AUDITOPT" cost --machine x86_64 --dirs "$dir/dirs" "$@" >"$dir/out" 2>"$dir/err"
	status=$?
}

json() { # a value of the last output, by a Perl expression on $j
	perl "$root/tests/lib/json.pl" "$dir/out" "$1" 2>&1
}

echo /etc/audit >"$dir/dirs"
cat >"$dir/a.rules" <<'RULES'
# a comment
-D
-a always,exit -F arch=b64 -S acct -k acct
-w /etc/passwd -p wa -k passwd
-w /etc/audit -p wa -k conf
-a always,exclude -F msgtype=CWD
-a always,exit -F arch=b64 -S openat -F exit=-EACCES -F auid>=1000 -F auid!=unset -k access
RULES

# ---- JSON -----------------------------------------------------------------------------------------------------

cost --format json "$dir/a.rules"
is "a readable set is clean" $status 0
is "it is JSON with its schema" "$(json '$j->{schema}')" auditopt-cost/1
is "nothing is claimed to be measured; the model says its kernel" \
	"$(json '$j->{model}{measured} ? 1 : 0, $j->{model}{kernel} =~ /6\.1/')" "0 1"
is "keys of the report, in order" "$(sed -n 's/^  "\([a-z]*\)":.*/\1/p' "$dir/out" | paste -sd ' ')" \
	"schema source model summary rules calls"
is "rules by list" "$(json '@{$j->{summary}{lists}}{qw(exit hash exclude task)}')" "3 1 1 0"
is "one rule is tried on every call, a dir rule" \
	"$(json '@{$j->{summary}}{qw(full_mask full_mask_dirs)}')" "1 1"
is "the full-mask dir rule is the dearest; where it stands; it is in the mask of all calls" \
	"$(json '@{$j->{rules}[0]}{qw(text line)}, $j->{rules}[0]{all_calls} ? 1 : 0')" "-w /etc/audit -p wa -k conf 5 1"
is "means fall" "$(json 'my @m = map { $_->{mean} } @{$j->{rules}};
	scalar(@m), "@m" eq join(" ", sort { $b <=> $a } @m) ? 1 : 0')" "5 1"
is "rules off the exit list add nothing to a call without names" \
	"$(json 'map { $_->{unnamed} + 0 } grep { $_->{list} ne "exit" } @{$j->{rules}}')" "0 0"
is "a rule for one call adds 19 to others" \
	"$(json 'map { $_->{unnamed} + 0 } pick($j->{rules}, calls => 1)')" "19 19"
# 315 + 162 + 353 for any rule, 1 for a list, 104 for the directory, 2 x 19 for what misses
is "a call no rule names costs the sum; its ratio is to one rule" \
	"$(json 'map { $_ + 0 } @{$j->{summary}{unnamed}{auid_unset}}{qw(instructions ratio)}')" "973 1.17"
is "the summary shows five more calls" "$(json 'map { $_->{call} } @{$j->{summary}{calls}}')" \
	"openat unlinkat execve clone read"
is "five profiles" "$(json 'scalar keys %{$j->{summary}{profiles}}')" 5
is "calls named by rules are there" "$(json 'my %c = map { $_->{call} => 1 } @{$j->{calls}};
	map { $c{$_} || 0 } qw(acct openat futex)')" "1 1 1"
is "the dearest rule of openat is the one that names it" \
	"$(json 'map { $_->{dearest}[0]{line} } pick($j->{calls}, call => "openat")')" 7
is "no more than three dearest rules" "$(json 'my ($m) = sort { $b <=> $a } map { scalar @{$_->{dearest}} } @{$j->{calls}}; $m')" 3
is "acct is recorded" "$(json 'map { $_->{auid_1000}{recorded} ? 1 : 0 } pick($j->{calls}, call => "acct")')" 1

cost --format json --top 1 --call acct "$dir/a.rules"
is "--call and --top limit the tables" "$(json 'scalar @{$j->{rules}}, map { $_->{abi} } @{$j->{calls}}')" "1 b64"

# ---- states ---------------------------------------------------------------------------------------------------

: >"$dir/none.rules"
cost --format json "$dir/none.rules"
is "no rules: a context, nothing more" "$(json '$j->{summary}{unnamed}{auid_1000}{instructions} + 0')" 477

{ cat "$dir/a.rules" && echo '-a never,task -F auid=unset'; } >"$dir/task.rules"
cost --format json "$dir/task.rules"
is "never,task exempts who it matches" "$(json 'map { $j->{summary}{unnamed}{$_}{instructions} + 0 }
	qw(auid_unset auid_1000)')" "315 973"

{ echo '-a never,exit -F auid=unset' && cat "$dir/a.rules"; } >"$dir/never.rules"
sed -i '/^-D/d' "$dir/never.rules"
cost --format json "$dir/never.rules"
is "a never rule in front ends the walk for who it matches" \
	"$(json 'my $u = $j->{summary}{unnamed}; $u->{auid_unset}{instructions} < 973 && 973 < $u->{auid_1000}{instructions} ? 1 : 0')" 1
is "rules behind it add nothing for services" "$(json 'map { $_->{profiles}{database} + 0 }
	grep { $_->{list} eq "exit" && $_->{text} !~ /never/ } @{$j->{rules}}')" "0 0 0"

# ---- text -----------------------------------------------------------------------------------------------------

cost "$dir/a.rules"
is "text is clean" $status 0
grep -q 'modelled' "$dir/out"
ok "text says that it is modelled" $?
is "first rule of the table" "$(grep -A2 '^Rules by cost' "$dir/out" | sed -n 3p | tr -s ' ' | sed 's/^ //')" \
	"104.0 104.0 all exit $dir/a.rules:5 -w /etc/audit -p wa -k conf"
grep -q "^no rule's (getppid)  *973  *1.17  *973  *1.17\$" "$dir/out"
ok "the call no rule names is in the summary" $?
[ "$(grep -c $'\033' "$dir/out")" -eq 0 ] && ! grep -q ' $' "$dir/out"
ok "no colours and no blanks at line ends when not on a terminal" $?
grep -q '^acct  *b64  *1963  *1963  line 3 (155.0), line 4 (3.3)$' "$dir/out"
ok "a call with its dearest rules" $?
cost --top 2 "$dir/a.rules"
grep -q '^(3 more; --top 0 shows all)$' "$dir/out"
ok "what --top leaves out is counted" $?

# ---- calibration -----------------------------------------------------------------------------------------------

sed 's/"value": 315,/"value": 415,/' bench/calibration/debian-12-6.1-cloud-amd64.json >"$dir/other.json"
cost --format json --calibration "$dir/other.json" "$dir/none.rules"
is "another calibration gives other figures" "$(json '$j->{summary}{unnamed}{auid_1000}{instructions} + 0')" 577
is "and is named" "$(json '$j->{model}{calibration}')" "$dir/other.json"
echo '{}' >"$dir/bad.json"
cost --calibration "$dir/bad.json" "$dir/none.rules"
is "a bad calibration is refused" "$status $(cat "$dir/err")" \
	"2 auditopt: $dir/bad.json: error: expected a JSON object with schema \`auditopt-calibration/1'"

# ---- refusals --------------------------------------------------------------------------------------------------

cost --help
is "--help" "$status $(head -n 1 "$dir/out" | cut -d ' ' -f 1-3)" "0 usage: auditopt cost"
for args in "--no-such-option $dir/a.rules" "--format xml $dir/a.rules" "--top x $dir/a.rules" "" \
	"$dir/a.rules $dir/a.rules" "--call no_such_call $dir/a.rules" "$dir/missing.rules" "--machine vax $dir/a.rules"; do
	# shellcheck disable=SC2086
	cost $args
	[ $status -eq 2 ] && [ -s "$dir/err" ] && [ ! -s "$dir/out" ]
	ok "refused with status 2: ${args//$dir\//}" $?
done
echo '-a always,exit -S no_such_call' >"$dir/error.rules"
cost "$dir/error.rules"
[ $status -eq 2 ] && grep -q "^$dir/error.rules:1:[0-9]*: error: " "$dir/err" && [ ! -s "$dir/out" ]
ok "an error in the rules is reported with its place" $?

# ---- directories -----------------------------------------------------------------------------------------------

mkdir "$dir/rules.d"
echo '-w /etc/passwd -p wa' >"$dir/rules.d/10-a.rules"
printf -- '-w /etc/audit -p wa -k "\377"\n' >"$dir/rules.d/20-b.rules"
cost --format json "$dir/rules.d"
is "a directory keeps each rule's own file" "$(json '$j->{rules}[0]{file} =~ m{([^/]*)$}')" 20-b.rules

# ---- published sets against counted figures --------------------------------------------------------------------

# getppid and stat, counted in a guest with a daemon registered and auid unset: instructions of the whole call. The
# model's stat is as small as getppid, so what the two cost without audit (3217 and 315) is taken off.
counted() {
	cat <<'FIGURES'
generated/rhel8-pci-dss/audit.rules 1724 5556
generated/rhel8-stig/audit.rules 1561 5446
generated/rhel9-cis/audit.rules 2230 6183
generated/rhel9-hipaa/audit.rules 1658 5619
generated/rhel9-ospp/audit.rules 2848 6827
generated/rhel9-pci-dss/audit.rules 1887 5790
generated/rhel9-stig/audit.rules 1611 5553
generated/ubuntu2404-cis_level2_server/audit.rules 1741 5599
generated/ubuntu2404-stig/audit.rules 1627 5518
rules/audit-userspace-30-ospp-v42.rules 1784 5763
rules/audit-userspace-30-pci-dss-v31.rules 1898 5780
rules/audit-userspace-30-stig.rules 1898 5780
rules/konstruktoid-aggressive.rules 2047 5820
rules/cis-pdf-paste-audit.rules 1409 5241
rules/go-libaudit-30-nispom.rules 1391 5197
rules/vmware-photon5-STIG.rules 1021 4919
rules/nist800-171-ubuntu1604-audit.rules 1419 5386
rules/ms-mstic-research.rules 1856 5639
rules/neo23x0-audit.rules 8648 13378
FIGURES
}

corpus=${AUDITOPT_CORPUS:-../shared/corpus}
while read -r set getppid stat; do
	name="$set: getppid and stat within 1 %"
	if [ ! -d "$corpus" ]; then
		n=$((n + 1))
		echo "ok $n - $name # SKIP no corpus at $corpus"
		continue
	fi
	{ echo -c && cat "$corpus/$set"; } >"$dir/set.rules"
	# the guest had as directories what the sets write with a slash at the end, and this one
	{ echo /var/spool/cron && sed -n 's:^-w  *\([^ ]*\)/ .*:\1:p' "$dir/set.rules"; } >"$dir/dirs"
	cost --format json --call getppid --call stat "$dir/set.rules"
	got=$(json 'map { $_->{auid_unset}{instructions} } pick($j->{calls}, abi => "b64")')
	# shellcheck disable=SC2086 # two figures
	awk -v getppid="$getppid" -v stat="$stat" 'function near(x, want) { return x >= want * 0.99 && x <= want * 1.01 }
		BEGIN { exit !(ARGC == 3 && near(ARGV[1], getppid) && near(ARGV[2], stat - 3217 + 315)) }' $got
	ok "$name ($got)" $?
done < <(counted)

echo "1..$n"
