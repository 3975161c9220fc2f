/** The form of a subcommand. */
import type { Flags, Given } from "./flags.js";

/** A subcommand, its help and its options. */
export interface Command {
  /** The arguments after the command's name, such as "[FILE|-]". */
  args: string;
  /** A one-line description. */
  short: string;
  /** The description in the command's help, after the short one. */
  long: string;
  /** Command lines for the help. */
  examples: string[];
  /** The options that the command has. */
  flags: Flags;
  /** Runs the command and returns the exit code. `usage` is "ctxfold NAME", for error messages. */
  run(given: Given, usage: string, signal: AbortSignal): Promise<number>;
}
