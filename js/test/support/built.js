import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Installs what an example needs.
 * @param {string} name the name of a folder in examples
 * @returns {Promise<string>} its path, without a slash at the end
 */
export async function installed(name) {
  const cwd = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
  await run("npm", ["ci", "--no-audit", "--no-fund", "--prefer-offline"], { cwd });
  return cwd;
}

/**
 * Installs and builds one of the examples with Vite.
 * @param {string} name the name of a folder in examples
 * @returns {Promise<string>} the path of what was built, without a slash at the end
 */
export async function built(name) {
  const cwd = await installed(name);
  await run("npm", ["run", "build", "--silent"], { cwd });
  return `${cwd}/dist`;
}
