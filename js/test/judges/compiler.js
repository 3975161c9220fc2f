/** Runs the TypeScript compiler on messages, written as literals. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const folder = new URL("../../build-judges/", import.meta.url); // inside the package, where its dependencies are found
const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
const options =
  "--ignoreConfig --strict --noEmit --skipLibCheck --pretty false --target es2022 --module nodenext --types node,dom-chromium-ai";

/**
 * Messages to judge, and one line that declares their type as `Message`.
 * @typedef {{head: string, messages: any[]}} Source
 */

/**
 * Compiles sources in one program, so that types that several of them use are read and checked once.
 * @param {Record<string, Source>} sources by the names of the files that are compiled
 * @returns {Promise<(name: string) => Map<string, string[]>>} a function that returns the compiler's errors for the messages of a source, by
 *   the messages' JSON. It throws if the compiler cannot judge that source.
 */
export async function compile(sources) {
  const files = Object.entries(sources).map(([name, source]) => ({ name: `${name}.ts`, ...linesOf(source) }));
  const paths = files.map(({ name }) => new URL(name, folder));
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ text }, i) => writeFile(paths[i], text)));
  const output = await run(files.map(({ name }) => name)).finally(() =>
    Promise.all(paths.map((path) => rm(path, { force: true }))),
  );
  const found = output
    .split("\n")
    .filter((text) => /error TS\d/.test(text)) // the other lines continue an error
    .map((text) => {
      const [, at = "", line, what = ""] = /^(.*)\((\d+),\d+\): (.*)/.exec(text) ?? [];
      return { text, at, line: Number(line), what };
    });
  const names = new Set(files.map(({ name }) => name));
  return (source) => {
    const { name, lines } = files.find((file) => file.name === `${source}.ts`) ?? assert.fail(`no source ${source}`);
    /** @type {Map<string, string[]>} */
    const errors = new Map();
    for (const { text, at, line, what } of found) {
      if (at !== name && names.has(at)) continue;
      assert.ok(at === name && line > 1, `the compiler cannot judge: ${text}`);
      const message = lines[line - 2];
      errors.set(message, [...(errors.get(message) ?? []), what]);
    }
    return errors;
  };
}

/** Returns the text of a source, with each message on a line of its own, and these messages. Equal ones share a line. @param {Source} source */
function linesOf({ head, messages }) {
  const lines = [...new Set(messages.map((message) => JSON.stringify(message)))];
  const text = [head, ...lines.map((line, i) => `export const m${i} = ${line} satisfies Message;`)].join("\n");
  return { lines, text };
}

/** Runs the compiler on files of the folder and returns what the compiler prints. @param {string[]} files @returns {Promise<string>} */
const run = (files) =>
  new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      [compiler, ...options.split(" "), ...files],
      { cwd: folder, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => (error && !stdout ? reject(new Error(stderr, { cause: error })) : resolve(stdout)),
    ),
  );
