// Runs workerd and measures the cost of requests. The measurements only work on Linux.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const js = fileURLToPath(new URL("../../", import.meta.url));
const fixture = createRequire(`${js}fixtures/runtimes/package.json`);

/** The version of workerd on npm. */
export const version = fixture("workerd/package.json").version;

/**
 * Bundles a worker with the built package.
 * @param {{contents: string, resolveDir: string}} stdin
 * @param {string} folder the folder to write the worker and the module to
 */
export async function bundle(stdin, folder) {
  const { build } = await import(pathToFileURL(fixture.resolve("esbuild")).href);
  await build({
    stdin,
    outfile: `${folder}/worker.js`,
    alias: { ctxfold: `${js}dist/workerd.js` },
    bundle: true,
    minify: true,
    format: "esm",
    external: ["cloudflare:workers", "node:*"],
    loader: { ".wasm": "copy" },
    assetNames: "[name]",
    logLevel: "error",
  });
}

/**
 * Starts workerd with a worker that `bundle` has written to a folder, or with an empty worker.
 * @param {import("node:test").TestContext} t
 * @param {string} folder
 * @param {Record<string, string | number> | undefined} bindings undefined for the empty worker
 * @param {string[]} [flags] of V8
 * @param {string[]} [compatibility] flags of workerd
 */
export async function start(t, folder, bindings, flags = [], compatibility = []) {
  const texts = Object.entries(bindings ?? {}).map(([name, value]) => `(name = "${name}", text = "${value}"),`);
  const modules = bindings
    ? `(name = "worker.js", esModule = embed "worker.js"), (name = "ctxfold.wasm", wasm = embed "ctxfold.wasm"),`
    : `(name = "worker.js", esModule = "export default { fetch: () => new Response() };"),`;
  const objects = `durableObjectNamespaces = [(className = "ConversationObject", uniqueKey = "c", enableSql = true)],
    durableObjectStorage = (localDisk = "disk"),
    bindings = [${texts.join(" ")} (name = "CONVERSATIONS", durableObjectNamespace = "ConversationObject")],`;
  const disk = await mkdtemp(`${folder}/disk-`);
  const config = `${bindings ? "worker" : "empty"}.capnp`;
  await writeFile(
    `${folder}/${config}`,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = [${flags.map((flag) => JSON.stringify(flag)).join(", ")}],
  services = [
    (name = "main", worker = (
      compatibilityDate = "2026-01-01",
      compatibilityFlags = [${compatibility.map((flag) => JSON.stringify(flag)).join(", ")}],
      modules = [${modules}],
      ${bindings ? objects : ""}
    )),
    (name = "internet", network = (allow = ["private", "public"])),
    ${bindings ? `(name = "disk", disk = (path = "${disk}", writable = true)),` : ""}
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  );
  // The launcher of the npm package would end without ending its child, so the binary is started directly.
  const child = spawn(fixture("workerd").default, ["serve", config, "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  const ended = new Promise((end) => child.once("exit", end));
  const stop = async () => {
    child.kill();
    await ended;
  };
  t.after(stop);
  const control = /** @type {import("node:stream").Readable} */ (child.stdio[3]);
  /** @type {number} */
  const port = await new Promise((listening, failed) => {
    child.once("exit", (code) => failed(new Error(`workerd ended with ${code}`)));
    let text = "";
    control.on("data", (chunk) => {
      text += chunk;
      const line = text.split("\n").find((each) => each.includes('"listen"'));
      if (line) listening(JSON.parse(line).port);
    });
  });
  const { pid } = child;
  return {
    stop,
    /** Sends a request to the worker. @param {string} path @param {any} [init] */
    fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    /** Returns the CPU time of the worker's thread in milliseconds; V8 compiles on other threads. */
    cpu: async () => Number((await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ")[0]) / 1e6,
  };
}
