/** The commands, their options, and the functions that run them. */
import { compactCommand } from "./compact.js";
import type { Flags, Given } from "./flags.js";
import { openCommand } from "./open.js";
import { restoreCommand } from "./restore.js";
import { searchCommand } from "./search.js";
import { validateCommand } from "./validate.js";

export interface Command {
  /** The arguments after the command's name, such as "[FILE|-]". */
  args: string;
  /** A one-line description. */
  short: string;
  long: string;
  examples: string[];
  flags: Flags;
  /** Runs the command and returns the exit code. `usage` is "ctxfold NAME", for error messages. */
  run(given: Given, usage: string, signal: AbortSignal): Promise<number>;
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  compact: compactCommand,
  open: openCommand,
  restore: restoreCommand,
  search: searchCommand,
  validate: validateCommand,
};

/** The subcommands that only the Go program has. */
export const ELSEWHERE = [
  ..."batch check compare completion convert detect estimate info plan presets recall repair serve step".split(" "),
];
