/** The commands: what each takes, and what it does. */
import { compactCommand } from "./compact.js";
import type { Flags, Given } from "./flags.js";
import { openCommand } from "./open.js";
import { restoreCommand } from "./restore.js";
import { searchCommand } from "./search.js";
import { validateCommand } from "./validate.js";

export interface Command {
  /** What stands behind the name, as in "[FILE|-]". */
  args: string;
  /** One line. */
  short: string;
  long: string;
  examples: string[];
  flags: Flags;
  /** Runs it, and returns the exit code. `usage` is "ctxfold NAME", for errors. */
  run(given: Given, usage: string, signal: AbortSignal): Promise<number>;
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  compact: compactCommand,
  open: openCommand,
  restore: restoreCommand,
  search: searchCommand,
  validate: validateCommand,
};

/** What the Go command has in addition. */
export const ELSEWHERE = [
  ..."batch check compare completion convert detect estimate info plan presets recall repair serve step".split(" "),
];
