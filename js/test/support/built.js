import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The script that runs npm within a time limit. */
const npm = fileURLToPath(new URL("../../../.ci/npm", import.meta.url));

/**
 * Installs an example's packages, unless another file of this run has done it. Test files run at the same time, and npm ci begins by
 * removing files that another one may be using, so they take turns.
 * @param {string} name the name of a folder in examples
 * @returns {Promise<string>} its path, without a slash at the end
 */
export async function installed(name) {
  const cwd = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
  const notes = process.env.CTXFOLD_INSTALLED; // a folder that scripts/test.js has made for this run
  const note = notes && join(notes, `${basename(cwd)}.installed`);
  const unlock = await locked(cwd);
  try {
    if (note && existsSync(note)) return cwd;
    await run(npm, ["ci", "--prefer-offline"], { cwd });
    if (note) await writeFile(note, "");
  } finally {
    await unlock();
  }
  return cwd;
}

/**
 * Waits until nobody else has locked a folder, and locks it.
 * @param {string} folder
 * @returns {Promise<() => Promise<void>>} a function that unlocks it
 */
async function locked(folder) {
  const lock = join(tmpdir(), `ctxfold-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}.pid`);
  const own = `${lock}.${process.pid}`;
  await writeFile(own, String(process.pid));
  try {
    for (;;) {
      try {
        await link(own, lock); // creates the file with its content, or not at all
        return () => rm(lock, { force: true });
      } catch (error) {
        if (/** @type {any} */ (error).code !== "EEXIST") throw error;
      }
      const holder = await readFile(lock, "utf8").catch(() => "");
      if (holder !== "" && !runs(Number(holder))) await rm(lock, { force: true });
      else await setTimeout(200);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Reports whether a process is running. A lock whose process no longer runs is free. @param {number} pid */
function runs(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {any} */ (error).code !== "ESRCH";
  }
}

/**
 * Installs and builds one of the examples with Vite.
 * @param {string} name the name of a folder in examples
 * @returns {Promise<string>} the path of the build, without a slash at the end
 */
export async function built(name) {
  const cwd = await installed(name);
  await run("npm", ["run", "build", "--silent"], { cwd });
  return `${cwd}/dist`;
}
