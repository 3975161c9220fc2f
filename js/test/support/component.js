import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = new URL("../../../", import.meta.url);

/** The component built by `make component`, below the root of the project. */
const file = new URL("build/ctxfold.component.wasm", root);
const folder = new URL("build/component/", root);
export const SCRIPT = "build/component/ctxfold.js";

/** The reason to skip a test that needs the component, or false. */
export const noComponent =
  existsSync(file) || process.env.CI === "true" ? false : `no ${file.pathname}: make component builds it`;

/** The folder in which `make component` has installed jco. */
const tools = process.env.CTXFOLD_TOOLS || fileURLToPath(new URL("build/tools", root));
const require = createRequire(`${tools}/component/package.json`);

/** Imports a part of jco. @param {string} part @returns {Promise<any>} */
const jco = (part) => import(pathToFileURL(require.resolve(`@bytecodealliance/jco-transpile${part}`)).href);

/** Returns the WIT of the component, as read by wasm-tools. @returns {Promise<string>} */
export async function witOf() {
  const { componentWit } = await jco("/wasm-tools");
  return componentWit(await readFile(file));
}

/** Writes the JavaScript of the component next to it. */
export async function transpiled() {
  const { transpileBytes } = await jco("");
  const { files } = await transpileBytes(await readFile(file), {
    name: "ctxfold",
    instantiation: "async",
    nodejsCompat: false,
    tlaCompat: false,
    base64Cutoff: 0,
  });
  for (const [name, bytes] of Object.entries(files)) {
    const to = new URL(name, folder);
    await mkdir(dirname(fileURLToPath(to)), { recursive: true });
    await writeFile(to, /** @type {Uint8Array} */ (bytes));
  }
  await writeFile(new URL("package.json", folder), '{"type":"module"}\n');
}

/**
 * Returns an instance of the component, and the memory of its module.
 * @returns {Promise<{engine: any, memory: WebAssembly.Memory}>}
 */
export async function instance() {
  const { instantiate } = await import(new URL("ctxfold.js", folder).href);
  const core = await readFile(new URL("ctxfold.core.wasm", folder));
  /** @type {any} */
  let exports;
  const { engine } = await instantiate(
    () => WebAssembly.compile(core),
    {},
    async (/** @type {WebAssembly.Module} */ module, /** @type {WebAssembly.Imports} */ imports) => {
      const instance = await WebAssembly.instantiate(module, imports);
      exports ??= instance.exports;
      return instance;
    },
  );
  return { engine, memory: exports.memory };
}
