#!/usr/bin/env bash
# Runs a command with a temporary Citus cluster: a coordinator and its workers.
#
#   scripts/with-citus.sh COMMAND [ARGUMENT...]
#
# EARSHOT_TEST_CITUS has the coordinator's address for COMMAND. The script exits with the
# status of COMMAND. The servers listen on free ports of 127.0.0.1 and are deleted afterwards.
# If the variable is already set, that cluster is used and nothing is started.
#
# PG_CONFIG names the PostgreSQL with Citus; the default is pg_config in PATH. If Citus is not
# installed, the script prints a warning and runs COMMAND without the variable. CITUS_WORKERS is
# the number of workers, 2 by default; there are as many shards, but at least two.
#
# Debian has no Citus package: build it as the documentation of Citus says.
set -euo pipefail

if [[ $# -eq 0 ]]; then
	echo "usage: ${0##*/} COMMAND [ARGUMENT...]" >&2
	exit 2
fi
if [[ -n ${EARSHOT_TEST_CITUS:-} ]]; then
	exec "$@"
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/postgres.bash
. "$here/postgres.bash"

config=${PG_CONFIG:-pg_config}
if ! [[ -e $("$config" --sharedir 2>/dev/null)/extension/citus.control ]]; then
	say "WARNING: Citus is not installed in the PostgreSQL of $config: Citus is NOT tested"
	exec "$@"
fi
bin=$("$config" --bindir)

new_folder "${TMPDIR:-/tmp}" || new_folder /tmp

# sql TEXT runs statements on the server at $port.
sql() { as_owner "$bin/psql" -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$port" -U earshot -d postgres -c "$1" >/dev/null; }

workers=()
count=${CITUS_WORKERS:-2}
for name in coordinator $(seq -f 'worker%g' "$count"); do
	new_server "$name" <<-END
		shared_preload_libraries = 'citus'
		citus.node_conninfo = 'sslmode=disable'
		citus.shard_count = $((count > 2 ? count : 2))
		max_prepared_transactions = 500
		wal_level = logical
		shared_buffers = 128MB
	END
	start_server "$name"
	sql "CREATE EXTENSION citus"
	if [[ $name == coordinator ]]; then coordinator=$port; else workers+=("$port"); fi
done
port=$coordinator
sql "SELECT citus_set_coordinator_host('127.0.0.1', $port)"
for worker in "${workers[@]}"; do
	sql "SELECT citus_add_node('127.0.0.1', $worker)"
done

export EARSHOT_TEST_CITUS="postgres://earshot@127.0.0.1:$coordinator/postgres?sslmode=disable"
run "$@"
