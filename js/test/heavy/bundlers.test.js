// Installs the tarball in an empty folder and builds it without configuration, with tools that are too slow for every run. make
// test-js-long runs them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BOTH, newcomer } from "../support/newcomer.js";
import { built, shows } from "../support/newcomer-page.js";

/** @param {string} address */
async function answers(address) {
  const response = await fetch(address);
  assert.deepEqual([response.status, await response.text()], [200, BOTH]);
}

test("Parcel builds the page", async (t) => {
  const { folder, run, tested } = await newcomer(t, ["parcel@2.16.4"], ["both.js", "main.js", "index.html"]);
  await run("parcel", "build", "index.html");
  await built(t, `${folder}/dist`, BOTH, 1);
  await tested("Parcel", "parcel", "the page, `fit` in a worker");
});

test("wrangler builds the worker and runs it in workerd", async (t) => {
  const { run, started, tested } = await newcomer(t, ["wrangler@4.86.0"], ["both.js", "worker.js"]);
  const date = ["--compatibility-date", "2026-01-01"];
  await run("wrangler", "deploy", "worker.js", "--name", "newcomer", "--dry-run", "--outdir", "dist", ...date);
  await answers(`${await started(["wrangler", "dev", "worker.js", "--ip", "127.0.0.1", "--local", ...date])}/both`);
  await tested("wrangler", "wrangler", "the worker, run in workerd");
});

test("Next.js builds the page, the Node route and the edge route", async (t) => {
  const packages = ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1"];
  const { run, started, tested } = await newcomer(t, packages, { app: "next/app", "both.js": "both.js" });
  await run("next", "build");
  const address = await started(["next", "start", "--hostname", "127.0.0.1"]);
  await answers(`${address}/api/node`);
  await answers(`${address}/api/edge`);
  await shows(t, address, BOTH, 1);
  await tested("Next.js", "next", "the page, `fit` in a worker; a Node route, an edge route");
});

// Their optimizer leaves files next to the code behind, so the module comes from the code, and fit works in the page.
for (const version of ["5.4.21", "6.4.6", "7.3.8"]) {
  test(`Vite ${version} builds the page, and serves it in development`, async (t) => {
    const { folder, run, started, tested } = await newcomer(
      t,
      [`vite@${version}`],
      ["both.js", "main.js", "index.html"],
    );
    await run("vite", "build", "--logLevel", "error");
    await built(t, `${folder}/dist`, BOTH, 1);
    await shows(t, await started(["vite", "--host", "127.0.0.1"]), BOTH, 0);
    const [major] = version.split(".");
    await tested(
      `Vite ${major}`,
      "vite",
      "the page, `fit` in a worker; in development `fit` in the page, the module inside the code",
    );
  });
}
