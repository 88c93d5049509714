#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The real auditctl under a fake netlink against this program: same requests, same failed lines.
here=$(cd "$(dirname "$0")/../.." && pwd)
auditctl=${AUDITOPT_AUDITCTL:-$here/build/lab/auditctl}
corpus=${AUDITOPT_CORPUS:-$here/../shared/corpus}

skip() { echo "1..0 # SKIP $1"; exit 0; }
[ -x "$auditctl" ] || skip "no auditctl at $auditctl (see make deps)"
export LD_LIBRARY_PATH=$(dirname "$auditctl")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}    # libauparse lies beside it
[ "$(id -u)" = 0 ] || skip "auditctl loads rules for root only"
"$auditctl" -v 2>/dev/null | grep -q 'version 3\.0\.9$' || skip "auditctl is not version 3.0.9"

dir=$(mktemp -d) || { echo "Bail out! no temporary directory"; exit 1; }
trap 'rm -rf "$dir"' EXIT
cc=${CC:-cc}
$cc -O1 -D_GNU_SOURCE -shared -fPIC -o "$dir/fakenl.so" "$here/tests/conformance/fakenl.c" &&
	$cc -std=gnu11 -O1 -D_GNU_SOURCE -I"$here/src" -o "$dir/conform" "$here/tests/conformance/conform.c" \
		"$here"/src/base/*.c "$here"/src/lang/*.c -laudit -lmd -ljansson || { echo "Bail out! cannot compile"; exit 1; }

shopt -s nullglob
files=("$here"/rules/*.rules "$corpus"/rules/*.rules "$corpus"/generated/*/audit.rules)
[ -d "$corpus" ] || echo "# no corpus at $corpus: only the cases and the shipped rules are compared"
mkdir "$dir/work"
"$dir/conform" "$auditctl" "$dir/fakenl.so" "$dir/work" --cases "$here/tests/conformance/cases.rules-list" "${files[@]}"
