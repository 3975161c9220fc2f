// Runs the tests of the hook and the recipes in a fixture with React and its frameworks.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { liveTable } from "./support/live-table.js";
import { packedInto } from "./support/packed.js";
import { testedOn } from "./support/tested-on.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../", import.meta.url));
const recipes = fileURLToPath(new URL("../../examples/recipes/", import.meta.url));
const build = fileURLToPath(new URL("../../build/", import.meta.url));
const node = `${root}fixtures/runtimes/node_modules/.bin/node`;

/** @type {[name: string, what: string][]} */
const LIBRARIES = [
  ["@ai-sdk/react", "a recipe: `useChat`"],
  ["@assistant-ui/react", "a recipe: `useLocalRuntime`"],
  ["@tanstack/ai-react", "a recipe: `useChat`"],
  ["hono", "a recipe: a route"],
  ["react", "`useFit`, in StrictMode"],
];

/** Prepares the fixture with the package and the recipes. */
async function fixture() {
  const cwd = await packedInto("react");
  await rm(`${cwd}/build`, { recursive: true, force: true });
  await cp(recipes, `${cwd}/build`, { recursive: true });
  return cwd;
}

test("useFit and the recipes, in apps of 60 turns", async () => {
  const cwd = await fixture();
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const table = `${build}recipes.jsonl`;
  await mkdir(build, { recursive: true });
  await rm(table, { force: true });
  const options = { cwd, env: { ...env, RECIPES_TABLE: table }, maxBuffer: 1 << 26 };
  const args = ["--test", "--test-reporter=spec", "--test-timeout=1800000", "use-fit.test.js", "recipes.test.js"];
  await run(node, args, options).catch((error) => assert.fail(error.stdout || error));
  await liveTable(table, "guides/recipes");
  for (const [name, what] of LIBRARIES) {
    const { version } = JSON.parse(await readFile(`${cwd}/node_modules/${name}/package.json`, "utf8"));
    await testedOn(name, version, what, "sdks");
  }
});

test("the recipes in a strict program, and useFit without a cast", async () => {
  const cwd = await fixture();
  const names = (await readdir(`${cwd}/build`)).filter((name) => name.endsWith(".js")).map((name) => `build/${name}`);
  assert.ok(names.length >= 5);
  const strict =
    "--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --verbatimModuleSyntax --pretty false " +
    "--target es2022 --module nodenext --lib es2024,dom,dom.iterable --types node --typeRoots ../../node_modules/@types --skipLibCheck";
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const args = [compiler, ...strict.split(" "), "--allowJs", "--checkJs", "typed.ts", ...names];
  await run(process.execPath, args, { cwd }).catch((error) => assert.fail(error.stdout || error));
});
