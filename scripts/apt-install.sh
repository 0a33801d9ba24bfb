#!/usr/bin/env bash
# Installs Debian packages if it runs as root on a system with apt-get. Otherwise it names
# the missing packages and fails; the caller decides what to do.
#
#   scripts/apt-install.sh PACKAGE...
#   scripts/apt-install.sh --file PATH PACKAGE
#
# With --file, it copies one program of a package to bin/ and installs nothing: for packages
# that would also start a service.
set -euo pipefail

if [[ $1 == --file ]]; then
	bin=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/bin
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	cd "$dir"
	echo "${0##*/}: copying $2 of $3 to bin" >&2
	if ! { apt-get download "$3" || { apt-get update && apt-get download "$3"; }; } >log 2>&1; then
		cat log >&2
		exit 1
	fi
	dpkg-deb --extract ./*.deb .
	install -D "$2" "$bin/${2##*/}"
	exit
fi

if [[ $(id -u) -ne 0 ]] || ! command -v apt-get >/dev/null; then
	echo "${0##*/}: cannot install $* here (needs root and apt-get); please install it yourself" >&2
	exit 1
fi

log=$(mktemp)
no_cluster=/etc/postgresql-common/createcluster.d/earshot-install.conf
trap 'rm -f "$log" "$no_cluster"' EXIT

# The package of the PostgreSQL server would create and start a cluster on port 5432. This
# is disabled during the installation.
if [[ " $* " == *" postgresql "* ]]; then
	mkdir -p "${no_cluster%/*}"
	echo "create_main_cluster = false" >"$no_cluster"
fi

echo "${0##*/}: installing $* (waits up to 60 s for another installation)" >&2
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update && apt-get install -y -o DPkg::Lock::Timeout=60 --no-install-recommends "$@"; } >"$log" 2>&1; then
	cat "$log" >&2
	exit 1
fi
