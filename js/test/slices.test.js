// Long work on a page pauses depending on the work done, measured with the test's own clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Slices } from "../dist/slices.js";

test("work pauses after each slice, and lets what is waiting be done", async (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const slices = new Slices();
  let pauses = 0;
  let others = 0;
  let done = false;
  /** Simulates other work of the page. */
  const other = () => {
    others++;
    if (!done) setImmediate(other);
  };
  setImmediate(other);
  for (let item = 0; item < 1000; item++) {
    now += 1; // one millisecond per unit
    if (!slices.over) continue;
    pauses++;
    const before = others;
    while (others === before) await slices.pause();
  }
  done = true;
  assert.equal(pauses, Math.floor(1000 / 9), "a slice is more than eight milliseconds");
});

test("work that ends within a slice is not interrupted", (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const slices = new Slices();
  for (let item = 0; item < 8; item++) {
    now += 1;
    assert.equal(slices.over, false);
  }
});
