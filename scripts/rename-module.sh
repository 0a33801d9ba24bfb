#!/usr/bin/env bash
# Renames the Go module: in go.mod, in the modules below test and tools, in imports
# and in the Makefile.
#
#   scripts/rename-module.sh example.com/you/earshot
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
old=$(sed -n 's/^module //p' go.mod)
export old new=$1

# A folder of the module behind the name tells an import path from other texts. The name of
# the root package alone is replaced only where it is an import, or the constant of test/arch.
find . \( -name node_modules -o -name .git \) -prune -o \( -name '*.go' -o -name go.mod \) -type f -print0 |
	xargs -0 perl -pi -e '
		s{(^|[ "`])\Q$ENV{old}\E(?=/(client|cmd|examples|internal|test|tools)\b)}{$1$ENV{new}}g;
		s{^(\s*(?:import )?(?:\w+ )?|const module = )"\Q$ENV{old}\E"$}{$1"$ENV{new}"};
		s{^module \Q$ENV{old}\E$}{module $ENV{new}};'
perl -pi -e 's{^MODULE := \Q$ENV{old}\E$}{MODULE := $ENV{new}}' Makefile
