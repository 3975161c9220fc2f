import { execFile } from "node:child_process";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Packs the package into a folder, as npm would publish it.
 * @param {string} folder
 * @returns {Promise<string>} the tarball's name in it
 */
export async function packed(folder) {
  const made = process.env.CTXFOLD_TARBALL; // by scripts/test.js, once for all files
  if (made) {
    await copyFile(made, join(folder, basename(made)));
    return basename(made);
  }
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: root });
  return JSON.parse(stdout)[0].filename;
}

/**
 * Installs the package into a fixture as npm would publish it, with only the files in the tarball.
 * @param {string} fixture the name of a folder in js/fixtures
 * @returns {Promise<string>} the fixture's path, without a slash at the end
 */
export async function packedInto(fixture) {
  const folder = `${root}fixtures/${fixture}`;
  const target = `${folder}/node_modules/ctxfold`;
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const tarball = `${target}/${await packed(target)}`;
  await run("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
  await rm(tarball);
  return folder;
}
