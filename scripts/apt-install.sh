#!/usr/bin/env bash
# Installs Debian packages where that needs no question: as root, with apt-get.
# Anywhere else it says what is missing and fails; the caller decides what that means.
#
#   scripts/apt-install.sh PACKAGE...
set -euo pipefail

if [[ $(id -u) -ne 0 ]] || ! command -v apt-get >/dev/null; then
	echo "${0##*/}: cannot install $* here (needs root and apt-get); please install it yourself" >&2
	exit 1
fi

log=$(mktemp)
no_cluster=/etc/postgresql-common/createcluster.d/earshot-install.conf
trap 'rm -f "$log" "$no_cluster"' EXIT

# The server package would create and start a cluster on port 5432. Nobody asked
# for that one, so it is switched off for the length of this installation.
if [[ " $* " == *" postgresql "* ]]; then
	mkdir -p "${no_cluster%/*}"
	echo "create_main_cluster = false" >"$no_cluster"
fi

echo "${0##*/}: installing $*" >&2
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update && apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1; then
	cat "$log" >&2
	exit 1
fi
