// node component.mjs from.wasm wit to.wasm: turns a module that exports the functions of a WIT world in the canonical ABI into a component.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// It is installed with the other build tools, not in this folder.
const require = createRequire(`${process.env.CTXFOLD_COMPONENT_TOOLS}/package.json`);
const { componentEmbed, componentNew, componentWit } = await import(
  pathToFileURL(require.resolve("@bytecodealliance/jco-transpile/wasm-tools")).href
);

const [from, wit, to] = process.argv.slice(2);
const witSource = readFileSync(wit, "utf8");
const component = await componentNew(
  await componentEmbed({ binary: readFileSync(from), witSource, world: "ctxfold", stringEncoding: "utf8" }),
);
const made = await componentWit(component);
if (/^\s*import\s/m.test(made)) throw new Error(`the component has imports:\n${made}`);
writeFileSync(to, component);
