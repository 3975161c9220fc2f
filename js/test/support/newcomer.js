/**
 * Simulates a newcomer: an empty folder, the tarball as npm would publish it, an exact version of one tool, a few lines of code, and no
 * configuration.
 */
import { execFile, spawn } from "node:child_process";
import { copyFile, cp, link, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packed } from "./packed.js";
import { freePort } from "./port.js";
import { testedOn } from "./tested-on.js";

const exec = promisify(execFile);
const sources = fileURLToPath(new URL("../../fixtures/newcomer/", import.meta.url));
const env = { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", NEXT_TELEMETRY_DISABLED: "1" };
const newFolder = () => mkdtemp(`${tmpdir()}/ctxfold-newcomer-`);

/** One tarball that all tests share. @type {Promise<{folder: string, name: string}> | undefined} */
let tarballs;
async function tarball() {
  const folder = await newFolder();
  return { folder, name: await packed(folder) };
}
after(async () => tarballs && rm((await tarballs).folder, { recursive: true, force: true }));

/** The output of both.js if everything works. */
export const BOTH = "fit: compacted, createCompactor: compacted";

/** What newcomers have installed, by their packages: a folder without a page or a program. @type {Map<string, Promise<string>>} */
const installations = new Map();
after(async () => {
  for (const made of installations.values()) await rm(await made, { recursive: true, force: true, maxRetries: 3 });
});

/** Installs the tarball and packages in an empty folder, as a newcomer does. @param {string[]} packages */
async function installation(packages) {
  tarballs ??= tarball();
  const { folder: from, name } = await tarballs;
  const folder = await newFolder();
  await copyFile(`${from}/${name}`, `${folder}/${name}`);
  const npm = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", "--save-exact"];
  await exec("npm", [...npm, `./${name}`, ...packages], { cwd: folder, env });
  return folder;
}

/** Copies a folder. Its files become hard links. @param {string} from @param {string} to */
async function linked(from, to) {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [`${from}/${entry.name}`, `${to}/${entry.name}`];
    if (entry.isDirectory()) await linked(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else await link(source, target);
  }
}

/**
 * Installs the tarball and packages, such as "vite@8.3.8", once for all tests of a file that want the same ones, and copies files of
 * fixtures/newcomer next to them. The test's own folder is deleted when it ends.
 * @param {{after(work: () => Promise<void>): void}} t
 * @param {string[]} packages
 * @param {Record<string, string> | string[]} files names of files, or for each file in the new folder the name of its source
 */
export async function newcomer(t, packages, files) {
  const list = packages.join(" ");
  const made = installations.get(list) ?? installation(packages);
  installations.set(list, made);
  const from = await made;
  const { name } = await /** @type {NonNullable<typeof tarballs>} */ (tarballs);
  const folder = await newFolder();
  /** @type {import("node:child_process").ChildProcess[]} */
  const servers = [];
  t.after(async () => {
    for (const server of servers) {
      const ended = new Promise((done) => server.once("exit", done));
      if (server.exitCode !== null) continue;
      process.kill(-Number(server.pid));
      await ended;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  await linked(from, folder);
  for (const [file, source] of Array.isArray(files) ? files.map((each) => [each, each]) : Object.entries(files)) {
    await cp(sources + source, `${folder}/${file}`, { recursive: true });
  }
  /** Runs a command of the installed packages, or a program given by its path. @param {string} command @param {string[]} args */
  const run = async (command, ...args) => {
    const program = command.includes("/") ? command : `${folder}/node_modules/.bin/${command}`;
    return (await exec(program, args, { cwd: folder, env, maxBuffer: 1 << 26 })).stdout;
  };
  /** Starts a tool's own server and waits until it responds. The server and its children end with the test. @param {string[]} command */
  const started = async ([command, ...args]) => {
    const port = await freePort();
    const child = spawn(`${folder}/node_modules/.bin/${command}`, [...args, "--port", String(port)], {
      cwd: folder,
      detached: true,
      stdio: ["ignore", "ignore", "inherit"],
      env,
    });
    servers.push(child);
    const address = `http://127.0.0.1:${port}`;
    while (child.exitCode === null && child.signalCode === null) {
      if (await fetch(address).then(Boolean, () => false)) return address;
      await new Promise((later) => setTimeout(later, 200));
    }
    throw new Error(`${command} has ended`);
  };
  /**
   * Records the tested version in docs/start/platforms.md.
   * @param {string} name
   * @param {string} id the package
   * @param {string} what
   */
  const tested = async (name, id, what) => {
    const { version } = JSON.parse(await readFile(`${folder}/node_modules/${id}/package.json`, "utf8"));
    await testedOn(name, version, what, "bundlers");
  };
  return { folder, tarball: name, run, started, tested };
}
