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
 * Returns the compiler's errors for messages, by the messages' JSON. Each message is on a line of its own; equal ones share a line.
 * @param {string} name of the file that is compiled
 * @param {string} head one line that declares the type `Message`
 * @param {any[]} messages
 * @returns {Promise<Map<string, string[]>>}
 */
export async function errorsOf(name, head, messages) {
  const lines = [...new Set(messages.map((message) => JSON.stringify(message)))];
  const file = `${name}.ts`;
  await mkdir(folder, { recursive: true });
  await writeFile(
    new URL(file, folder),
    [head, ...lines.map((line, i) => `export const m${i} = ${line} satisfies Message;`)].join("\n"),
  );
  const output = await new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      [compiler, ...options.split(" "), file],
      { cwd: folder, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => (error && !stdout ? reject(new Error(stderr, { cause: error })) : resolve(stdout)),
    ),
  ).finally(() => rm(new URL(file, folder), { force: true }));
  /** @type {Map<string, string[]>} */
  const errors = new Map();
  for (const text of String(output).split("\n")) {
    if (!/error TS\d/.test(text)) {
      continue; // continues the previous error
    }
    const [, at, line, what] = /^(.*)\((\d+),\d+\): (.*)/.exec(text) ?? [];
    assert.ok(at === file && Number(line) > 1, `the compiler cannot judge: ${text}`);
    const message = lines[Number(line) - 2];
    errors.set(message, [...(errors.get(message) ?? []), what]);
  }
  return errors;
}
