#!/usr/bin/env bash
# Runs the tests of packages with the servers and programs that these packages need, and ends
# with a summary.
#
#   scripts/test.sh PACKAGE...
#
# What is missing is installed if the script may do so (root on Debian). If that fails, the tests
# that need it skip; with CI=true they fail.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
module=$(go list -m)
packages=$(go list "$@" | tac) # go test starts them in this order, and those in test take longest
imported=$(go list -deps -test "$@" | sed 's/ .*//')

# imports reports whether one of the packages imports a package.
imports() { grep -qx "$module/$1" <<<"$imported"; }

missing=()
# program NAME [PACKAGE] notes Debian's package of a program that is not installed.
program() { command -v "$1" >/dev/null || missing+=("${2:-$1}"); }
# python PACKAGE... does so for packages of the system's Python.
python() {
	/usr/bin/python3 -c "import $(IFS=,; echo "$*")" 2>/dev/null || missing+=(python3 "${@/#/python3-}")
}
# copied NAME PACKAGE installs only the program of a package that would also start a service.
copied() { command -v "$1" >/dev/null || test -x "bin/$1" || scripts/apt-install.sh --file "usr/bin/$1" "$2" || true; }
modules() { scripts/with-node-modules.sh "$1" true; }
# clients writes the generated files of the clients, which git ignores.
clients() { go run ./cmd/generate clients; }

race="" plain="" # packages to test with and without the race detector
for package in $packages; do
	name=${package#"$module"/}
	case $name in
	cmd/earshot) program jq ;;
	internal/files/tablefile | test/dashboard | test/tracking) modules internal/api/dashboard/web ;;
	test/deploy)
		copied promtool prometheus
		copied caddy caddy
		go -C test/helm mod download
		;;
	test/docs)
		program jq
		program systemd-analyze systemd
		;;
	test/examples)
		clients
		program jq
		python httpx pandas scipy
		modules sdk/typescript
		modules examples/duckdb
		;;
	test/n8n)
		clients
		modules integrations/n8n
		;;
	test/sdk)
		clients
		python build httpx mypy pandas setuptools wheel
		modules sdk/typescript
		;;
	test/service) copied promtool prometheus ;;
	esac
	# The race detector takes many times as long, so it is for packages that start goroutines or lock
	# data, and for the whole service in test/service; make soak runs the other tests of the service
	# with it. Commands, chaos, docs and examples run a program that is built without it. Parsers and
	# computation that share next to nothing are left out.
	case $name in
	internal/provider/health | internal/provider/serp | test/service) race+=" $package" ;;
	cmd/* | test/* | internal/provider/* | internal/stats | internal/track/alert | internal/track/mention | internal/track/metric) plain+=" $package" ;;
	*)
		if grep -qE '^\s*go [a-z]|\.Go\(|sync\.(Mutex|RWMutex|WaitGroup|Cond|Pool)|atomic\.|singleflight' ".${package#"$module"}"/*.go; then
			race+=" $package"
		else
			plain+=" $package"
		fi
		;;
	esac
done
[[ -z $race ]] || command -v "$(go env CC)" >/dev/null || missing+=(gcc libc6-dev) # the race detector needs cgo
[[ ${#missing[@]} -eq 0 ]] || scripts/apt-install.sh "${missing[@]}" || true

# Tests commit to many small databases, which costs little in memory.
space=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1 || true)
if [[ ${space:-0} -gt 4000000 ]] && findmnt -no OPTIONS -T /dev/shm | grep -qvw noexec; then
	export GOTMPDIR=${TMPDIR:-/tmp} TMPDIR=/dev/shm
fi

# Rarer garbage collection saves a fifth of the compiler's processor time, and some of the tests'.
export GOGC=${GOGC:-400}

run=(env)
if imports internal/store/storetest; then run=(scripts/with-postgres.sh); fi
if imports internal/upstream/browser; then run=(scripts/with-chromium.sh "${run[@]}"); fi

# SQLite is C translated to Go, and its callers lock it: with the race detector, the tests of
# internal/store take five times the processor time.
race_flags="-race"
for part in sqlite/lib libc memory; do race_flags+=" -gcflags=modernc.org/$part=-race=false"; done

# Lint runs go vet. Tests of whole services wait for programs and browsers most of the time, so four
# packages run at once.
# shellcheck disable=SC2016
"${run[@]}" sh -c '
	status=0
	test -z "$2" || CGO_ENABLED=1 go test -json -p 4 -vet=off -timeout 10m $1 $2 || status=1
	test -z "$3" || go test -json -p 4 -vet=off -timeout 10m $3 || status=1
	exit $status' sh "$race_flags" "$race" "$plain" | go run ./test/summary
