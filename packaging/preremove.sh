#!/bin/sh
# Runs before deb ("remove") or rpm ("0") removes the package, and before upgrades.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now earshot.service
	fi
	;;
esac
