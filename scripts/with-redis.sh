#!/usr/bin/env bash
# Runs a command with a temporary Redis server.
#
#   scripts/with-redis.sh COMMAND [ARGUMENT...]
#
# EARSHOT_TEST_REDIS has the server's host:port for COMMAND. The script exits with the status of
# COMMAND. The server listens on a free port of 127.0.0.1 with Redis's default settings and is
# deleted afterwards. If the variable is already set, that server is used and nothing is started.
#
# Redis is installed if it is missing and the script may do so (root, apt-get). If that is not
# possible, the script prints a warning and runs COMMAND without the variable, because only
# benchmarks need Redis.
set -euo pipefail

if [[ $# -eq 0 ]]; then
	echo "usage: ${0##*/} COMMAND [ARGUMENT...]" >&2
	exit 2
fi
if [[ -n ${EARSHOT_TEST_REDIS:-} ]]; then
	exec "$@"
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { echo "${0##*/}: $*" >&2; }

command -v redis-server >/dev/null || "$here/apt-install.sh" redis-server || true
if ! command -v redis-server >/dev/null; then
	say "WARNING: redis-server is missing: benchmarks that need Redis do NOT run"
	exec "$@"
fi

dir="" server="" child=""

# cleanup kills the process group of the server that we started, including the processes that it
# forked to write its data. The data is not needed.
cleanup() {
	trap '' INT TERM HUP
	if [[ -n $server ]]; then
		kill -s KILL -- "-$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	if [[ -n $dir ]]; then rm -rf "$dir"; fi
}

# interrupted NAME NUMBER forwards a signal to COMMAND and its child processes, waits up to five
# seconds for their end, which is less than with-postgres.sh waits for this script, and exits
# through cleanup.
interrupted() {
	trap '' INT TERM HUP
	if [[ -n $child ]]; then
		kill -s "$1" -- "-$child" 2>/dev/null || true
		for ((i = 0; i < 50; i++)); do
			kill -0 -- "-$child" 2>/dev/null || break
			sleep 0.1
		done
		kill -s KILL -- "-$child" 2>/dev/null || true
	fi
	exit $((128 + $2))
}

trap cleanup EXIT
trap 'interrupted INT 2' INT
trap 'interrupted TERM 15' TERM
trap 'interrupted HUP 1' HUP

dir=$(mktemp -d "${TMPDIR:-/tmp}/earshot-redis.XXXXXX")

# Root starts the server as an unprivileged user if one command is enough for that.
as_owner=()
if [[ $(id -u) -eq 0 ]]; then
	owner=nobody
	if id -u redis >/dev/null 2>&1; then owner=redis; fi
	as_owner=(setpriv "--reuid=$owner" "--regid=$(id -g "$owner")" --clear-groups)
	chown "$owner" "$dir"
	if ! "${as_owner[@]}" test -w "$dir" 2>/dev/null; then as_owner=(); fi
fi

# Every job gets its own process group: Ctrl-C is for COMMAND, and its child processes end with
# it.
set -m

# A port cannot be reserved, so the script tries ports until one is free. The range is below the
# ports of outgoing connections.
for ((try = 1; ; try++)); do
	port=$((20000 + RANDOM % 10000))
	${as_owner[@]+"${as_owner[@]}"} redis-server --bind 127.0.0.1 --port "$port" --dir "$dir" >"$dir/server.log" 2>&1 &
	server=$!
	for ((i = 0; i < 1200; i++)); do # a minute
		if grep -q "Ready to accept connections" "$dir/server.log" || ! kill -0 "$server" 2>/dev/null; then break; fi
		sleep 0.05
	done
	if [[ $i -lt 1200 ]] && kill -0 "$server" 2>/dev/null; then break; fi
	if ! grep -qi "address already in use" "$dir/server.log" || [[ $try -ge 20 ]]; then
		cat "$dir/server.log" >&2
		say "Redis did not start"
		exit 1
	fi
done

export EARSHOT_TEST_REDIS="127.0.0.1:$port"

status=0
if [[ -t 0 ]]; then
	# In the foreground, so that COMMAND can read the terminal. It gets Ctrl-C directly.
	"$@" || status=$?
else
	# In the background: bash handles a signal only between foreground commands, and a
	# cancelled CI job must not leave a server running.
	"$@" <&0 &
	child=$!
	wait "$child" || status=$?
	child=""
fi
exit "$status"
