#!/usr/bin/env bash
# Builds the TypeScript client and writes it to FOLDER/earshot-VERSION.tgz.
#
#   scripts/pack-typescript.sh FOLDER
#
# The build writes nothing into the source folder, so that several tests can run it at once.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source=$root/sdk/typescript
package=$(mktemp -d)
trap 'rm -rf "$package"' EXIT
cp "$source/package.json" "$source/README.md" "$root/LICENSE" "$package"
"$source/node_modules/.bin/tsc" --project "$source" --outDir "$package/dist"
mkdir -p "$1"
npm pack "$package" --pack-destination "$1" --ignore-scripts --loglevel=error
