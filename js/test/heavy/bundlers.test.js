// The bundlers that are too heavy for every run: make test-js-long installs and runs them.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openPage } from "../support/browser.js";
import { packedInto } from "../support/packed.js";
import { freePort } from "../support/port.js";
import { files, serve } from "../support/server.js";
import { session } from "../support/session.js";
import { testedOn } from "../support/tested-on.js";

const run = promisify(execFile);

/** A row of the README. @param {string} cwd @param {string} name @param {string} what @param {string} id the package */
async function builtWith(cwd, name, what, id) {
  const { version } = JSON.parse(await readFile(`${cwd}/node_modules/${id}/package.json`, "utf8"));
  await testedOn(name, version, what, "bundlers");
}

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
  await builtWith(cwd, "Parcel", "the page", "parcel");
});

test("wrangler builds the worker and runs it in workerd", { timeout: 300_000 }, async (t) => {
  const cwd = await packedInto("wrangler");
  const dryRun = ["deploy", "--dry-run", "--outdir", "dist"];
  const env = { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false" };
  await run(`${cwd}/node_modules/.bin/wrangler`, dryRun, { cwd, env });
  await compacts(await started(t, cwd, ["wrangler", "dev", "--ip", "127.0.0.1", "--local"]));
  await builtWith(cwd, "wrangler", "the worker, run in workerd", "wrangler");
});

test("Next.js builds the page, the Node route and the edge route", { timeout: 400_000 }, async (t) => {
  const cwd = await packedInto("next");
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  await run(`${cwd}/node_modules/.bin/next`, ["build"], { cwd, env });
  const address = await started(t, cwd, ["next", "start", "--hostname", "127.0.0.1"]);
  await compacts(`${address}/api/node`);
  await compacts(`${address}/api/edge`);
  await shows(t, address);
  await builtWith(cwd, "Next.js", "the page, a Node route, an edge route", "next");
});
