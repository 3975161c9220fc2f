import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
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

/** Declarations that the code blocks in documents expect from the reader's own program. */
const prelude = `
import { session, summary } from "../support/session.js";
const history = session(60);
const askMyModel = async () => summary;
`;

/** Returns a connected client, with its own server, for a code block that needs one. */
const client = (/** @type {string} */ url) => `
import { createRequire } from "node:module";
const { createClient } = createRequire(new URL("../../fixtures/stores/package.json", import.meta.url))("redis");
const client = await createClient({ url: ${JSON.stringify(url)} }).connect();
client.unref();
`;

/**
 * The documents whose code blocks are run here, with their minimum number of blocks; fresh-start.test.js runs those of the other start
 * pages.
 */
const DOCUMENTS = /** @type {const} */ ([
  ["js/README.md", 5],
  ["docs/start/integrations.md", 6],
  ["docs/start/platforms.md", 2],
]);

for (const [name, least] of DOCUMENTS) {
  test(`the code of ${name} runs`, async (t) => {
    const text = await readFile(new URL(`../../${name}`, import.meta.url), "utf8");
    const blocks = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
    assert.ok(blocks.length >= least, `${blocks.length} blocks`);
    const folder = await mkdtemp(fileURLToPath(new URL("./document-", import.meta.url)));
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
}

test("the files that docs/start/platforms.md preloads are in the package", async () => {
  const text = await readFile(new URL("../../docs/start/platforms.md", import.meta.url), "utf8");
  const files = [...text.matchAll(/href="\/assets\/ctxfold\/([^"]+)"/g)].map(([, file = ""]) => file);
  assert.ok(files.length >= 2);
  for (const file of files) await access(new URL(`../${file}`, import.meta.url));
});
