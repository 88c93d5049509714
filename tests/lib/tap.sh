# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by tests: TAP lines, a directory of its own in $dir that goes with the test, the root of the sources in $root.
# shellcheck shell=bash
: "${AUDITOPT:=build/auditopt}"
case $AUDITOPT in
/*) ;;
*) AUDITOPT=$PWD/$AUDITOPT ;;
esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
corpus=${AUDITOPT_CORPUS:-$root/../shared/corpus}
dir=$(mktemp -d) || { echo 'Bail out! no temporary directory'; exit 1; }
trap 'rm -rf "$dir"' EXIT
n=0

ok() { # STATUS NAME [FILE shown when it failed]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		[ -z "${3:-}" ] || head -n 20 "$3" | sed 's/^/# /'
	fi
}

is() { # NAME GOT WANTED
	[ "$2" = "$3" ]
	ok $? "$1"
	[ "$2" = "$3" ] || printf 'got:    %s\nwanted: %s\n' "$2" "$3" | sed 's/^/# /'
}

# What make installs is there when make check runs the tests: then nothing but the corpus, which is not part of the sources,
# may be missing. AUDITOPT_MUST is set by make.
skip() { # NAME REASON
	[ -z "${AUDITOPT_MUST:-}" ] || { ok 1 "$1: $2"; return; }
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

skip_all() { # REASON: before the first test
	if [ -n "${AUDITOPT_MUST:-}" ]; then
		echo "Bail out! $1"
		exit 1
	fi
	echo "1..0 # SKIP $1"
	exit 0
}

skip_corpus() { # NAME
	n=$((n + 1))
	echo "ok $n - $1 # SKIP no corpus at $corpus"
}

json() { # FILE EXPRESSION: see json.pl; what goes wrong is in the value
	perl "$root/tests/lib/json.pl" "$1" "$2" 2>&1
}

holds() { # NAME FILE EXPRESSION: true of the JSON; the file's figures are worth showing in the name
	local value
	value=$(json "$2" "(do { $3 }) ? 1 : 0")
	[ "$value" = 1 ]
	ok $? "$1"
	[ "$value" = 1 ] || printf '# %s: %s\n' "$3" "$value"
}

finish() {
	echo "1..$n"
}
