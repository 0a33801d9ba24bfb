#!/usr/bin/env bash
# Runs a command that needs the dashboard's libraries or the TypeScript compiler.
#
#   scripts/with-node-modules.sh COMMAND [ARGUMENT...]
#
# They come from the npm registry, in the versions of package-lock.json, into an
# ignored node_modules. Node and npm are installed if they are missing and we may
# (root, apt-get). Where that fails, a warning says that the command did not run;
# with CI=true that is an error.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
web=$here/../internal/api/dashboard/web
say() { echo "${0##*/}: $*" >&2; }

have_npm() { command -v node >/dev/null && command -v npm >/dev/null; }

# npm writes the lock file of what it installed into node_modules. It is older than
# the one of the repository when the versions changed since.
installed=$web/node_modules/.package-lock.json
if [[ ! -e $installed || $web/package-lock.json -nt $installed ]]; then
	have_npm || "$here/apt-install.sh" nodejs npm || true
	if ! have_npm || ! npm ci --prefix "$web" --no-audit --no-fund --ignore-scripts --loglevel=error >/dev/null; then
		if [[ ${CI:-} == true ]]; then
			say "the dashboard's libraries cannot be had, and CI must not go without"
			exit 1
		fi
		say "WARNING: the dashboard's libraries cannot be had: this did NOT run: $*"
		exit 0
	fi
fi
exec "$@"
