// Builds the package unless it is built already. Examples in a fresh clone need this, because npm links this folder
// and builds nothing.
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command in the package's folder. @param {string} command */
const run = (command) => execSync(command, { cwd, stdio: "inherit" });

if (!existsSync(`${cwd}dist/inline-module.js`)) {
  if (!existsSync(`${cwd}node_modules/typescript`)) run("npm ci --no-audit --no-fund");
  run("npm run --silent build");
}
