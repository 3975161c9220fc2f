/** The form of a subcommand. */
import type { Flags, Given } from "./flags.js";

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
