// Writes dist/inline-module.js, which contains the compressed module as a base64 string.
import { readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const wasm = await readFile(new URL("../ctxfold.wasm", import.meta.url));
const text = gzipSync(wasm, { level: 9 }).toString("base64");
await writeFile(new URL("../dist/inline-module.js", import.meta.url), `export const gzip =\n  "${text}";\n`);
