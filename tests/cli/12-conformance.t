#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The real auditctl under a fake netlink against this program: same requests, same failed lines.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"
auditctl=${AUDITOPT_AUDITCTL:-$root/build/lab/auditctl}

[ -x "$auditctl" ] || skip_all "no auditctl at $auditctl (see make deps)"
LD_LIBRARY_PATH=$(dirname "$auditctl")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} # libauparse lies beside it
export LD_LIBRARY_PATH
[ "$(id -u)" = 0 ] || skip_all "auditctl loads rules for root only"
"$auditctl" -v 2>/dev/null | grep -q 'version 3\.0\.9$' || skip_all "auditctl is not version 3.0.9"

cc=${CC:-cc}
conform=$root/tests/conformance
$cc -O1 -D_GNU_SOURCE -shared -fPIC -o "$dir/fakenl.so" "$conform/fakenl.c" &&
	$cc -std=gnu11 -O1 -D_GNU_SOURCE -I"$root/src" -o "$dir/conform" "$conform"/{conform,sides,grind,generate}.c \
		"$root"/src/base/*.c "$root"/src/lang/*.c -laudit -lmd -ljansson || { echo "Bail out! cannot compile"; exit 1; }

shopt -s nullglob
files=("$root"/rules/*.rules "$corpus"/rules/*.rules "$corpus"/generated/*/audit.rules)
[ -d "$corpus" ] || echo "# no corpus at $corpus: only the cases and the shipped rules are compared"
mkdir "$dir/work"
# AUDITOPT_GENERATE: how many lines are made at random, and from which seed.
read -r lines seed <<<"${AUDITOPT_GENERATE:-20000 1}"
"$dir/conform" "$auditctl" "$dir/fakenl.so" "$dir/work" --cases "$conform/cases.rules-list" "${files[@]}" --generate "$lines" "$seed"
