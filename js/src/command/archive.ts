/**
 * The directory that --archive names. It contains bodies, and the states of the transcripts that `compact` wrote. The
 * Go command uses the same files.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { directoryStore } from "../directory.js";
import type { Store } from "../store.js";
import type { State } from "../types.js";
import type { Given } from "./flags.js";
import { writeText } from "./write.js";

/** Returns the store in the directory of --archive; undefined without that option. */
export function archiveOf(given: Given): Store | undefined {
  return given.text("archive") === "" ? undefined : directoryStore(given.text("archive"));
}

/**
 * Stores the state next to the bodies, in a file whose name is derived from the transcript, so that `restore` works
 * without --state. Does nothing without --archive.
 */
export async function noteState(given: Given, messages: Uint8Array, state: State): Promise<void> {
  if (given.text("archive") === "" || messages.length === 0) return;
  await mkdir(given.text("archive"), { recursive: true, mode: 0o700 });
  await writeText(stateFile(given, messages), `${JSON.stringify(state)}\n`);
}

/**
 * Returns the state that was stored for exactly this transcript, or null if there is none, for instance because the
 * transcript has grown since.
 */
export async function notedState(given: Given, messages: Uint8Array): Promise<State | null> {
  if (given.text("archive") === "") return null;
  try {
    return JSON.parse(await readFile(stateFile(given, messages), "utf8"));
  } catch {
    return null;
  }
}

function stateFile(given: Given, messages: Uint8Array): string {
  const text = Buffer.from(messages).toString("utf8").trim();
  return join(given.text("archive"), `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.state`);
}
