#!/usr/bin/env bash
# Runs a command beside a throw-away Citus cluster: a coordinator and its workers.
#
#   scripts/with-citus.sh COMMAND [ARGUMENT...]
#
# COMMAND finds the coordinator's address in EARSHOT_TEST_CITUS and its exit status is ours.
# The servers listen on free ports of 127.0.0.1 and are gone afterwards. If the variable is
# already set, that cluster is used and nothing is started.
#
# Citus is taken from the PostgreSQL that PG_CONFIG names, else that of pg_config in PATH.
# Debian has no package of it; docs/scaling.md says how to build one. Where it is not
# installed COMMAND runs without the variable, after a warning. CITUS_WORKERS is the number
# of workers, 2 by default; there are as many parts of the data, and at least two.
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
	say "WARNING: no Citus is installed (docs/scaling.md): running without it, Citus is NOT tested"
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
