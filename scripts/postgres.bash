# Functions that with-postgres.sh and with-citus.sh source: they start temporary servers in one
# folder as an unprivileged user, and delete them when the command has ended.

say() { echo "${0##*/}: $*" >&2; }

# The server refuses to run as root, so root starts it as an unprivileged user.
owner=$(id -un)
if [[ $(id -u) -eq 0 ]]; then
	owner=nobody
	if id -u postgres >/dev/null 2>&1; then owner=postgres; fi
fi

# as_owner runs a command as that user, in a folder that the user may enter, and without our
# environment: variables such as PGPORT and PGDATA would affect the server.
as_owner() (
	cd "$dir"
	set -- env -i PATH="$PATH" LC_ALL=C "${server_environment[@]}" "$@"
	if [[ $owner == "$(id -un)" ]]; then
		exec "$@"
	elif setpriv --reuid="$owner" --regid="$(id -g "$owner")" --init-groups true 2>/dev/null; then
		exec setpriv --reuid="$owner" --regid="$(id -g "$owner")" --init-groups "$@"
	elif command -v runuser >/dev/null; then
		exec runuser -u "$owner" -- "$@"
	fi
	exec su -s /bin/sh "$owner" -c "$(printf '%q ' "$@")"
)

dir="" child="" bin="" server_environment=()

# cleanup stops the servers that were started. It finds each server by the pid file in its
# folder, so it cannot stop another one.
cleanup() {
	trap '' INT TERM HUP
	if [[ -n $dir ]]; then
		local data
		for data in "$dir"/*/; do
			if [[ -e $data/postmaster.pid ]]; then
				kill -s CONT "$(head -n 1 "$data/postmaster.pid")" 2>/dev/null || true # a test may have frozen it
				as_owner "$bin/pg_ctl" stop -D "$data" -m immediate -w -t 30 >/dev/null || say "could not stop the server in $data"
			fi
		done
		rm -rf "$dir"
	fi
}

# interrupted NAME NUMBER forwards a signal to COMMAND and its child processes, waits up to
# ten seconds for their end, and exits through cleanup.
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

# new_folder ROOT creates the servers' folder in ROOT. It fails if their owner cannot use it.
new_folder() {
	dir=$(mktemp -d "${1%/}/earshot-postgres.XXXXXX")
	if [[ $owner != "$(id -un)" ]]; then chown "$owner" "$dir"; fi
	as_owner test -w "$dir" 2>/dev/null || { rm -rf "$dir"; dir=""; return 1; }
}

# new_server NAME creates a server in that folder, with the common settings and the settings on
# stdin. Durability is the same as in production: the service refuses a database without it, and
# benchmarks would be meaningless.
new_server() {
	as_owner timeout 60 "$bin/initdb" -D "$dir/$1" -U earshot -A trust -E UTF8 --no-locale --no-sync </dev/null >"$dir/initdb.log" 2>&1 || {
		cat "$dir/initdb.log" >&2
		say "initdb failed"
		exit 1
	}
	as_owner tee -a "$dir/$1/postgresql.conf" >/dev/null < <(
		cat <<-'END'
			listen_addresses = '127.0.0.1'
			unix_socket_directories = ''
			max_connections = 500
			fsync = on
			full_page_writes = on
			synchronous_commit = on
			timezone = 'UTC'
		END
		cat
	)
	echo "host all all 127.0.0.1/32 trust" | as_owner tee "$dir/$1/pg_hba.conf" >/dev/null
}

# start_server NAME starts the server and sets $port. A port cannot be reserved, so it tries
# ports until one is free. The range is below the ports of outgoing connections.
start_server() {
	local try log=$dir/$1.log
	for ((try = 1; ; try++)); do
		port=$((20000 + RANDOM % 10000))
		: | as_owner tee "$log" >/dev/null
		if as_owner "$bin/pg_ctl" start -D "$dir/$1" -l "$log" -o "-p $port" -w -t 60 >/dev/null 2>&1; then
			return
		fi
		if ! grep -q "could not bind" "$log" || [[ $try -ge 20 ]]; then
			cat "$log" >&2
			say "PostgreSQL did not start"
			exit 1
		fi
	done
}

# run COMMAND [ARGUMENT...] runs COMMAND and exits with its status.
run() {
	local status=0
	if [[ -t 0 ]]; then
		# In the foreground, so that COMMAND can read the terminal. It gets Ctrl-C directly.
		"$@" || status=$?
	else
		# In its own process group and in the background: bash handles a signal only between
		# foreground commands, and a cancelled CI job must not leave a server running.
		set -m
		"$@" <&0 &
		child=$!
		wait "$child" || status=$?
		child=""
	fi
	exit "$status"
}
