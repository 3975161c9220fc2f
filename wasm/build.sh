#!/usr/bin/env bash
# Builds the module: wasm/build.sh ctxfold.wasm (what ships), or wasm/build.sh --reactor reactor.wasm (what Go alone makes).
#
# 1. Go builds a WASI reactor, with the lean easyjson runtime of wasm/easyjson in the place of easyjson's.
# 2. The WASI functions that it imports are linked in (stub.wat), and all exports but the module's own are dropped.
# 3. Jumps are made direct (jumps.mjs), and names and line numbers are dropped (lines.mjs).
# 4. Local variables are merged, which makes the packed module a tenth smaller.
# 5. The Go runtime is started once, and its memory becomes the module's, in few segments (segments.mjs): nothing is left to do
#    at instantiation.
#
# The same sources and tools give the same bytes. What was built last is kept in build/module with a key of all that went in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
reactor=; [ "$1" != --reactor ] || { reactor=1; shift; }
out=$1 dir=build/module
mkdir -p "$dir" "$(dirname "$out")"

# The bytes depend on the compiler, so one Go version builds the module everywhere.
export GOTOOLCHAIN=go1.26.8 GOOS=wasip1 GOARCH=wasm GOWASM= GOEXPERIMENT= CGO_ENABLED=0 GOFLAGS=
cp go.mod "$dir/wasm.mod"
cp go.sum "$dir/wasm.sum"
go mod edit -replace=github.com/mailru/easyjson=./wasm/easyjson "$dir/wasm.mod"
# Inlining pays in the packages that walk transcripts; in the others it only makes them larger.
p=github.com/ctxfold/ctxfold/core
small=()
for name in $p $p/compact $p/digest $p/functions $p/overflow $p/policy $p/sessionfile github.com/mailru/easyjson/...; do small+=("-gcflags=$name=-l"); done
# In WebAssembly an address begins with the number of a function, so the runtime needs no index to find the function (lines.mjs).
symtab=$(go env GOROOT)/src/runtime/symtab.go
sed -e '/ffb := (\*findfuncbucket)(add(unsafe.Pointer(datap.findfunctab)/d' -e 's/idx := ffb.idx + uint32(ffb.subbuckets\[i\])/idx, _ := pcOff-datap.ftab[0].entryoff, i+b/' "$symtab" > "$dir/symtab.go"
[ "$(diff "$symtab" "$dir/symtab.go" | grep -c '^[<>]')" = 3 ] || { echo "this Go finds functions in another way" >&2; exit 1; }
printf '{"Replace":{"%s":"%s"}}' "$symtab" "$PWD/$dir/symtab.go" > "$dir/overlay.json"
go build -overlay="$dir/overlay.json" -modfile="$dir/wasm.mod" -trimpath -buildvcs=false -ldflags='-s -w -buildid=' "${small[@]}" -buildmode=c-shared -o "$dir/reactor.wasm" ./wasm
if [ -n "$reactor" ]; then cp "$dir/reactor.wasm" "$out"; exit; fi

key=$(cat "$dir/reactor.wasm" wasm/stub.wat wasm/build.sh wasm/tools/*.mjs wasm/tools/package-lock.json | sha256sum | cut -d' ' -f1)
if [ ! -f "$dir/key-$key.wasm" ]; then
	# The tools, which other copies of the tree may share.
	tools=${CTXFOLD_TOOLS:-$PWD/build/tools}
	if ! cmp -s wasm/tools/package-lock.json "$tools/installed"; then
		mkdir -p "$tools"
		cp wasm/tools/package.json wasm/tools/package-lock.json "$tools/"
		# Not npm ci: it wants the initialiser for every platform in the lock file.
		(cd "$tools" && npm install --no-save --no-audit --no-fund --loglevel=error) >&2
		cp wasm/tools/package-lock.json "$tools/installed"
	fi
	PATH=$tools/node_modules/.bin:$PATH
	features=(--enable-bulk-memory --enable-bulk-memory-opt --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals)
	node wasm/tools/lines.mjs "$dir/reactor.wasm" "$dir/lines.wasm"
	node wasm/tools/jumps.mjs "$dir/lines.wasm" "$dir/jumps.wasm"
	wat2wasm --enable-all wasm/stub.wat -o "$dir/stub.wasm"
	wasm-merge "${features[@]}" "$dir/jumps.wasm" go "$dir/stub.wasm" wasi_snapshot_preview1 -o "$dir/merged.wasm" --rename-export-conflicts
	# The exports to keep are the reactor's own.
	node -e 'const [from, to] = process.argv.slice(1), fs = require("fs");
		const names = WebAssembly.Module.exports(new WebAssembly.Module(fs.readFileSync(from))).map((e) => e.name);
		fs.writeFileSync(to, JSON.stringify(names.map((name) => ({ name, export: name, root: true }))));' "$dir/reactor.wasm" "$dir/exports.json"
	wasm-metadce "${features[@]}" "$dir/merged.wasm" --graph-file "$dir/exports.json" -o "$dir/linked.wasm" >/dev/null
	wasm-opt "${features[@]}" --coalesce-locals --reorder-locals --vacuum --duplicate-function-elimination "$dir/linked.wasm" -o "$dir/small.wasm"
	wizer --init-func _initialize -o "$dir/started.wasm" "$dir/small.wasm"
	node wasm/tools/segments.mjs "$dir/started.wasm" "$dir/new.wasm"
	rm -f "$dir"/key-*.wasm
	mv "$dir/new.wasm" "$dir/key-$key.wasm"
fi
cp "$dir/key-$key.wasm" "$out"
