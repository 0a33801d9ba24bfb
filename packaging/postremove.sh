#!/bin/sh
# Runs after the package was removed. The data in /var/lib/earshot stay.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
