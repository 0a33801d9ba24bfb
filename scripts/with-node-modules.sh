#!/usr/bin/env bash
# Runs a command that needs the dashboard's libraries or the TypeScript compiler.
#
#   scripts/with-node-modules.sh COMMAND [ARGUMENT...]
#
# npm installs them from its registry, in the versions of package-lock.json, into node_modules,
# which git ignores. Node and npm are installed if they are missing and the script may do so
# (root, apt-get). If that fails, the script prints a warning and does not run COMMAND; with
# CI=true it fails.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
web=$here/../internal/api/dashboard/web
say() { echo "${0##*/}: $*" >&2; }

have_npm() { command -v node >/dev/null && command -v npm >/dev/null; }

# npm writes a lock file into node_modules when it installs. If that file is older than
# package-lock.json, the versions may have changed.
installed=$web/node_modules/.package-lock.json
if [[ ! -e $installed || $web/package-lock.json -nt $installed ]]; then
	have_npm || "$here/apt-install.sh" nodejs npm || true
	if ! have_npm || ! npm ci --prefix "$web" --no-audit --no-fund --ignore-scripts --loglevel=error >/dev/null; then
		if [[ ${CI:-} == true ]]; then
			say "the dashboard's libraries cannot be installed, and CI requires them"
			exit 1
		fi
		say "WARNING: the dashboard's libraries cannot be installed: this did NOT run: $*"
		exit 0
	fi
fi
exec "$@"
