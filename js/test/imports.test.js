// Tests that no file of the package imports itself, directly or through others. A cycle that consists only of types does no harm
// at run time, but then no file in it can be understood, moved or replaced without the others.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { test } from "node:test";

const src = new URL("../src/", import.meta.url);

/** Imports and re-exports of a relative path: values, types, only effects, on demand, or a type within a type. */
const RELATIVE = /\b(?:from|import)\s*\(?\s*["'](\.[^"']+)\.js["']/g;

/**
 * Returns the files that a file imports, without suffix, relative to src. Only comments that begin a line are removed,
 * because the text of a string may look like the beginning of one.
 * @param {string} file
 * @param {string} text
 */
function importsOf(file, text) {
  const code = text.replace(/^\s*(?:\/\*.*?\*\/|\/\/[^\n]*)/gms, "");
  return [...code.matchAll(RELATIVE)].map(([, path = ""]) => posix.join(posix.dirname(file), path));
}

/**
 * Returns a path through the graph that ends where it begins; undefined if there is none.
 * @param {Map<string, string[]>} graph
 * @returns {string[] | undefined}
 */
function cycleIn(graph) {
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {string[]} */
  const path = [];
  /** @type {(file: string) => string[] | undefined} */
  const visit = (file) => {
    if (done.has(file)) return undefined;
    const at = path.indexOf(file);
    if (at >= 0) return [...path.slice(at), file];
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const found = visit(file);
    if (found) return found;
  }
  return undefined;
}

test("every kind of import is found", () => {
  const text = `
    /** import { no } from "./comment.js"; */
    // import "./line.js";
    import { value } from "./value.js";
    import type { Type } from "./type.js";
    import {
      one,
      other,
    } from "../lines.js";
    import "./effect.js";
    import outside from "node:fs";
    export type * from "./exported.js";
    const later = async () => import("./later.js");
    type Within = import("./within.js").Within;
    const all = "folder/*";
    import "./between.js";
    /* import "./block.js"; */
  `;
  const names = ["value", "type", "lines", "effect", "exported", "later", "within", "between"];
  assert.deepEqual(
    importsOf("folder/file", text),
    names.map((name) => (name === "lines" ? name : `folder/${name}`)),
  );
});

test("a cycle is found, and a file that two others import is none", () => {
  const graph = Object.entries({ a: ["b", "c"], b: ["d"], c: ["d"], d: ["e"], e: [] });
  assert.equal(cycleIn(new Map(graph)), undefined);
  assert.deepEqual(cycleIn(new Map([...graph, ["e", ["b"]]])), ["b", "d", "e", "b"]);
  assert.deepEqual(cycleIn(new Map([["self", ["self"]]])), ["self", "self"]);
});

test("the imports of the package have no cycle, types included", async () => {
  /** @type {Map<string, string[]>} */
  const graph = new Map();
  for (const path of await readdir(src, { recursive: true })) {
    if (!path.endsWith(".ts")) continue;
    const file = path.replaceAll("\\", "/").replace(/\.ts$/, "");
    graph.set(file, importsOf(file, await readFile(new URL(path, src), "utf8")));
  }
  assert.ok(graph.get("pool")?.includes("fit-jobs"), "an import on demand is not seen");
  assert.ok(graph.get("fit-options")?.includes("usage"), "an import of a type is not seen");
  assert.equal(cycleIn(graph)?.join(" → "), undefined, "these files import each other");
});
