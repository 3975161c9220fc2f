#!/usr/bin/env bash
# Builds the module: wasm/build.sh [--full | --slim | --without GROUPS] [--component] [--reactor] OUT.
#
# --full       with the published systems (the tag ctxfold_full)
# --slim       without the groups below
# --without    without some groups, which are tags (ctxfold_no_GROUP), with commas between them:
#                formats  the wire formats of agents and SDKs (core/internal/wire/elsewhere.go lists them)
#                files    session files: open and save
#                convert  convert
# --component  with the functions of wit/ctxfold.wit in place of those of docs/reference/abi.md (the tag ctxfold_component), as a component
# --reactor    stops after the first step: a WASI reactor, which needs its host for a clock and random bytes
#
# The steps; docs/inside/build.md says what each gains. Each but linking is left out where its switch is 1:
#   NO_LEAN      the lean easyjson runtime of wasm/easyjson replaces easyjson's
#   NO_SMALL     only the packages that walk transcripts are inlined into each other
#   NO_CLEAR     what the start leaves behind is cleared (clear.patch)
#   NO_QUIET     the runtime's traces, stack traces and messages are empty (quiet.patch)
#   NO_COLLECT   a collection is over when it returns, and nothing else interrupts a function (collect.patch)
#   NO_RESUME    functions are entered only at their beginning, so none stores a return address (tools/plain.mjs)
#   NO_LINES     names, line numbers, the index of functions and what only stack traces need are dropped (runtime.patch, tools/lines.mjs)
#   NO_JUMPS     jumps are made direct (tools/jumps.mjs)
#                the WASI functions that Go imports are linked in (stub.wat); all exports but the module's own are dropped
#   NO_START     the runtime is started, and its memory becomes the module's: nothing is left to do at instantiation
#   NO_DEAD      functions that nothing can call any more are empty (tools/dead.mjs); types that nothing refers to are cleared (tools/types.mjs)
#   NO_COALESCE  wasm-opt optimizes the code
#   NO_SEGMENTS  the memory is written in few segments (tools/segments.mjs); functions are in Go's order, and local variables in the order of their use (tools/order.mjs)
#
# For tests: MODULE_GO=go1.27.0 takes another Go. STRESS=move or STRESS=preempt has the stack moved, or the goroutine switched, at
# calls that check their stack, and STRESS=collect collects garbage where allocations ask whether to (stress.patch). All of them can
# panic (fault.go).
#
# The same sources, switches and tools give the same bytes. What was built last with some switches is kept in build/module, with a key
# of all that went in: the SHA-256 of what the steps after the first one read, and the switches.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
full= component= reactor= tags= without=
while [[ $1 == --* ]]; do
	case $1 in
	--full) full=1 tags+=,ctxfold_full ;;
	--slim) without=formats,files,convert ;;
	--without) without=$2; shift ;;
	--component) component=1 tags+=,ctxfold_component ;;
	--reactor) reactor=1 ;;
	*) echo "wasm/build.sh: there is no option $1" >&2; exit 2 ;;
	esac
	shift
done
out=$1
for group in ${without//,/ }; do
	[[ $group =~ ^(formats|files|convert)$ ]] || { echo "wasm/build.sh: there is no group $group" >&2; exit 2; }
	tags+=,ctxfold_no_$group
done

[[ ! ${STRESS:-} =~ ^(move|preempt)$ ]] || NO_COLLECT=1 # collect.patch handles neither moved stacks nor switched goroutines

# easyjson's own runtime imports fmt and reflect, which need the code that these steps remove.
[ "${NO_LEAN:-}" != 1 ] || NO_QUIET=1 NO_RESUME=1 NO_DEAD=1

off() { local switch=NO_$1; [ "${!switch:-}" = 1 ]; }
switches=${full:+full-}${without:+without-${without//,/-}-}${component:+component-}${STRESS:+$STRESS-}${MODULE_GO:+$MODULE_GO-}
for name in LEAN SMALL CLEAR QUIET COLLECT RESUME LINES JUMPS START DEAD COALESCE SEGMENTS; do ! off $name || switches+=no-${name,,}-; done
for switch in ${!NO_@}; do
	[[ $switch =~ ^NO_(LEAN|SMALL|CLEAR|QUIET|COLLECT|RESUME|LINES|JUMPS|START|DEAD|COALESCE|SEGMENTS|COLOR|PROXY)$ ]] || echo "wasm/build.sh: $switch switches nothing off" >&2
done
dir=build/module/${switches:-default-} dir=${dir%-}
mkdir -p "$dir" "$(dirname "$out")"

failed() { echo "wasm/build.sh: the step $1 failed" >&2; exit 1; }

# The bytes depend on the compiler, so one Go version builds the module everywhere.
export GOTOOLCHAIN=${MODULE_GO:-go1.26.8} GOOS=wasip1 GOARCH=wasm GOWASM= GOEXPERIMENT= CGO_ENABLED=0 GOFLAGS= GOWORK=off
# Other builds may be reading the file, so it is replaced atomically.
mod=build/module/wasm.mod
cp go.mod "$mod.$$"
go mod edit -replace=github.com/mailru/easyjson=./wasm/easyjson "$mod.$$"
cp go.sum "$mod.$$.sum"
mv "$mod.$$.sum" "${mod%.mod}.sum"
mv "$mod.$$" "$mod"
off LEAN && mod=go.mod

# Go's own files that are patched.
goroot=$(go env GOROOT)
case $goroot in "$(go env GOMODCACHE)"/*) # the go command refuses to overlay files there
	own=$PWD/build/toolchains/${goroot##*/}
	[ -d "$own" ] || { rm -rf "$own.new"; mkdir -p "$own.new"; cp -r "$goroot/." "$own.new"; chmod -R u+w "$own.new"; mv "$own.new" "$own"; }
	export GOROOT=$own GOTOOLCHAIN=local PATH=$own/bin:$PATH
	goroot=$own
	;;
esac
rm -rf "$dir/goroot"
mkdir -p "$dir/goroot"
overlay=
change() { # STEP PATCH
	local file
	for file in $(sed -n 's|^--- a/||p' "$2"); do
		[ -f "$dir/goroot/$file" ] || { mkdir -p "$dir/goroot/${file%/*}"; cp "$goroot/$file" "$dir/goroot/$file"; overlay+="${overlay:+,}\"$goroot/$file\":\"$PWD/$dir/goroot/$file\""; }
	done
	local patch=$PWD/$2
	(cd "$dir/goroot" && GIT_CEILING_DIRECTORIES=$(dirname "$PWD") git apply "$patch") ||
		{ echo "wasm/build.sh: $2 does not fit $(go env GOVERSION), see docs/inside/upgrading-go.md" >&2; failed "$1"; }
}
off LINES || change LINES wasm/runtime.patch
off CLEAR || off START || { change CLEAR wasm/clear.patch; tags+=,ctxfold_clear; }
off QUIET || change QUIET wasm/quiet.patch
off COLLECT || change COLLECT wasm/collect.patch
[ -z "${STRESS:-}" ] || { change STRESS wasm/stress.patch; tags+=,ctxfold_fault; }
if ! off QUIET; then
	rewritten=$(GOOS= GOARCH= go run wasm/quiet/*.go ${STRESS:+-keep clobberfree,gccheckmark} ${WITHOUT:+-without $WITHOUT} "$goroot" "$dir/goroot") || failed QUIET
	for file in $rewritten; do
		[[ $overlay == *"\"$goroot/$file\":"* ]] || overlay+="${overlay:+,}\"$goroot/$file\":\"$PWD/$dir/goroot/$file\""
	done
fi
echo "{\"Replace\":{$overlay}}" > "$dir/overlay.json"

# Inlining only pays in the packages that walk transcripts; elsewhere it makes the code larger. If several patterns match, the last one
# counts.
p=github.com/ctxfold/ctxfold/core
hook= link='-s -w -buildid=' compile=
off COLLECT || compile='-wb=false -d=noopendefer'
case ${STRESS:-} in
move) hook=-d=maymorestack=runtime.mayMoreStackMove ;;
preempt) hook=-d=maymorestack=runtime.mayMoreStackPreempt ;;
collect) link+=' -X runtime.collectAlways=1 -X runtime.godebugDefault=clobberfree=1,gccheckmark=1' ;;
'') ;;
*) echo "wasm/build.sh: STRESS is move, preempt or collect" >&2; exit 2 ;;
esac
compile+=" $hook"
flags=("-gcflags=all=$compile" "-asmflags=all=$hook")
off COLLECT || flags+=("-gcflags=runtime=-wb=false $hook")
if ! off SMALL; then
	for name in ${p%/core}/... github.com/mailru/easyjson/...; do flags+=("-gcflags=$name=-l $compile"); done
	for name in jsonspan critbit transcript wire tokens/... words dates extract search squeeze; do flags+=("-gcflags=$p/internal/$name=$compile"); done
fi
flags=("-overlay=$PWD/$dir/overlay.json" -trimpath -buildvcs=false "${flags[@]}")
go build "${flags[@]}" -modfile="$mod" ${tags:+"-tags=${tags#,}"} -ldflags="$link" -buildmode=c-shared -o "$dir/reactor.wasm" ./wasm || failed "go build"

# With these settings go vet and staticcheck find what has just been compiled. Staticcheck can't be given a -modfile, but a workspace.
printf 'go %s\n\nuse ../../..\n' "$(sed -n 's/^go //p' go.mod)" > "$dir/go.work"
off LEAN || printf '\nreplace github.com/mailru/easyjson => ../../../wasm/easyjson\n' >> "$dir/go.work"
cp go.work.sum "$dir/go.work.sum"
{
	declare -p PATH GOOS GOARCH GOWASM GOEXPERIMENT GOTOOLCHAIN CGO_ENABLED ${GOROOT:+GOROOT}
	echo "declare -x GOWORK=\"$PWD/$dir/go.work\" GOFLAGS=\"$(printf "'%s' " "${flags[@]}")\""
} > "$dir/env"

if [ -n "$reactor" ]; then cp "$dir/reactor.wasm" "$out"; exit; fi

inputs=$(cat "$dir/reactor.wasm" wasm/stub.wat wasm/build.sh wasm/tools/*.mjs wasm/tools/package-lock.json \
	${component:+wit/ctxfold.wit wasm/component/tools/*} | sha256sum)
key="${inputs%% *} $switches"
if [ ! -f "$dir/module.wasm" ] || [ "$key" != "$(cat "$dir/key" 2> /dev/null)" ]; then
	rm -f "$dir/key"
	# The build tools, which other copies of the tree may share.
	tools=${CTXFOLD_TOOLS:-$PWD/build/tools}
	install_tools() {
		mkdir -p "$2"
		cmp -s "$1/package-lock.json" "$2/package-lock.json" || cp "$1"/package.json "$1"/package-lock.json "$2/"
		# Not npm ci, which would require the initializer for every platform in the lock file.
		(npm=$PWD/.ci/npm && cd "$2" && "$npm" install --no-save)
	}
	install_tools wasm/tools "$tools"
	PATH=$tools/node_modules/.bin:$PATH
	features=(--enable-bulk-memory --enable-bulk-memory-opt --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals)

	last=$dir/reactor.wasm
	plain=$(off COLLECT || off RESUME || off JUMPS || echo --plain)
	off JUMPS || { node wasm/tools/jumps.mjs $plain "$last" "$dir/jumps.wasm" || failed JUMPS; last=$dir/jumps.wasm; }
	off LINES || { node wasm/tools/lines.mjs $plain "$last" "$dir/lines.wasm" || failed LINES; last=$dir/lines.wasm; }
	wat2wasm --enable-all wasm/stub.wat -o "$dir/stub.wasm"
	wasm-merge "${features[@]}" "$last" go "$dir/stub.wasm" wasi_snapshot_preview1 -o "$dir/merged.wasm" --rename-export-conflicts || failed linking
	# The exports to keep are the reactor's own. A component keeps only the exports of its world.
	node -e 'const [from, to, component] = process.argv.slice(1), fs = require("fs");
		const names = WebAssembly.Module.exports(new WebAssembly.Module(fs.readFileSync(from))).map((e) => e.name)
			.filter((name) => !component || !name.startsWith("ctxfold_"));
		fs.writeFileSync(to, JSON.stringify(names.map((name) => ({ name, export: name, root: true }))));' "$dir/reactor.wasm" "$dir/exports.json" $component
	wasm-metadce "${features[@]}" "$dir/merged.wasm" --graph-file "$dir/exports.json" -o "$dir/linked.wasm" > /dev/null || failed linking
	last=$dir/linked.wasm
	off START || { wizer --init-func _initialize -o "$dir/started.wasm" "$last" || failed START; last=$dir/started.wasm; }
	off START || off DEAD || {
		node wasm/tools/dead.mjs "$dir/reactor.wasm" "$last" "$dir/dead.wasm" || failed DEAD
		node wasm/tools/types.mjs "$dir/dead.wasm" "$dir/types.wasm" || failed DEAD
		last=$dir/types.wasm
	}
	off COALESCE || { wasm-opt "${features[@]}" -O2 "$last" -o "$dir/small.wasm" || failed COALESCE; last=$dir/small.wasm; }
	off SEGMENTS || {
		node wasm/tools/segments.mjs "$last" "$dir/segments.wasm" || failed SEGMENTS
		node wasm/tools/order.mjs "$dir/segments.wasm" "$dir/order.wasm" || failed SEGMENTS
		last=$dir/order.wasm
	}
	if [ -n "$component" ]; then
		install_tools wasm/component/tools "$tools/component"
		CTXFOLD_COMPONENT_TOOLS=$tools/component node wasm/component/tools/component.mjs "$last" wit/ctxfold.wit "$dir/component.wasm" || failed component
		last=$dir/component.wasm
	fi
	mv "$last" "$dir/module.wasm"
	rm -f "$dir"/{lines,jumps,merged,linked,small,started,dead,types,segments,order,stub}.wasm
	echo "$key" > "$dir/key"
fi
cp "$dir/module.wasm" "$out"
