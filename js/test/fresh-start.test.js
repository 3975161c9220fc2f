// Follows the start pages to the letter, as somebody would who has never seen the project: in an empty folder outside the repository, with
// nothing but the blocks of the page. Blocks that begin with a file name become that file, sh blocks are run, and the text block after one
// is its expected output. Nothing is published for this: npm and go get the packages by name from this working tree. With empty caches
// README.md takes 150 s on two busy cores, mostly to build the command; the other pages take 5 to 20 s.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packed } from "./support/packed.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const PAGES = ["README.md", "docs/start/javascript.md", "docs/start/go.md", "docs/start/command.md"];
/** What the pages promise from nothing to a compaction, for each of them. */

/** The folder from which the packages are installed. It contains nothing else that a page may use. */
let stock = "";
/** @type {NodeJS.ProcessEnv} */
let env = {};
/** @type {import("node:http").Server} */
let registry;

before(async () => {
  stock = await mkdtemp(`${await realpath(tmpdir())}/ctxfold-stock-`);
  registry = await npmRegistry();
  const { port } = /** @type {import("node:net").AddressInfo} */ (registry.address());
  env = {
    ...process.env,
    PATH: `${stock}/go/bin:${process.env.PATH}`,
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: `${stock}/npm`,
    npm_config_update_notifier: "false",
    ...(await goModules()),
  };
});

after(async () => {
  registry?.close();
  await rm(stock, { recursive: true, force: true });
});

/** Starts a registry with one package: this one, as npm would publish it. */
async function npmRegistry() {
  const name = await packed(stock);
  const tarball = await readFile(`${stock}/${name}`);
  const manifest = JSON.parse(await readFile(`${root}js/package.json`, "utf8"));
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    if (request.url === `/${name}`) return response.end(tarball);
    if (request.url !== "/ctxfold") return response.writeHead(404).end("{}");
    const dist = { tarball: `http://${request.headers.host}/${name}`, integrity };
    const versions = { [manifest.version]: { ...manifest, dist } };
    response.end(JSON.stringify({ name: "ctxfold", "dist-tags": { latest: manifest.version }, versions }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Makes a Go proxy with the modules of the workspace. Their dependencies come from the machine's module cache. */
async function goModules() {
  await run("go", ["run", "./internal/modproxy", `${stock}/proxy`], { cwd: root });
  await run("go", ["list", "-deps", "./host/cmd/ctxfold"], { cwd: root, maxBuffer: 1 << 26 }); // fills the module cache
  const cache = (await run("go", ["env", "GOMODCACHE"], { cwd: root })).stdout.trim();
  return {
    GOPATH: `${stock}/go`,
    GOBIN: "",
    GOMODCACHE: "",
    GOWORK: "off",
    GOPROXY: `file://${stock}/proxy,file://${cache}/cache/download`,
    GOSUMDB: "off",
    // The cache can be removed, the next page finds earlier builds, and what is only built to be run once is neither optimized nor debugged.
    GOFLAGS: "-modcacherw -trimpath -ldflags=-w '-gcflags=github.com/ctxfold/...=-N -l -dwarf=false'",
  };
}

/** Returns the fenced blocks of a page. @param {string} page */
async function blocksOf(page) {
  const text = await readFile(root + page, "utf8");
  const found = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return found.map(([, kind = "", code = ""]) => ({ kind, code }));
}

/**
 * Fails unless a command has printed the output on the page. Numbers may be a quarter larger or smaller, because the estimator keeps
 * improving.
 * @param {string} printed
 * @param {string} said
 */
function assertPrinted(printed, said) {
  const parts = said.trim().split(/(\d[\d,.]*)/);
  const escaped = (/** @type {string} */ part) => part.replace(/[^\w\s]/g, "\\$&").replace(/\s+/g, "\\s+");
  const pattern = new RegExp(parts.map((part, i) => (i % 2 ? "(\\d[\\d,.]*)" : escaped(part))).join(""));
  const found = printed.match(pattern);
  assert.ok(found, `the page says:\n${said}\nand this was printed:\n${printed}`);
  const number = (/** @type {string} */ text) => Number(text.replaceAll(",", ""));
  for (const [i, now] of found.slice(1).entries()) {
    const before = number(parts[2 * i + 1] ?? "");
    assert.ok(
      Math.abs(number(now) - before) <= before / 4,
      `the page says ${before} and this was printed: ${found[0]}`,
    );
  }
}

for (const page of PAGES) {
  test(`a newcomer who has ${page} alone gets to a compaction`, async (t) => {
    const folder = await mkdtemp(`${await realpath(tmpdir())}/ctxfold-fresh-`);
    t.after(() => rm(folder, { recursive: true, force: true }));
    const begun = Date.now();
    let printed = "";
    let all = "";
    for (const { kind, code } of await blocksOf(page)) {
      const [, file] = code.match(/^\/\/ ([\w./-]+\.\w+)\n/) ?? [];
      if (kind === "sh") {
        const shell = run("bash", ["-euo", "pipefail", "-c", code], { cwd: folder, env, maxBuffer: 1 << 26 });
        const { stdout, stderr } = await shell.catch((error) => assert.fail(`${code}\n${error.stderr || error}`));
        printed = stdout + stderr;
        all += printed;
      } else if (kind === "text") {
        assertPrinted(printed, code);
      } else {
        assert.ok(file, `a block of ${page} doesn't begin with the name of its file:\n${code}`);
        await mkdir(dirname(`${folder}/${file}`), { recursive: true });
        await writeFile(`${folder}/${file}`, code);
      }
    }
    assert.match(all, /\bcompacted\b/);
    t.diagnostic(`${page}: ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  });
}
