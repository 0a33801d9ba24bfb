#!/usr/bin/env bash
# Runs a command that needs the npm packages of a folder.
#
#   scripts/with-node-modules.sh FOLDER COMMAND [ARGUMENT...]
#
# npm installs them from its registry, in the versions of FOLDER/package-lock.json, into
# FOLDER/node_modules, which git ignores. Node and npm are installed if they are missing and
# the script may do so (root, apt-get). If that fails, the script prints a warning and does
# not run COMMAND; with CI=true it fails.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
shift
say() { echo "${0##*/}: $*" >&2; }

have_npm() { command -v node >/dev/null && command -v npm >/dev/null; }

# npm writes a lock file into node_modules when it installs. If that file is older than
# package-lock.json, the versions may have changed.
installed=$folder/node_modules/.package-lock.json
if [[ ! -e $installed || $folder/package-lock.json -nt $installed ]]; then
	have_npm || "$here/apt-install.sh" nodejs npm || true
	if ! have_npm || ! npm ci --prefix "$folder" --no-audit --no-fund --ignore-scripts --fetch-timeout=60000 --fetch-retries=1 --loglevel=error >/dev/null; then
		if [[ ${CI:-} == true ]]; then
			say "the npm packages of $folder cannot be installed, and CI requires them"
			exit 1
		fi
		say "WARNING: the npm packages of $folder cannot be installed: this did NOT run: $*"
		exit 0
	fi
fi
exec "$@"
