#!/usr/bin/env bash
# Runs a command with TMPDIR on a disk of 300 MB in memory, which tests may fill.
#
#   scripts/with-small-disk.sh COMMAND [ARGUMENT...]
#
# EARSHOT_SOAK_DISK has the folder for COMMAND. Only root may mount a disk: for others, the script
# prints a warning and runs COMMAND without the variable.
set -euo pipefail

# go build needs more space. So that tests use the disk: go test -exec "env -u GOTMPDIR".
export GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}}
disk=$(mktemp -d)
if ! mount -t tmpfs -o size=300m,mode=1777 none "$disk"; then
	rmdir "$disk"
	echo "${0##*/}: WARNING: cannot mount a disk: a full disk is NOT tested" >&2
	exec "$@"
fi
trap 'umount "$disk" && rmdir "$disk"' EXIT
TMPDIR=$disk EARSHOT_SOAK_DISK=$disk "$@"
