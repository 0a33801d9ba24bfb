#!/usr/bin/env bash
# Runs a command with a temporary PostgreSQL server.
#
#   scripts/with-postgres.sh COMMAND [ARGUMENT...]
#
# EARSHOT_TEST_POSTGRES has the server's address for COMMAND. The script exits with the status
# of COMMAND. The server listens on a free port of 127.0.0.1 and is deleted afterwards. If the
# variable is already set, that database is used and nothing is started.
#
# If EARSHOT_BENCH_SLOW_SYNC is set, the script sets it to the name of a file for COMMAND. While
# that file exists, every fsync of the server takes 2 ms longer.
#
# PostgreSQL is installed if it is missing and the script may do so (root, apt-get). If that is
# not possible, the script prints a warning and runs COMMAND without the variable. With CI=true
# it fails instead, so that a successful run always covers both databases.
set -euo pipefail

oldest=14 # the oldest PostgreSQL that Earshot supports

if [[ $# -eq 0 ]]; then
	echo "usage: ${0##*/} COMMAND [ARGUMENT...]" >&2
	exit 2
fi
if [[ -n ${EARSHOT_TEST_POSTGRES:-} ]]; then
	exec "$@"
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/postgres.bash
. "$here/postgres.bash"

# major DIR prints the major version of the server in DIR, or 0 if there is no server.
major() {
	local text=""
	if [[ -x $1/initdb && -x $1/pg_ctl ]]; then
		text=$("$1/initdb" --version 2>/dev/null || true) # initdb (PostgreSQL) 16.4
	fi
	if [[ $text =~ \)\ ([0-9]+) ]]; then echo "${BASH_REMATCH[1]}"; else echo 0; fi
}

# find_server prints the folder of a usable server: the server in PATH, or else the newest.
find_server() {
	local dir version best=0 found=""
	if dir=$(command -v initdb); then
		dir=$(dirname "$dir")
		[[ $(major "$dir") -lt $oldest ]] || { echo "$dir"; return; }
	fi
	for dir in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/libexec/postgresql*/ \
		/usr/local/pgsql/bin /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin; do
		version=$(major "$dir")
		if [[ $version -ge $oldest && $version -gt $best ]]; then
			best=$version found=$dir
		fi
	done
	echo "$found"
}

bin=$(find_server)
if [[ -z $bin ]]; then
	"$here/apt-install.sh" postgresql || true
	bin=$(find_server)
fi
if [[ -z $bin ]]; then
	if [[ ${CI:-} == true ]]; then
		say "PostgreSQL $oldest or later is missing, and CI requires it"
		exit 1
	fi
	say "WARNING: PostgreSQL $oldest or later is missing: PostgreSQL is NOT tested"
	exec "$@"
fi

new_folder "${TMPDIR:-/tmp}" || new_folder /tmp
new_server data <<<"shared_buffers = 256MB"
if [[ -n ${EARSHOT_BENCH_SLOW_SYNC:-} ]]; then
	export EARSHOT_BENCH_SLOW_SYNC=$dir/slow
	cc -O2 -shared -fPIC -o "$dir/slowsync.so" "$here/slowsync.c" -ldl
	server_environment=(LD_PRELOAD="$dir/slowsync.so" SLOW_SYNC_FILE="$EARSHOT_BENCH_SLOW_SYNC")
fi
start_server data

export EARSHOT_TEST_POSTGRES="postgres://earshot@127.0.0.1:$port/postgres?sslmode=disable"
run "$@"
