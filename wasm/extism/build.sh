#!/usr/bin/env bash
# wasm/extism/build.sh MODULE OUT: turns the module into an Extism plug-in with a function for each operation.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools=${CTXFOLD_TOOLS:-$PWD/build/tools}
PATH=$tools/node_modules/.bin:$PATH
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
node wasm/extism/plugin.mjs "$1" > "$dir/plugin.wat"
wat2wasm --enable-all "$dir/plugin.wat" -o "$dir/plugin.wasm"
mkdir -p "$(dirname "$2")"
wasm-merge --enable-bulk-memory --enable-bulk-memory-opt --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals \
	--enable-reference-types "$1" ctxfold "$dir/plugin.wasm" plugin -o "$2"
