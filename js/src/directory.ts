/** A store in a directory, for Node, Bun and Deno. The Go package's `DirStore` and the Go command use the same files. */
import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CtxfoldError, invalidOption } from "./errors.js";
import type { Store } from "./store.js";

/** How many digits of a handle form the file name. */
const NAME_DIGITS = 16;
const HANDLE = /^[0-9a-f]{16,64}$/;
/**
 * The names of files that are still being written. If such a file is older than this, in milliseconds, it was left by
 * a program that was killed.
 */
const UNFINISHED = /^new-[0-9a-z_]+$/;
const LEFT_BEHIND_MS = 3_600_000;

/**
 * Stores bodies in a directory, one per file. The file name is the first 16 digits of the body's handle. Several
 * programs may use a directory at the same time. The directory is created for the first body (mode 0700, since
 * transcripts are private).
 *
 * `put` throws `store_failed` if the directory has a different body under the same 16 digits; `get` throws
 * `invalid_option` if its argument is not a handle.
 */
export function directoryStore(path: string): Store {
  const fileOf = (handle: string) => {
    const digits = String(handle).toLowerCase();
    if (HANDLE.test(digits)) return join(path, digits.slice(0, NAME_DIGITS));
    throw invalidOption(`"${handle}" is not a handle: a handle has 16 to 64 hexadecimal digits`, "handle");
  };
  let opened: Promise<void> | undefined;
  return {
    async put(handle, body) {
      opened ??= opening(path).catch((error) => {
        opened = undefined;
        throw error;
      });
      await opened;
      const file = fileOf(handle);
      const there = await readOrNothing(file);
      if (there === body) return;
      if (there !== undefined && isBodyOf(handle.slice(0, NAME_DIGITS), there)) {
        throw new CtxfoldError("store_failed", `${file} has another body`);
      }
      await writeAt(path, file, body);
    },
    get: (handle) => readOrNothing(fileOf(handle)),
  };
}

/** Reports whether the SHA-256 of a body begins with these hexadecimal digits. */
export function isBodyOf(handle: string, body: string): boolean {
  return createHash("sha256").update(body).digest("hex").startsWith(handle.toLowerCase());
}

async function opening(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  for (const name of (await readdir(path)).filter((name) => UNFINISHED.test(name))) {
    const found = await stat(join(path, name)).catch(() => undefined); // another program may have removed it
    if (found?.isFile() && Date.now() - found.mtimeMs > LEFT_BEHIND_MS) await rm(join(path, name), { force: true });
  }
}

async function readOrNothing(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Writes to a temporary file first, so that readers never see an incomplete body. If that fails, it removes the
 * temporary file and throws the file system's error.
 */
async function writeAt(path: string, file: string, body: string): Promise<void> {
  const temporary = join(path, `new-${process.pid.toString(36)}${Math.random().toString(36).slice(2)}`);
  const handle = await open(temporary, "wx", 0o600);
  try {
    try {
      await handle.writeFile(body);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
