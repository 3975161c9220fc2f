// node plugin.mjs module.wasm > plugin.wat: writes the code that turns the module into an Extism plug-in. Each operation becomes a function
// without parameters, which copies the request out of the host's memory, runs the operation, and copies the answer back. memory_bytes
// returns the size of the module's own memory as 8 bytes, in little-endian order.
import { readFileSync } from "node:fs";

const exported = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(process.argv[2])));
const ops = exported
  .map(({ name }) => name.replace(/^ctxfold_/, ""))
  .filter((name) => name !== "memory" && name !== "alloc" && name !== "free");

process.stdout.write(`(module
  (type $op (func (param i32 i32) (result i64)))
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (import "extism:host/env" "input_load_u8" (func $input_load_u8 (param i64) (result i32)))
  (import "extism:host/env" "input_load_u64" (func $input_load_u64 (param i64) (result i64)))
  (import "extism:host/env" "alloc" (func $host_alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (import "ctxfold" "memory" (memory 0))
  (import "ctxfold" "ctxfold_alloc" (func $alloc (param i32) (result i32)))
  (import "ctxfold" "ctxfold_free" (func $free (param i32)))
${ops.map((op) => `  (import "ctxfold" "ctxfold_${op}" (func $${op} (type $op)))`).join("\n")}
  (table $ops funcref (elem ${ops.map((op) => `$${op}`).join(" ")}))

  (func $run (param $op i32) (result i32)
    (local $request i32) (local $size i64) (local $at i64) (local $answer i64) (local $out i64)
    (local.set $size (call $input_length))
    (local.set $request (call $alloc (i32.wrap_i64 (local.get $size))))
    (block $read
      (loop $words
        (br_if $read (i64.gt_u (i64.add (local.get $at) (i64.const 8)) (local.get $size)))
        (i64.store (i32.add (local.get $request) (i32.wrap_i64 (local.get $at))) (call $input_load_u64 (local.get $at)))
        (local.set $at (i64.add (local.get $at) (i64.const 8)))
        (br $words)))
    (block $all
      (loop $bytes
        (br_if $all (i64.ge_u (local.get $at) (local.get $size)))
        (i32.store8 (i32.add (local.get $request) (i32.wrap_i64 (local.get $at))) (call $input_load_u8 (local.get $at)))
        (local.set $at (i64.add (local.get $at) (i64.const 1)))
        (br $bytes)))
    (local.set $answer (call_indirect $ops (type $op) (local.get $request) (i32.wrap_i64 (local.get $size)) (local.get $op)))
    (call $free (local.get $request))
    (local.set $size (i64.and (local.get $answer) (i64.const 0xffffffff)))
    (local.set $answer (i64.shr_u (local.get $answer) (i64.const 32)))
    (local.set $out (call $host_alloc (local.get $size)))
    (local.set $at (i64.const 0))
    (block $written
      (loop $words
        (br_if $written (i64.gt_u (i64.add (local.get $at) (i64.const 8)) (local.get $size)))
        (call $store_u64 (i64.add (local.get $out) (local.get $at)) (i64.load (i32.wrap_i64 (i64.add (local.get $answer) (local.get $at)))))
        (local.set $at (i64.add (local.get $at) (i64.const 8)))
        (br $words)))
    (block $done
      (loop $bytes
        (br_if $done (i64.ge_u (local.get $at) (local.get $size)))
        (call $store_u8 (i64.add (local.get $out) (local.get $at)) (i32.load8_u (i32.wrap_i64 (i64.add (local.get $answer) (local.get $at)))))
        (local.set $at (i64.add (local.get $at) (i64.const 1)))
        (br $bytes)))
    (call $free (i32.wrap_i64 (local.get $answer)))
    (call $output_set (local.get $out) (local.get $size))
    (i32.const 0))

  (func (export "memory_bytes") (result i32) (local $out i64)
    (local.set $out (call $host_alloc (i64.const 8)))
    (call $store_u64 (local.get $out) (i64.shl (i64.extend_i32_u (memory.size)) (i64.const 16)))
    (call $output_set (local.get $out) (i64.const 8))
    (i32.const 0))

${ops.map((op, i) => `  (func (export "${op}") (result i32) (call $run (i32.const ${i})))`).join("\n")})
`);
