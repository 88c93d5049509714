#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# deps.sh DIR: puts what the lab needs and no package may install here into DIR: a kernel (vmlinuz, kernel-release) and
# the real auditctl and augenrules with libauparse. The packages are downloaded and unpacked, never installed: auditd
# would start its daemon, and a kernel package would touch the boot loader.
set -eu

usage() {
	echo "usage: deps.sh DIR" >&2
	exit 2
}

die() {
	echo "deps.sh: $*" >&2
	exit 2
}

if [ $# -ne 1 ] || [ -z "$1" ]; then
	usage
fi
dest=$1
tmp=

clean() {
	[ -z "$tmp" ] || rm -rf -- "$tmp"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

for tool in apt-cache apt-get dpkg-deb tar; do
	command -v "$tool" >/dev/null || die "$tool is missing: this needs a Debian system"
done
mkdir -p -- "$dest" || die "cannot create $dest"
dest=$(cd -- "$dest" && pwd)

# A package is known once apt-cache can name a version of it.
known() {
	apt-cache show --no-all-versions "$1" >/dev/null 2>&1
}

updated=
refresh() {
	[ -z "$updated" ] || return 0
	updated=yes
	echo "deps.sh: reading the package lists" >&2
	apt-get -qq update || die "apt-get update failed"
}

# Downloads package $1 into a directory of its own, prints the file's name. A list that is out of date names a version
# the mirror has dropped, so one failure is answered by reading the lists again.
download() {
	mkdir -p -- "$tmp/$1"
	known "$1" || refresh
	known "$1" || die "no package $1 in the package lists"
	fetch "$1" || { refresh; fetch "$1"; } || die "cannot download $1"
	for deb in "$tmp/$1"/*.deb; do
		[ -f "$deb" ] || die "no file came for $1"
		echo "$deb"
		return 0
	done
}

# apt drops its rights to user _apt when it can; without that user, or in a directory closed to it, it only warns.
fetch() {
	echo "deps.sh: downloading $1" >&2
	(cd -- "$tmp/$1" && apt-get -qq -o APT::Sandbox::User=root download "$1" >&2)
}

# The meta package depends on the newest kernel image.
kernel_package() {
	known linux-image-cloud-amd64 || refresh
	apt-cache depends --important linux-image-cloud-amd64 |
		sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1
}

new_tmp() {
	[ -n "$tmp" ] || tmp=$(mktemp -d -- "$dest/.deps.XXXXXX")
}

# Moves the unpacked $2 to $dest/$3 in one step.
place() {
	chmod "$1" "$2"
	mv -f -- "$2" "$dest/$3"
}

get_kernel() {
	package=$(kernel_package)
	[ -n "$package" ] || { refresh; package=$(kernel_package); }
	[ -n "$package" ] || die "linux-image-cloud-amd64 names no kernel package"
	deb=$(download "$package")
	release=${package#linux-image-}
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$tmp" "./boot/vmlinuz-$release" ||
		die "no boot/vmlinuz-$release in $package"
	echo "$release" >"$tmp/kernel-release"
	place 644 "$tmp/kernel-release" kernel-release
	place 644 "$tmp/boot/vmlinuz-$release" vmlinuz
}

get_auditctl() {
	deb=$(download libauparse0)
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$tmp" --wildcards '*/libauparse.so.0*' ||
		die "no library in libauparse0"
	real=$(find "$tmp" -type f -name 'libauparse.so.0*' | head -n 1)
	[ -n "$real" ] || die "no libauparse.so.0 in libauparse0"
	place 644 "$real" libauparse.so.0
	deb=$(download auditd)
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$tmp" --wildcards '*sbin/auditctl' '*sbin/augenrules' ||
		die "no auditctl in auditd"
	for name in augenrules auditctl; do
		real=$(find "$tmp" -type f -path "*sbin/$name" | head -n 1)
		[ -n "$real" ] || die "no $name in auditd"
		place 755 "$real" "$name"
	done
}

if ! [ -s "$dest/vmlinuz" ] || ! [ -s "$dest/kernel-release" ]; then
	new_tmp
	get_kernel
fi
if ! [ -x "$dest/auditctl" ] || ! [ -x "$dest/augenrules" ] || ! [ -s "$dest/libauparse.so.0" ]; then
	new_tmp
	get_auditctl
fi
echo "deps.sh: $dest has vmlinuz ($(cat "$dest/kernel-release")), auditctl and augenrules"
