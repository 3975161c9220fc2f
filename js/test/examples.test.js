import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { noServers, startRedis } from "./support/servers.js";

const run = promisify(execFile);

test("the Node example compacts the sample", async () => {
  const cwd = fileURLToPath(new URL("../../examples/node/", import.meta.url));
  await run("npm", ["ci", "--offline"], { cwd });
  const { stdout } = await run("npm", ["start", "--silent"], { cwd });
  const [, before, after] = stdout.match(/^compacted: (\d+) -> (\d+) messages,\n/) ?? [];
  assert.ok(Number(after) < Number(before), stdout);
  const [, tokens, fewer] = stdout.match(/^(\d+) -> (\d+) tokens, digest by the model$/m) ?? [];
  assert.ok(Number(fewer) < Number(tokens), stdout);
});

/** What the blocks of the README take from their reader's own program. */
const prelude = `
import { session, summary } from "../support/session.js";
const history = session(60);
const askMyModel = async () => summary;
`;

/** Where a block takes a connected client, too: one of a server of its own. */
const client = (/** @type {string} */ url) => `
import { createRequire } from "node:module";
const { createClient } = createRequire(new URL("../../fixtures/stores/package.json", import.meta.url))("redis");
const client = await createClient({ url: ${JSON.stringify(url)} }).connect();
client.unref();
`;

test("the code of the README runs", async (t) => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
  assert.ok(blocks.length >= 4);
  const folder = await mkdtemp(fileURLToPath(new URL("./readme-", import.meta.url)));
  t.after(() => rm(folder, { recursive: true }));
  await copyFile(new URL("../../testdata/sessions/claude-code.jsonl", import.meta.url), `${folder}/session.jsonl`);
  for (const [i, code] of blocks.entries()) {
    const file = `${folder}/block${i}.js`;
    const connects = /Memory\(client\)/.test(String(code));
    if (connects && noServers) continue;
    await writeFile(file, prelude + (connects ? client(await startRedis(t)) : "") + code);
    await run(process.execPath, [file], { cwd: folder });
  }
});
