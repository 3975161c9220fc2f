// The bundlers that are too heavy for every run: make test-js-long installs and runs them.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createServer } from "node:net";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openPage } from "../support/browser.js";
import { packedInto } from "../support/packed.js";
import { files, serve } from "../support/server.js";
import { session } from "../support/session.js";

const run = promisify(execFile);

/** A free port of this machine. @returns {Promise<number>} */
const freePort = () =>
  new Promise((free) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => free(port));
    });
  });

/**
 * Starts a tool's own server in its fixture and waits until it answers. It ends with the test, with its children.
 * @param {import("node:test").TestContext} t @param {string} cwd @param {string[]} command
 */
async function started(t, cwd, [command, ...args]) {
  const port = await freePort();
  const child = spawn(`${cwd}/node_modules/.bin/${command}`, [...args, "--port", String(port)], {
    cwd,
    detached: true,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", NEXT_TELEMETRY_DISABLED: "1" },
  });
  t.after(() => process.kill(-Number(child.pid)));
  const address = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 300; i++) {
    if (
      await fetch(address).then(
        () => true,
        () => false,
      )
    )
      return address;
    await new Promise((later) => setTimeout(later, 200));
  }
  throw new Error(`${command} does not answer`);
}

/** @param {string} address */
async function compacts(address) {
  const response = await fetch(address, { method: "POST", body: JSON.stringify(session(20)) });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(JSON.parse(text).reason, "compacted");
}

/** @param {import("node:test").TestContext} t @param {string} address */
async function shows(t, address) {
  const page = await openPage(t);
  await page.goto(address);
  const status = page.getByRole("status").filter({ hasText: "main:" });
  await status.waitFor();
  assert.equal(await status.textContent(), "main: compacted");
}

test("Parcel builds the page", { timeout: 300_000 }, async (t) => {
  const cwd = await packedInto("parcel");
  const build = ["build", "index.html", "--dist-dir", "dist", "--no-cache", "--no-source-maps", "--public-url", "./"];
  await run(`${cwd}/node_modules/.bin/parcel`, build, { cwd });
  await shows(t, `${await serve(t, files(pathToFileURL(`${cwd}/dist/`)))}/`);
});

test("wrangler builds the worker and runs it in workerd", { timeout: 300_000 }, async (t) => {
  const cwd = await packedInto("wrangler");
  const dryRun = ["deploy", "--dry-run", "--outdir", "dist"];
  const env = { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false" };
  await run(`${cwd}/node_modules/.bin/wrangler`, dryRun, { cwd, env });
  await compacts(await started(t, cwd, ["wrangler", "dev", "--ip", "127.0.0.1", "--local"]));
});

test("Next.js builds the page, the Node route and the edge route", { timeout: 400_000 }, async (t) => {
  const cwd = await packedInto("next");
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  await run(`${cwd}/node_modules/.bin/next`, ["build"], { cwd, env });
  const address = await started(t, cwd, ["next", "start", "--hostname", "127.0.0.1"]);
  await compacts(`${address}/api/node`);
  await compacts(`${address}/api/edge`);
  await shows(t, address);
});
