// Starts real servers for tests, each on a free port of this machine, with its data in a folder that is deleted after
// the test.
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/**
 * Returns the path of a program in the first folder that contains it, or undefined.
 * @param {string} name
 * @param {string[]} folders
 */
const found = (name, folders) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
const path = (process.env.PATH ?? "").split(delimiter);

const redisServer = found("valkey-server", path) ?? found("redis-server", path);

/** Debian installs PostgreSQL's programs in one folder per version. */
const versions = await readdir("/usr/lib/postgresql").catch(() => /** @type {string[]} */ ([]));
const folders = [...path, ...versions.sort((a, b) => Number(b) - Number(a)).map((v) => `/usr/lib/postgresql/${v}/bin`)];
const initdb = found("initdb", folders);
const postgres = found("postgres", folders);

/** Why tests of stores cannot run, or false. In CI a missing server is a failure, so nothing is skipped there. */
export const noServers = serversMissing();

function serversMissing() {
  const missing = [!redisServer && "valkey-server or redis-server", !(initdb && postgres) && "postgresql"].filter(
    Boolean,
  );
  if (missing.length === 0 || process.env.CI === "true") return false;
  const reason = `${missing.join(" and ")} missing`;
  console.error(`\n*** THE TESTS OF SHARED MEMORIES ARE SKIPPED: ${reason} ***\n`);
  return reason;
}

/** A test, at whose end the servers are stopped. @typedef {{after(work: () => unknown): void}} Scope */

/** Starts Valkey, or Redis if Valkey is missing. @param {Scope} t @returns {Promise<string>} its URL */
export async function startRedis(t) {
  const folder = await temporary(t);
  const port = await freePort();
  const args = ["--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no", "--port", String(port)];
  await start(t, String(redisServer), args, "Ready to accept connections");
  return `redis://127.0.0.1:${port}/0`;
}

/** Starts PostgreSQL. @param {Scope} t @returns {Promise<string>} its URL */
export async function startPostgres(t) {
  const folder = await temporary(t);
  const who = somebody();
  if (who) chownSync(folder, who.uid, who.gid);
  const options = { cwd: folder, ...who };
  const data = join(folder, "data");
  const set = "--username ctxfold --auth trust --no-sync --encoding UTF8 --locale C".split(" ");
  const made = spawnSync(String(initdb), ["--pgdata", data, ...set], { ...options, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const args = ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", folder, "-F"];
  await start(t, String(postgres), args, "ready to accept connections", options);
  return `postgres://ctxfold@127.0.0.1:${port}/postgres`;
}

/**
 * Returns the user who should run PostgreSQL, which refuses to run as root. That is the user of Debian's package, or
 * nobody. If the test doesn't run as root, it returns undefined.
 */
function somebody() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((id) => spawnSync("id", [id, name], { encoding: "utf8" }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error("there is no user to run PostgreSQL as: it refuses root");
}

/** Creates a temporary folder, which is deleted when the test ends. @param {Scope} t */
async function temporary(t) {
  const folder = await mkdtemp(join(tmpdir(), "ctxfold-")); // the names of sockets must be short
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns a free port on this machine. @returns {Promise<number>} */
export function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => done(port));
    });
  });
}

/**
 * Runs a program until the test ends. Resolves to its process id once it has reported that it is ready.
 * @param {Scope} t
 * @param {string} program
 * @param {string[]} args
 * @param {string} ready
 * @param {import("node:child_process").SpawnOptions} [options]
 */
export async function start(t, program, args, ready, options = {}) {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((done) => child.once("exit", done));
  t.after(async () => {
    child.kill("SIGINT"); // tells PostgreSQL to stop at once, but cleanly
    await ended;
  });
  let said = "";
  await new Promise((done, failed) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (piece) => {
        said += piece;
        if (said.includes(ready)) done(undefined);
      });
    }
    child.once("error", failed);
    ended.then(() => failed(new Error(`${program} has ended:\n${said}`)));
  });
  return Number(child.pid);
}

/**
 * Opens a proxied connection to a server that the test can cut or make hang.
 * @param {Scope} t
 * @param {string} url
 * @returns {Promise<Line>}
 */
export async function lineTo(t, url) {
  const line = new Line(url);
  await line.listen();
  t.after(() => line.close());
  return line;
}

export class Line {
  /** @type {Set<import("node:net").Socket>} */
  #open = new Set();
  #cut = false;
  #hangs = false;
  /** @type {import("node:net").Server} */
  #server;
  /** The URL of the server through this connection. */
  url = "";

  /** @param {string} url */
  constructor(url) {
    const { hostname, port } = new URL(url);
    this.url = url;
    this.#server = createServer((from) => {
      if (this.#cut) return void from.destroy();
      const to = connect(Number(port), hostname);
      for (const [one, other] of [
        [from, to],
        [to, from],
      ]) {
        this.#open.add(one);
        if (this.#hangs) one.pause();
        one.on("data", (piece) => other.write(piece));
        one.on("error", () => {});
        one.on("close", () => {
          this.#open.delete(one);
          other.destroy();
        });
      }
    });
  }

  async listen() {
    await new Promise((done) => this.#server.listen(0, "127.0.0.1", () => done(undefined)));
    const url = new URL(this.url);
    url.port = String(/** @type {import("node:net").AddressInfo} */ (this.#server.address()).port);
    this.url = url.href;
  }

  /** Closes all connections, and each new one immediately. */
  cut() {
    this.#cut = true;
    for (const socket of this.#open) socket.destroy();
  }

  /** Stops forwarding data in both directions. */
  hang() {
    this.#hangs = true;
    for (const socket of this.#open) socket.pause();
  }

  mend() {
    this.#cut = false;
    this.#hangs = false;
    for (const socket of this.#open) socket.resume();
  }

  close() {
    this.cut();
    this.#server.close();
  }
}
