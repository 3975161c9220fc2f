import { spawn } from "node:child_process";
import { cp, mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { packed } from "./packed.js";

const plugins = fileURLToPath(new URL("../../../examples/plugins", import.meta.url));

/**
 * Copies a plugin into a project and installs the package next to it, as a user would: only the files in the tarball
 * are there.
 * @param {string} plugin a file or folder of examples/plugins @param {string} project @returns {Promise<string>} its path there
 */
export async function installed(plugin, project) {
  const target = join(project, "node_modules", "ctxfold");
  await mkdir(target, { recursive: true });
  const tarball = join(target, await packed(target));
  await finished(spawn("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]));
  await rm(tarball);
  await cp(join(plugins, plugin), join(project, basename(plugin)), { recursive: true });
  return join(project, basename(plugin));
}

/**
 * Resolves to the output of a process. Rejects with the output if the process fails.
 * @param {import("node:child_process").ChildProcess} child
 * @param {string} [input]
 * @returns {Promise<string>}
 */
export function finished(child, input = "") {
  let [out, err] = ["", ""];
  child.stdout?.on("data", (text) => (out += text));
  child.stderr?.on("data", (text) => (err += text));
  child.stdin?.on("error", () => {}); // the process may end without reading
  child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(out) : reject(new Error(`exit code ${code}\n${out}\n${err}`))));
  });
}

/**
 * Communicates with a process in lines of JSON. `send` writes a line. `until` resolves to the first matching line among those that have not
 * been consumed yet.
 * @param {import("node:child_process").ChildProcessWithoutNullStreams} child
 */
export function lines(child) {
  /** @type {any[]} */
  const came = [];
  let err = "";
  let ended = false;
  let wake = () => {};
  child.stderr.on("data", (text) => (err += text));
  createInterface({ input: child.stdout }).on("line", (line) => {
    try {
      came.push(JSON.parse(line));
    } catch {
      err += `${line}\n`;
    }
    wake();
  });
  child.on("close", () => {
    ended = true;
    wake();
  });
  return {
    /** Sends a value as a line. @param {object} value */
    send: (value) => child.stdin.write(`${JSON.stringify(value)}\n`),
    /** Waits for the first line that fits. @param {(value: any) => boolean} fits */
    async until(fits) {
      for (;;) {
        const at = came.findIndex(fits);
        if (at >= 0) return came.splice(0, at + 1).at(-1);
        if (ended) throw new Error(`it has ended, and said ${JSON.stringify(came).slice(-2000)}\n${err.slice(-3000)}`);
        await new Promise((resolve) => {
          wake = () => resolve(undefined);
        });
      }
    },
  };
}
