import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { wasiImports } from "../dist/wasi.js";
import { moduleImporting } from "./support/binary.js";

const ctxfold = new WebAssembly.Module(await readFile(new URL("../ctxfold.wasm", import.meta.url)));

/**
 * Returns the shim's functions with these names, with their own memory.
 * @param {string[]} names
 */
function shim(...names) {
  const memory = new WebAssembly.Memory({ initial: 4 });
  const module = new WebAssembly.Module(moduleImporting("wasi_snapshot_preview1", names));
  const functions = /** @type {any} */ (wasiImports(module, () => memory).wasi_snapshot_preview1);
  return { ...functions, view: new DataView(memory.buffer), memory };
}

test("a module gets the functions it asks for, and no others", () => {
  const wanted = WebAssembly.Module.imports(ctxfold).map((i) => i.name);
  const given = Object.keys(
    wasiImports(ctxfold, () => new WebAssembly.Memory({ initial: 1 })).wasi_snapshot_preview1 ?? {},
  );
  assert.deepEqual(given.sort(), [...new Set(wanted)].sort());
  assert.deepEqual(Object.keys(shim("random_get")).sort(), ["memory", "random_get", "view"]);
});

test("a module without imports gets none", () => {
  const module = new WebAssembly.Module(moduleImporting("wasi_snapshot_preview1", []));
  assert.deepEqual(
    wasiImports(module, () => new WebAssembly.Memory({ initial: 1 })),
    {},
  );
});

test("both clocks advance at every look, even when the host's clock stands still", (t) => {
  t.mock.method(performance, "now", () => 5);
  t.mock.method(Date, "now", () => 1_700_000_000_000);
  const { clock_time_get, view } = shim("clock_time_get");
  for (const clock of [0, 1]) {
    let last = 0n;
    for (let i = 0; i < 3; i++) {
      assert.equal(clock_time_get(clock, 0n, 8), 0);
      assert.ok(view.getBigUint64(8, true) > last);
      last = view.getBigUint64(8, true);
    }
  }
});

test("waiting returns at once and moves the clock by the timeout", (t) => {
  t.mock.method(performance, "now", () => 5);
  const { poll_oneoff, clock_time_get, view } = shim("poll_oneoff", "clock_time_get");
  clock_time_get(1, 0n, 0);
  const before = view.getBigUint64(0, true);
  const hour = 3_600_000_000_000n;
  view.setBigUint64(64, 77n, true); // the subscription's user data, which its event returns
  view.setUint32(64 + 16, 1, true);
  view.setBigUint64(64 + 24, hour, true);
  assert.equal(poll_oneoff(64, 256, 1, 512), 0);
  assert.equal(view.getUint32(512, true), 1);
  assert.equal(view.getBigUint64(256, true), 77n);
  assert.equal(view.getUint16(256 + 8, true), 0);
  clock_time_get(1, 0n, 0);
  assert.ok(view.getBigUint64(0, true) - before >= hour);

  // The same, with a point in time instead of a duration.
  const until = view.getBigUint64(0, true) + hour;
  view.setBigUint64(64 + 24, until, true);
  view.setUint16(64 + 40, 1, true);
  poll_oneoff(64, 256, 1, 512);
  clock_time_get(1, 0n, 0);
  assert.ok(view.getBigUint64(0, true) >= until);
});

test("random bytes fill more than Web Crypto gives at once", () => {
  const { random_get, memory } = shim("random_get");
  assert.equal(random_get(0, 200_000), 0);
  const bytes = new Uint8Array(memory.buffer);
  for (const at of [0, 65_536, 131_072, 199_900]) assert.ok(bytes.subarray(at, at + 100).some((b) => b !== 0));
  assert.ok(bytes.subarray(200_000).every((b) => b === 0));
});

test("what is printed is dropped, and counted as written", () => {
  const { fd_write, view } = shim("fd_write");
  view.setUint32(4, 10, true);
  view.setUint32(12, 32, true);
  assert.equal(fd_write(2, 0, 2, 100), 0);
  assert.equal(view.getUint32(100, true), 42);
});

test("there are no arguments, no environment and no files", () => {
  const wasi = shim("args_sizes_get", "environ_sizes_get", "args_get", "environ_get", "fd_prestat_get", "path_open");
  wasi.view.setUint32(0, 9, true);
  wasi.view.setUint32(4, 9, true);
  assert.equal(wasi.args_sizes_get(0, 4), 0);
  assert.equal(wasi.environ_sizes_get(0, 4), 0);
  assert.equal(wasi.args_get(0, 4), 0);
  assert.equal(wasi.environ_get(0, 4), 0);
  assert.deepEqual([wasi.view.getUint32(0, true), wasi.view.getUint32(4, true)], [0, 0]);
  assert.equal(wasi.fd_prestat_get(3, 0), 8); // EBADF ends a runtime's search for open folders
  assert.equal(wasi.path_open(), 58);
});

test("a module that ends itself is told apart from one that answers", () => {
  assert.throws(() => shim("proc_exit").proc_exit(2), /ended with code 2/);
});
