#!/usr/bin/env bash
# Runs a command on a machine that has a Chromium.
#
#   scripts/with-chromium.sh COMMAND [ARGUMENT...]
#
# COMMAND finds the browser itself, in PATH; its exit status is ours.
#
# Chromium is installed if it is missing and we may (root, apt-get). Where it
# cannot be had, COMMAND runs all the same, after a warning; with CI=true that is
# an error, so that a green run always means that pages were opened.
set -euo pipefail

if [[ $# -eq 0 ]]; then
	echo "usage: ${0##*/} COMMAND [ARGUMENT...]" >&2
	exit 2
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { echo "${0##*/}: $*" >&2; }

# have_chromium succeeds if there is one of the builds that the service looks for.
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
		say "no Chromium, and CI must not go without"
		exit 1
	fi
	say "WARNING: no Chromium: running without it, browser visits are NOT tested"
fi
exec "$@"
