#!/usr/bin/env bash
# wasm/try-go.sh [VERSION]: builds the module with the newest Go that the proxy serves, and compares its answers to the vectors and to
# random requests with those of native code. A build step that fails is skipped and named, so that one run finds everything that a new
# release breaks.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Run outside of the module, which would select its own version. The go line of go.mod requires no newer version than the one that builds
# the module.
version=${1:-$(cd / && GOWORK=off GOFLAGS= GOTOOLCHAIN=local go list -m -f '{{.Version}}' go@latest)}
version=go${version#go}
echo "The newest Go is $version; the module is built with $(sed -n 's/.*MODULE_GO:-\(go[0-9.]*\).*/\1/p' wasm/build.sh)."
rm -rf build/try-go
mkdir -p build/try-go
export MODULE_GO=$version
failed=() off=() log=build/try-go/log
echo "plain reactor"
if ! env NO_LINES=1 NO_CLEAR=1 NO_QUIET=1 NO_COLLECT=1 wasm/build.sh --reactor build/try-go/reactor.wasm; then
	echo "FAILED: $version does not build the reactor" >&2
	exit 1
fi
for (( ;; )); do
	echo "module${off[*]:+ with ${off[*]}}"
	env "${off[@]}" wasm/build.sh build/try-go/all.wasm 2> "$log" && break
	cat "$log" >&2
	step=$(sed -n 's/^wasm\/build.sh: the step \([A-Z]*\) failed$/\1/p' "$log" | tail -1)
	[[ -n $step && " ${off[*]} " != *" NO_$step=1 "* ]] || { failed+=("the build"); break; }
	failed+=("the step $step")
	off+=("NO_$step=1")
done
CTXFOLD_STEPS=$PWD/build/try-go go test -count=1 -timeout 30m ./wasm/check -run '^TestSteps$' -v -requests "${REQUESTS:-1000}" || failed+=("answers")
if [ ${#failed[@]} -gt 0 ]; then
	printf 'FAILED with %s: %s\n' "$version" "$(printf '%s; ' "${failed[@]}")" >&2
	exit 1
fi
ls -l build/try-go/all.wasm
echo "$version builds the module, and its answers are the same. docs/inside/upgrading-go.md says what is left to do."
