#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --auditctl, --kernel and --machine: what they name decides how a line is read and what is refused.
. "$(dirname "$0")/../lib/tap.sh"
cd "$dir" || exit 1

mask() { # OPTIONS FILE: the calls that are sent
	"$AUDITOPT" dump "$@" 2>>err | sed -n 's/.*syscalls=\([^ ]*\) .*/\1/p'
}

codes() { # OPTIONS FILE: the findings that depend on a target, and the exit status
	local status
	"$AUDITOPT" check --no-host --brief --only AR050,AR070,AR300,AR301,AR302,AR303,AR304,AR305,AR306,AR307,AR308,AR048 "$@" >out 2>>err
	status=$?
	echo "$(sed -n 's/^[^ ].*\[\(AR[0-9]*\)\]$/\1/p' out | sort -u | tr '\n' ' ')$status"
}

# ---- the options themselves

for command in check dump cost optimize; do
	"$AUDITOPT" $command --help >help
	is "$command has both options" "$(grep -c -e '^  --auditctl N ' -e '^  --kernel N ' help)" 2
done
printf '%s\n' '-a always,exit -F arch=b64 -F path=/etc/x -F perm=x -k k' >perm.rules
for wrong in '--auditctl 5.0' '--auditctl 3' '--auditctl 4.0.6' '--kernel 6' '--kernel 2.6.31' '--kernel 8.0' '--kernel 6.1x' '--machine pdp11'; do
	for command in check dump cost; do
		# shellcheck disable=SC2086
		"$AUDITOPT" $command $wrong perm.rules >out 2>err
		is "$command $wrong" "$? $(wc -l <out) $(grep -c "^auditopt: unknown .*: expected " err)" '2 0 1'
	done
done
for right in '--auditctl 3.0' '--auditctl 3.1.5' '--auditctl 4.2' '--kernel 2.6.32' '--kernel 4.18.0-553.el8_10.x86_64' '--kernel 6.12.9-amd64' '--kernel 7.0'; do
	# shellcheck disable=SC2086
	"$AUDITOPT" dump $right perm.rules >out 2>err
	is "dump $right" "$? $(wc -l <out)" '0 1'
done

# ---- releases

is 'perm names no calls to 3.0' "$(mask perm.rules)" all
is 'nor to 3.1.2' "$(mask --auditctl 3.1.2 perm.rules)" all
is 'but to 3.1' "$(mask --auditctl 3.1 perm.rules)" 59
is 'and one more to 4.2' "$(mask --auditctl 4.2 perm.rules)" 59,322
is 'the call that is lost is told' "$(codes --auditctl 4.1 perm.rules)" 'AR300 1'
ok "$(grep -q 'perm=x leaves the rule only the calls of auditctl.s own table: execveat go unrecorded' out; echo $?)" 'by name' out
is 'nothing of it by default' "$(codes perm.rules)" 0

printf '%s\n' '-a always,io_uring -S openat,56 -k ring' >ring.rules
is 'no io_uring list in 3.0' "$(codes ring.rules)" 'AR304 2'
ok "$(grep -q 'auditctl 3\.0\.9 does not know the list' out; echo $?)" 'said of the release in force' out
is 'it is there in 3.1' "$(codes --auditctl 3.1 ring.rules) $(mask --auditctl 3.1 ring.rules)" '0 18,56'
is 'but not on 5.15' "$(codes --auditctl 3.1 --kernel 5.15 ring.rules)" 'AR307 2'

printf '%s\n' '-a always,exit -F arch=b64 -S fchmodat2 -k k' >new.rules
is 'a name too new' "$(codes new.rules)" 'AR305 2'
ok "$(grep -q 'auditctl 3\.0\.9 has no name for fchmodat2: expected its number, 452 ' out; echo $?)" 'with its number' out
is 'known later' "$(codes --auditctl 4.0 new.rules) $(mask --auditctl 4.0 new.rules)" '0 452'

printf '%s\n' '-A always,exit -F arch=b64 -S mount -k k' >front.rules
is '-A deletes in 4.0.4' "$("$AUDITOPT" dump --auditctl 4.0.4 front.rules 2>err | cut -d' ' -f1)" DEL
is 'and is told' "$(codes --auditctl 4.0.4 front.rules)" 'AR301 1'
is 'not in 4.1.1' "$("$AUDITOPT" dump --auditctl 4.1.1 front.rules 2>err | cut -d' ' -f1)" ADD

printf '%s\n' '-S open -w /etc/x -p wa' >watch.rules
is 'a watch behind -S' "$(codes watch.rules)" 0
is 'refused from 4.1.2 on' "$(codes --auditctl 4.1.2 watch.rules)" 'AR303 2'

printf '%s\n' '-a always,foo -S 1' >foo.rules
is 'an unknown list is sent on from 3.1 on' "$(codes --auditctl 3.1 foo.rules) $("$AUDITOPT" dump --auditctl 3.1 foo.rules 2>err | grep -o 'flags=[0-9]*')" \
	'AR070 2 flags=4294967295'

# ---- kernels

printf '%s\n' '-a always,exit -F arch=b64 -S connect -F saddr_fam=2 -k k' >saddr.rules
is 'saddr_fam on 5.2' "$(codes --kernel 5.2 saddr.rules)" 'AR306 2'
is 'on 5.3' "$(codes --kernel 5.3 saddr.rules)" 0
is 'on the 4.18 of RHEL 8, which has it' "$(codes --kernel 4.18.0-553.el8_10.x86_64 saddr.rules)" 0
is 'on 4.18' "$(codes --kernel 4.18 saddr.rules)" 'AR306 2'
printf '%s\n' '-a never,filesystem -F fstype=tracefs' >fs.rules
is 'the filesystem list on 4.14' "$(codes --kernel 4.14 fs.rules)" 'AR307 2'
is 'on 4.15' "$(codes --kernel 4.15 fs.rules)" 0
printf '%s\n' '-i' '-a always,exit -F arch=b64 -S connect -F saddr_fam=2 -k k' >ignore.rules
is 'with -i the load goes on' "$(codes --kernel 5.2 ignore.rules)" 'AR306 1'

# ---- machines

printf '%s\n' '-a always,exit -F arch=b64 -S open,openat -F exit=-EACCES -k k' >arm.rules
is 'open is missing on aarch64' "$(codes --machine aarch64 arm.rules)" 'AR308 2'
ok "$(grep -q 'aarch64 has no open, it has openat' out; echo $?)" 'and what there is instead' out
is 'not on s390x' "$(codes --machine s390x arm.rules)" 0
sed 's/b64/b32/' arm.rules >b32.rules
is 'the 32 bit side of aarch64 has it' "$(codes --machine aarch64 b32.rules)" 0
is 'ppc64le has no 32 bit side' "$(codes --machine ppc64le b32.rules)" 'AR048 2'
sed 's/b64/riscv64/' arm.rules >riscv.rules
is 'riscv is not known' "$(codes --auditctl 4.1 riscv.rules)" 'AR048 2'
ok "$(grep -q 'unknown architecture .riscv64.*(auditctl 4\.0\.3 and later can be built to know riscv)' out; echo $?)" 'with a word on who knows it' out
sed 's/perm=x/perm=wa/' perm.rules >wa.rules
is 'perm fails there in 4.0.2' "$(codes --machine aarch64 --auditctl 4.0.2 wa.rules)" 'AR308 2'
ok "$(grep -q 'auditctl 4\.0\.2 adds rename for this perm, which aarch64 does not have' out; echo $?)" 'for a call of its own' out
is 'not in 4.0.4' "$(codes --machine aarch64 --auditctl 4.0.4 wa.rules)" 0
is 'nor in 3.0' "$(codes --machine aarch64 wa.rules)" 0
printf '%s\n' '-a always,exit -F arch=b64 -S openat -F path!=/etc/x -k k' >refused.rules
is 'the kernel refuses on every machine' "$(codes --machine aarch64 refused.rules)" 'AR070 2'
for command in cost optimize; do
	"$AUDITOPT" $command --machine aarch64 perm.rules ${command/cost/} >out 2>err
	is "$command models one machine" "$?" 2
done

# ---- what is written for a release reads alike under it

for release in 3.0 3.1 4.1 4.2; do
	for rules in stig ospp-main cis; do
		"$AUDITOPT" optimize --auditctl $release "$root/rules/$rules.rules" -o small.rules >out 2>err
		status=$?
		"$AUDITOPT" dump --auditctl $release small.rules >dump 2>>err
		is "optimize $rules for $release" "$status $? $(sed -n 's/^# rules: .* \([0-9]*\) out; for .*/\1/p' small.rules)" \
			"0 0 $(grep -c ^ADD dump)"
		rm -f small.rules small.rules.rollback
	done
done
printf '%s\n' '-a always,exit -F arch=b64 -S mount -F subj_type>a -k a' '-a always,exit -F arch=b64 -S mount -F uid=3 -k b' \
	'-a always,exit -F arch=b64 -S mount -F uid=3 -k c' >loose.rules
"$AUDITOPT" optimize --kernel 5.2 loose.rules -o small.rules >out 2>err
is 'what an older kernel takes is reduced for it' "$? $(sed -n 's/^# rules: \(.* out\);.*/\1/p' small.rules)" '0 3 in, 2 out'
rm -f small.rules small.rules.rollback
printf '%s\n' '-a always,exit -F arch=b64 -S mount -F uid=10 -F key=abcdefghij' \
	'-a always,exit -F arch=b32 -S mount -F uid=10 -F key=abcdefghij' >equal.rules
"$AUDITOPT" optimize equal.rules -o small.rules >out 2>err
is 'a text as long as a number is big' $? 0

finish
