#!/usr/bin/env bash
# wasm/check/build.sh FOLDER NAME…: builds modules into a folder and removes other modules from it. The names are all (all steps), none (no
# step), no-jumps (all but this one), stress-move (all, under stress; STRESSED=NO_COALESCE=1 skips this step for those), and full.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$1
shift
mkdir -p "$folder"
for file in "$folder"/*.wasm; do
	name=$(basename "$file" .wasm)
	[[ " $* " == *" $name "* ]] || rm -f "$file"
done
for name in "$@"; do
	switches=()
	case $name in
	none) for step in LEAN SMALL CLEAR QUIET COLLECT RESUME LINES JUMPS START DEAD COALESCE SEGMENTS; do switches+=("NO_$step=1"); done ;;
	no-*) step=${name#no-} switches=("NO_${step^^}=1") ;;
	stress-*) switches=("STRESS=${name#stress-}" ${STRESSED:-}) ;;
	esac
	full=; [ "$name" != full ] || full=--full
	echo "$name" >&2
	env "${switches[@]}" wasm/build.sh $full "$folder/$name.wasm"
done
