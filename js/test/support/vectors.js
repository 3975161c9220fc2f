import { readdir, readFile } from "node:fs/promises";

const folder = new URL("../../../testdata/vectors/", import.meta.url);

/** The files of the conformance vectors. */
export const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();

/** @type {import("./conformance.js").Vector[]} */
export const all = [];
for (const name of names) all.push(...JSON.parse(await readFile(new URL(name, folder), "utf8")));

/** The vectors for the module that is shipped; the others are for the full module. */
export const vectors = all.filter((vector) => !vector.full);
