import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { packedInto } from "./support/packed.js";
import { testedOn } from "./support/tested-on.js";
import { vectors } from "./support/vectors.js";

const run = promisify(execFile);
const fixture = fileURLToPath(new URL("../fixtures/runtimes", import.meta.url));
const build = `${fixture}/build`;
const installed = createRequire(`${fixture}/package.json`);

const PROGRAM = "vectors, compaction, `/worker`, `/inline`";
const SERVER = "vectors, compaction, made at module scope";

before(async () => {
  await packedInto("runtimes");
  for (const folder of ["runtimes", "support"]) {
    await cp(new URL(folder, import.meta.url), `${build}/${folder}`, { recursive: true });
  }
  await writeFile(`${build}/vectors.json`, JSON.stringify(vectors));
});

/** @param {{passed: number, failures: string[], reason: string, same: boolean, version: string}} result */
function allRight({ passed, failures, reason, same, version }) {
  assert.deepEqual(failures, []);
  assert.equal(passed, vectors.length);
  assert.equal(reason, "compacted");
  assert.equal(same, true);
  assert.match(version, /^\d+\.\d+\.\d+$/);
}

/** @type {[name: string, command: string, args: string[]][]} */
const programs = [
  ["Node (oldest)", process.execPath, []],
  ["Node (newest)", `${fixture}/node_modules/.bin/node`, []],
  ["Bun", `${fixture}/node_modules/.bin/bun`, []],
  ["Deno", `${fixture}/node_modules/.bin/deno`, ["run", "--quiet", "--no-lock", "--no-remote", "--allow-read"]],
];

for (const [name, command, args] of programs) {
  test(`${name}: vectors byte for byte, a compaction, and one in a worker`, async () => {
    const { stdout } = await run(command, [...args, `${build}/runtimes/program.js`], {
      cwd: fixture,
      maxBuffer: 1 << 26,
    });
    allRight(JSON.parse(stdout));
    const { stdout: version } = await run(command, ["--version"]);
    await testedOn(name, version.match(/\d+(\.\d+)+/)?.[0] ?? "", PROGRAM);
  });
}

/**
 * Bundles the handler as a platform's own tool would, by its export condition.
 * @param {string} condition
 * @param {import("../fixtures/runtimes/node_modules/esbuild/lib/main.js").BuildOptions} options
 */
async function bundled(condition, options) {
  const { build: bundle } = await import(pathToFileURL(installed.resolve("esbuild")).href);
  await bundle({ bundle: true, conditions: [condition], absWorkingDir: build, logLevel: "error", ...options });
}

test("workerd: vectors byte for byte and a compaction", async () => {
  const folder = `${build}/workerd`;
  await bundled("workerd", {
    entryPoints: ["runtimes/handler.js"],
    outfile: `${folder}/worker.js`,
    format: "esm",
    loader: { ".wasm": "copy" },
    assetNames: "[name]",
  });
  await writeFile(
    `${folder}/config.capnp`,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    compatibilityDate = "2026-01-01",
    modules = [
      (name = "worker.js", esModule = embed "worker.js"),
      (name = "ctxfold.wasm", wasm = embed "ctxfold.wasm"),
    ],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  );
  const command = `${fixture}/node_modules/.bin/workerd`;
  // The npm package's launcher would end without its child, so the binary is started directly.
  const { default: binary } = installed("workerd");
  const workerd = spawn(binary, ["serve", "config.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  after(() => workerd.kill());
  const control = /** @type {import("node:stream").Readable} */ (workerd.stdio[3]);
  const { port } = await new Promise((listening, failed) => {
    workerd.on("exit", (code) => failed(new Error(`workerd ended with ${code}`)));
    let text = "";
    control.on("data", (chunk) => {
      text += chunk;
      const line = text.split("\n").find((each) => each.includes('"listen"'));
      if (line) listening(JSON.parse(line));
    });
  });
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    body: await readFile(`${build}/vectors.json`),
  });
  allRight(/** @type {any} */ (await response.json()));
  const { stdout: version } = await run(command, ["--version"]);
  await testedOn("workerd", version.trim().split(" ").at(-1) ?? "", SERVER);
});

test("Edge Runtime: vectors byte for byte and a compaction", async () => {
  const outfile = `${build}/edge-light.js`;
  await bundled("edge-light", {
    stdin: {
      contents: `import { answer } from "./runtimes/handler.js"; globalThis.answer = answer;`,
      resolveDir: build,
    },
    outfile,
    format: "iife",
    plugins: [
      {
        name: "modules are handed over by the platform",
        setup(/** @type {any} */ builder) {
          builder.onResolve({ filter: /\.wasm\?module$/ }, () => ({ path: "ctxfold", namespace: "wasm" }));
          builder.onLoad({ filter: /.*/, namespace: "wasm" }, () => ({ contents: "export default globalThis.OWN" }));
        },
      },
    ],
  });
  const { EdgeVM } = await import(pathToFileURL(installed.resolve("@edge-runtime/vm")).href);
  const OWN = await WebAssembly.compile(await readFile(new URL("../ctxfold.wasm", import.meta.url)));
  const vm = new EdgeVM({
    codeGeneration: { strings: false, wasm: false },
    extend: (/** @type {any} */ context) => Object.assign(context, { OWN }),
    initialCode: await readFile(outfile, "utf8"),
  });
  const { passed, failures, reason, same, version: own } = await vm.evaluate("answer")(vectors);
  // Its arrays belong to another realm, so they are copied.
  allRight({ passed, failures: [...failures], reason, same, version: own });
  const { version } = installed("@edge-runtime/vm/package.json");
  await testedOn("Edge Runtime", version, SERVER);
});
