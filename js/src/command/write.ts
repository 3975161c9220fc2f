/** Writes files safely. */
import { chmod, chown, open, readlink, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { messageOf } from "../errors.js";

const MAX_LINKS = 40;

/**
 * Writes a file, following symbolic links and writing into devices and pipes. A regular file is replaced atomically and
 * keeps its mode and owner. A file that has other hard links, or that cannot be replaced because of its owner or
 * folder, is overwritten in place. Throws if that fails.
 */
export async function writeText(name: string, text: string | Uint8Array): Promise<void> {
  try {
    const target = await followed(name);
    const old = await stat(target).catch((error) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (old && (!old.isFile() || old.nlink > 1)) return await overwrite(target, text, old.isFile());
    try {
      await replace(target, text, old);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!old || (code !== "EACCES" && code !== "EPERM")) throw error;
      await overwrite(target, text, true);
    }
  } catch (error) {
    throw new Error(`cannot write ${name}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Returns the reason why a file could not be read or written, as in "no such file or directory". */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const [, text] = /^[A-Z]+: (.*?)(?:, \w+(?: '.*)?)?$/s.exec(messageOf(error)) ?? [];
  return code && text ? text : messageOf(error);
}

/** Follows a chain of symbolic links and returns the target, which need not exist. Throws if the chain is too long. */
async function followed(name: string): Promise<string> {
  let at = name;
  for (let links = 0; links < MAX_LINKS; links++) {
    const to = await readlink(at).catch(() => undefined); // not a link, or does not exist
    if (to === undefined) return at;
    at = resolve(dirname(at), to);
  }
  throw new Error("too many symbolic links");
}

async function overwrite(name: string, text: string | Uint8Array, truncate: boolean): Promise<void> {
  const file = await open(name, truncate ? "r+" : "a");
  try {
    if (truncate) await file.truncate();
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

async function replace(
  name: string,
  text: string | Uint8Array,
  old: { mode: number; uid: number; gid: number } | undefined,
): Promise<void> {
  const temporary = `${name}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
  const file = await open(temporary, "wx", 0o666);
  try {
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    if (old) {
      const made = await stat(temporary);
      if (made.uid !== old.uid || made.gid !== old.gid) await chown(temporary, old.uid, old.gid);
      await chmod(temporary, old.mode & 0o7777);
    }
    await rename(temporary, name);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
