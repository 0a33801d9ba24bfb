#!/bin/sh
# Runs after deb or rpm installed or upgraded the package. Only a running service is
# restarted; a new one is started by: systemctl enable --now earshot
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart earshot.service || true # the package is installed even if the service fails
fi
