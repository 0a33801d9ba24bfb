#!/usr/bin/env bash
# Runs a command beside a throw-away PostgreSQL cluster.
#
#   scripts/with-postgres.sh COMMAND [ARGUMENT...]
#
# COMMAND finds the cluster's address in EARSHOT_TEST_POSTGRES and its exit status
# is ours. The cluster listens on a free port of 127.0.0.1 and is gone afterwards.
# If the variable is already set, that database is used and nothing is started.
#
# PostgreSQL is installed if it is missing and we may (root, apt-get). Where it
# cannot be had, COMMAND runs without the variable, after a warning; with CI=true
# that is an error, so that a green run always means both databases.
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
say() { echo "${0##*/}: $*" >&2; }

# major DIR prints the major version of the server in DIR, or 0 if there is none.
major() {
	local text=""
	if [[ -x $1/initdb && -x $1/pg_ctl ]]; then
		text=$("$1/initdb" --version 2>/dev/null || true) # initdb (PostgreSQL) 16.4
	fi
	if [[ $text =~ \)\ ([0-9]+) ]]; then echo "${BASH_REMATCH[1]}"; else echo 0; fi
}

# find_server prints the folder of a usable server: the one in PATH, else the newest.
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
		say "no PostgreSQL $oldest or later, and CI must not go without"
		exit 1
	fi
	say "WARNING: no PostgreSQL $oldest or later: running without it, PostgreSQL is NOT tested"
	exec "$@"
fi

# The server refuses to run as root, so root hands it to somebody without rights.
owner=$(id -un)
if [[ $(id -u) -eq 0 ]]; then
	owner=nobody
	if id -u postgres >/dev/null 2>&1; then owner=postgres; fi
fi

# as_owner runs a command as that user, in a folder it may enter, and without our
# environment: PGPORT, PGDATA and the like would steer the server.
as_owner() (
	cd "$dir"
	set -- env -i PATH="$PATH" LC_ALL=C "$@"
	if [[ $owner == "$(id -un)" ]]; then
		exec "$@"
	elif setpriv --reuid="$owner" --regid="$(id -g "$owner")" --init-groups true 2>/dev/null; then
		exec setpriv --reuid="$owner" --regid="$(id -g "$owner")" --init-groups "$@"
	elif command -v runuser >/dev/null; then
		exec runuser -u "$owner" -- "$@"
	fi
	exec su -s /bin/sh "$owner" -c "$(printf '%q ' "$@")"
)

dir="" child=""

# cleanup stops what was started. It finds the postmaster through the pid file in
# its own folder, so it cannot reach another one.
cleanup() {
	trap '' INT TERM HUP
	if [[ -n $dir ]]; then
		if [[ -e $dir/data/postmaster.pid ]]; then
			as_owner "$bin/pg_ctl" stop -D "$dir/data" -m immediate -w -t 30 >/dev/null || say "could not stop the server in $dir"
		fi
		rm -rf "$dir"
	fi
}

# interrupted NAME NUMBER passes a signal on to COMMAND and everything it started,
# gives them ten seconds to end, and leaves through cleanup.
interrupted() {
	trap '' INT TERM HUP
	if [[ -n $child ]]; then
		kill -s "$1" -- "-$child" 2>/dev/null || true
		for ((i = 0; i < 100; i++)); do
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

# new_folder ROOT makes the cluster's folder there; it fails if its owner cannot use it.
new_folder() {
	dir=$(mktemp -d "${1%/}/earshot-postgres.XXXXXX")
	if [[ $owner != "$(id -un)" ]]; then chown "$owner" "$dir"; fi
	as_owner test -w "$dir" 2>/dev/null || { rm -rf "$dir"; dir=""; return 1; }
}
new_folder "${TMPDIR:-/tmp}" || new_folder /tmp

as_owner "$bin/initdb" -D "$dir/data" -U earshot -A trust -E UTF8 --no-locale --no-sync >"$dir/initdb.log" 2>&1 || {
	cat "$dir/initdb.log" >&2
	say "initdb failed"
	exit 1
}

# Durability stays as in production: the service refuses a database without it, and
# numbers measured without it would mean nothing.
as_owner tee -a "$dir/data/postgresql.conf" >/dev/null <<-'END'
	listen_addresses = '127.0.0.1'
	unix_socket_directories = ''
	max_connections = 500
	shared_buffers = 256MB
	fsync = on
	full_page_writes = on
	synchronous_commit = on
	timezone = 'UTC'
END
echo "host all all 127.0.0.1/32 trust" | as_owner tee "$dir/data/pg_hba.conf" >/dev/null

# Nothing can reserve a port for the server, so it tries for itself. The range lies
# below the ports that outgoing connections are given.
for ((try = 1; ; try++)); do
	port=$((20000 + RANDOM % 10000))
	: | as_owner tee "$dir/server.log" >/dev/null
	if as_owner "$bin/pg_ctl" start -D "$dir/data" -l "$dir/server.log" -o "-p $port" -w -t 60 >/dev/null 2>&1; then
		break
	fi
	if ! grep -q "could not bind" "$dir/server.log" || [[ $try -ge 20 ]]; then
		cat "$dir/server.log" >&2
		say "PostgreSQL did not start"
		exit 1
	fi
done

export EARSHOT_TEST_POSTGRES="postgres://earshot@127.0.0.1:$port/postgres?sslmode=disable"

status=0
if [[ -t 0 ]]; then
	# In the foreground, so that COMMAND may read the terminal. Ctrl-C reaches it directly.
	"$@" || status=$?
else
	# In a process group of its own and in the background: bash acts on a signal only
	# between foreground commands, and a cancelled CI job must not leave a server behind.
	set -m
	"$@" <&0 &
	child=$!
	wait "$child" || status=$?
	child=""
fi
exit "$status"
