// Checks who does the work of a page's first call: the page or its worker. With UPDATE_TESTED_ON it also measures, on a slow machine, how
// long the page is blocked and when the answer arrives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { noBrowser, openPage } from "./support/browser.js";
import { files, serve } from "./support/server.js";
import { row, updating, write } from "./support/tested-on.js";

const root = new URL("../../", import.meta.url);
const blank = "/js/test/support/page.html";
/** How many times slower the page is than the machine. */
const SLOWER = 4;
/** The duration from which browsers count a task as long. */
const LONG_MS = 50;
/** The number of pages of which the best one counts, because a garbage collection may interfere. */
const TRIES = 3;

/**
 * Makes one call of `fit` in a new page.
 * @param {import("node:test").TestContext} t
 * @param {{bytes: number, preloads?: boolean, options?: object, kind?: string}} call
 */
async function measured(t, { bytes, preloads = false, options = {}, kind = "live" }) {
  const page = await openPage(t);
  const browser = page.context().browser() ?? assert.fail();
  await page.goto((await serve(t, files(root))) + blank);
  await page.evaluate(
    ({ bytes, kind }) => {
      /** @type {{role: string, content: string}[]} */
      const messages = [];
      for (let size = 0, i = 0; size < bytes; i++) {
        const turn = [
          { role: "user", content: `Question ${i}, größer als 漢字?` },
          { role: "assistant", content: `Answer ${i}: ${"what the file says, in other words. ".repeat(60)}` },
        ];
        messages.push(...turn);
        size += JSON.stringify(turn).length;
      }
      messages.push({ role: "user", content: "And now?" });
      const text = () => JSON.stringify(messages);
      const given = kind === "live" ? messages : kind === "text" ? text() : new TextEncoder().encode(text());
      Object.assign(globalThis, { given });
    },
    { bytes, kind },
  );
  if (updating) {
    // a slower page is one whose thread runs idle, which keeps the processor busy
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline", "blink.user_timing"] });
  }
  const result = await page.evaluate(
    async ({ preloads, options }) => {
      const { given } = /** @type {any} */ (globalThis);
      const counts = { workers: 0, compiled: 0 };
      const scope = /** @type {any} */ (globalThis);
      const { Worker } = scope;
      scope.Worker = class extends Worker {
        /** @param {any[]} args */
        constructor(...args) {
          super(...args);
          counts.workers++;
        }
      };
      for (const name of ["compile", "compileStreaming", "instantiate", "instantiateStreaming", "Module"]) {
        const work = scope.WebAssembly[name];
        scope.WebAssembly[name] = new Proxy(work, {
          apply: (target, self, args) => {
            counts.compiled++;
            return Reflect.apply(target, self, args);
          },
          construct: (target, args) => {
            counts.compiled++;
            return Reflect.construct(target, args);
          },
        });
      }
      performance.mark("begin");
      const { fit, preload } = await import(/** @type {any} */ ("/js/dist/index.js"));
      if (preloads) await preload();
      const start = performance.now();
      const { report } = await fit(given, { window: 16_000, format: "openai-chat", ...options });
      const time = performance.now() - start;
      await new Promise((later) => setTimeout(later, 100));
      performance.mark("end");
      return { time, ...counts, reason: report.reason };
    },
    { preloads, options },
  );
  const block = updating ? longest(JSON.parse((await browser.stopTracing()).toString()).traceEvents) : 0;
  await page.close();
  assert.equal(result.reason, "compacted");
  return { ...result, block };
}

/**
 * Returns the longest task of the page between its marks, in milliseconds of CPU time. Other load on the machine does not count, but the
 * time that the browser idles to simulate a slower machine does.
 * @param {any[]} events of a trace
 */
function longest(events) {
  const [begin, end] = ["begin", "end"].map((mark) => events.find(({ name }) => name === mark) ?? assert.fail(mark));
  const tasks = events.filter(
    ({ name, tid, pid, ts }) =>
      name === "RunTask" && tid === begin.tid && pid === begin.pid && ts > begin.ts && ts < end.ts,
  );
  assert.ok(tasks.length > 1, "the trace has no tasks");
  // Some events of a trace have no thread time, and some have no end. These are measured by elapsed time, up to the end mark.
  return Math.max(...tasks.map(({ ts, dur, tdur }) => tdur ?? dur ?? end.ts - ts)) / 1000;
}

/** Returns the attempt with the shortest block, or the only one if nothing is measured. @param {import("node:test").TestContext} t @param {Parameters<typeof measured>[1]} call */
async function best(t, call) {
  const tries = [];
  for (let i = 0; i < TRIES; i++) {
    tries.push(await measured(t, call));
    if (tries.some(({ block }) => block < LONG_MS)) break;
  }
  return tries.sort((a, b) => a.block - b.block)[0] ?? assert.fail();
}

/** @type {[name: string, call: Parameters<typeof measured>[1], blocks: boolean][]} */
const CALLS = [
  ["`fit` of 500 KB, `worker: false`", { bytes: 500_000, options: { worker: false } }, true],
  ["`fit` of 500 KB", { bytes: 500_000 }, false],
  ["`fit` of 500 KB, after `preload()`", { bytes: 500_000, preloads: true }, false],
  ["`fit` of 10 MB", { bytes: 10_000_000 }, false],
  ["`fit` of 10 MB, as text", { bytes: 10_000_000, kind: "text" }, false],
  ["`fit` of 10 MB, as bytes", { bytes: 10_000_000, kind: "bytes" }, false],
];
for (const [name, call, blocks] of CALLS) {
  test(`a page is ${blocks ? "" : "not "}blocked: ${name}`, { skip: noBrowser }, async (t) => {
    const { block, time, workers, compiled } = await best(t, call);
    if (updating) await write("first-load", name, `${block.toFixed(0)} ms`, `${time.toFixed(0)} ms`);
    assert.ok(await row("first-load", name), "docs/start/platforms.md needs a row for this: run npm run tested-on");
    // Checks who does the work instead of how long the page is blocked, which depends on the machine.
    if (blocks) assert.ok(workers === 0 && compiled > 0, `${workers} workers, and ${compiled} modules in the page`);
    else assert.deepEqual([workers, compiled], [1, 0], "the page does the work of the worker");
  });
}
