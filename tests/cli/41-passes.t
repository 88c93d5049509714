#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/optimize: a rules text, the rules expected of it, and options; `keep-*' must be left as they are.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"

for in in "$root"/tests/optimize/*.in; do
	name=$(basename "$in" .in)
	args=()
	[ ! -f "${in%.in}.args" ] || read -ra args <"${in%.in}.args"
	"$AUDITOPT" optimize --dirs "$root/tests/optimize/dirs" "${args[@]}" "$in" -o "$dir/out" --json "$dir/json" >"$dir/text" 2>&1
	is "$name: status" $? 0
	is "$name" "$(grep -v '^#' "$dir/out")" "$(cat "${in%.in}.out")"
	case $name in
	keep-*) holds "$name: no change" "$dir/json" '!@{$j->{changes}}' ;;
	*) holds "$name: a change with a proof or a loss" "$dir/json" \
		'@{$j->{changes}} && !grep { $_->{proof}{verdict} ne "equal" && $_->{kind} ne "loss" } @{$j->{changes}}' ;;
	esac
done

# Short circuits: which calls they hold changes with the tables; where they stand and what is proved does not.
while read -r level options; do
	# shellcheck disable=SC2086 # a list of words
	"$AUDITOPT" optimize $options "$root/rules/pci-dss-v3.1.rules" -o "$dir/out" --json "$dir/json" >"$dir/text" 2>&1
	is "$options: status" $? 0
	case $(grep -m 1 '^-[aAw]' "$dir/out") in
	"-a never,exit"*) ok 0 "$options: a never rule comes first" ;;
	*) ok 1 "$options: a never rule comes first" "$dir/out" ;;
	esac
	is "$options: proved" "$(json "$dir/json" '$j->{proof}{verdict}, $j->{proof}{level}')" "equal $level"
	holds "$options: the witness points at no rule of the input" "$dir/json" \
		'!grep { ($_->{proof}{witness}{after} // "") =~ /silences it \(/ && $_->{proof}{witness}{after} !~ /\(the new one\)/ } @{$j->{changes}}'
done <<'CASES'
E1 --allow avc-companions
E3 --assume no-mac
CASES
finish
