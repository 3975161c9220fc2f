// Long work of a page pauses by what was done, in a clock of the test's own.
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
  /** What a page does meanwhile. */
  const other = () => {
    others++;
    if (!done) setImmediate(other);
  };
  setImmediate(other);
  for (let item = 0; item < 1000; item++) {
    now += 1; // a millisecond for each
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
