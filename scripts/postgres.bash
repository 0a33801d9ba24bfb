# What with-postgres.sh and with-citus.sh share: throw-away servers in one folder, run by
# somebody without rights, and gone when the command has ended. To be sourced.

say() { echo "${0##*/}: $*" >&2; }

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

# cleanup stops what was started. It finds each postmaster through the pid file in
# its own folder, so it cannot reach another one.
cleanup() {
	trap '' INT TERM HUP
	if [[ -n $dir ]]; then
		local data
		for data in "$dir"/*/; do
			if [[ -e $data/postmaster.pid ]]; then
				as_owner "$bin/pg_ctl" stop -D "$data" -m immediate -w -t 30 >/dev/null || say "could not stop the server in $data"
			fi
		done
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

# new_folder ROOT makes the servers' folder there; it fails if their owner cannot use it.
new_folder() {
	dir=$(mktemp -d "${1%/}/earshot-postgres.XXXXXX")
	if [[ $owner != "$(id -un)" ]]; then chown "$owner" "$dir"; fi
	as_owner test -w "$dir" 2>/dev/null || { rm -rf "$dir"; dir=""; return 1; }
}

# new_server NAME makes a server in that folder, with the settings on stdin added to
# those that all have. Durability stays as in production: the service refuses a database
# without it, and numbers measured without it would mean nothing.
new_server() {
	as_owner "$bin/initdb" -D "$dir/$1" -U earshot -A trust -E UTF8 --no-locale --no-sync </dev/null >"$dir/initdb.log" 2>&1 || {
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

# start_server NAME starts it and leaves its port in $port. Nothing can reserve a port for
# the server, so it tries for itself. The range lies below the ports that outgoing
# connections are given.
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

# run COMMAND [ARGUMENT...] runs it and ends with its status.
run() {
	local status=0
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
}
