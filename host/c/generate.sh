#!/bin/sh
# Translates the module to C: generate.sh MODULE FOLDER
#
# It needs wasm2c 1.0.32 (Debian: wabt), and writes into FOLDER
#   module.h            the exports and the type of an instance
#   module-inner.h      what all parts share
#   module-00.c …       the parts, about 160,000 lines each: a compiler takes 200 MB for one, and 3.5 GB for all at once
#   operations.inc      OP(name) for each operation that the module has
# Compile them with this folder's wasm-rt.h, not with the one that comes with wasm2c.
set -eu

module=$1 out=$2
command -v "${WASM2C:-wasm2c}" > /dev/null || {
	echo 'generate.sh: wasm2c 1.0.32 is missing (Debian: wabt); a source package of a release (sdist, crate, gem, C archive) needs only a C compiler' >&2
	exit 1
}
version=$("${WASM2C:-wasm2c}" --version)
case $version in
1.0.32*) ;;
*) echo "generate.sh: this is wasm2c $version; what others than 1.0.32 write looks otherwise" >&2; exit 1 ;;
esac
mkdir -p "$out"
rm -f "$out"/module*.[ch] "$out"/operations.inc
"${WASM2C:-wasm2c}" "$module" -n ctxfold -o "$out/module.c"

# The translation is one file of static functions. This script gives them unique names, so that a program may contain other modules too,
# and splits them into parts that are compiled separately. The empty asm, which keeps loads whose result is unused, is only needed by
# runtimes that detect traps by signals.
awk -v out="$out" -v lines=160000 '
function part() {
	file = sprintf("%s/module-%02d.c", out, parts++)
	printf "#include \"module-inner.h\"\n\n" > file
	written = 0
}
BEGIN { inner = out "/module-inner.h"; file = inner; part(); data = file; file = inner }
/^#include "/ { print "#include \"module.h\"" > file; next }
/^#include <alloca.h>/ { print "#include <stdlib.h>" > file; next } # has alloca too, and Windows has no alloca.h
/^static u32 func_types\[/ { print "extern __attribute__((visibility(\"hidden\"))) " substr($0, 8) > inner; print substr($0, 8) > data; file = data; next }
/^static (u32|u64|f32|f64|void) w2c_.*\);$/ { file = inner; print "__attribute__((visibility(\"hidden\"))) " substr($0, 8) > file; next }
/^static void init_globals/ { file = data }
/^static (u32|u64|f32|f64|void) w2c_.*{$/ {
	if (file == data || written > lines) {
		if (file != data) close(file)
		part()
	}
	print substr($0, 8) > file
	next
}
/^\/\* export: / { file = data }
/wasm_asm\("" ::"r"/ { next }
{ sub(/^ +/, ""); written++; print > file }
' "$out/module.c"
sed -i 's/w2c_f\([0-9]\)/cxf_f\1/g' "$out"/module-*.[ch]
sed -n 's/^u64 Z_ctxfoldZ_ctxfold_\([a-z_]*\)(.*/OP(\1)/p' "$out/module.h" > "$out/operations.inc"
rm "$out/module.c"
