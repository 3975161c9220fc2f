/** The commands, their options, and the functions that run them. */
import type { Command } from "./command.js";
import { compactCommand } from "./compact.js";
import { openCommand } from "./open.js";
import { restoreCommand } from "./restore.js";
import { searchCommand } from "./search.js";
import { validateCommand } from "./validate.js";

/** The subcommands by their names. */
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
