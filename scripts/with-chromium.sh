#!/usr/bin/env bash
# Makes sure that Chromium is installed, and runs a command.
#
#   scripts/with-chromium.sh COMMAND [ARGUMENT...]
#
# COMMAND finds the browser in PATH. The script exits with the status of COMMAND.
#
# Chromium is installed if it is missing and the script may do so (root, apt-get). If that is
# not possible, the script prints a warning and runs COMMAND anyway. With CI=true it fails
# instead, so that a successful run always includes browser tests.
set -euo pipefail

if [[ $# -eq 0 ]]; then
	echo "usage: ${0##*/} COMMAND [ARGUMENT...]" >&2
	exit 2
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { echo "${0##*/}: $*" >&2; }

# have_chromium succeeds if one of the builds that the service looks for is installed.
have_chromium() {
	local name
	for name in chromium-headless-shell chrome-headless-shell chromium chromium-browser google-chrome; do
		if command -v "$name" >/dev/null; then return; fi
	done
	return 1
}

if ! have_chromium; then
	"$here/apt-install.sh" chromium-headless-shell || true
fi
if ! have_chromium; then
	if [[ ${CI:-} == true ]]; then
		say "Chromium is missing, and CI requires it"
		exit 1
	fi
	say "WARNING: Chromium is missing: browser visits are NOT tested"
fi
exec "$@"
