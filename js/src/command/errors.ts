/** Error messages of the command. */
import { CtxfoldError, messageOf } from "../errors.js";

/**
 * The exit codes. `partial` means that the command worked, but not everything was restored, or the transcript breaks
 * rules; `bad` means an error in the command line, the input or a file; `over` means that the result is still over its
 * limit.
 */
export const EXIT = { ok: 0, partial: 1, bad: 2, over: 3, interrupted: 130 } as const;

/** A mistake in the command line. If `command` is set, the printed error refers to the help of that command. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly command?: string,
  ) {
    super(message);
  }
}

/**
 * The error of an operation, with its position in the input file, such as "session.json, line 3, column 14 (byte
 * 207)".
 */
export class InputError extends Error {
  constructor(
    readonly error: CtxfoldError,
    where: string,
  ) {
    super(`${where}: ${error.message}`);
  }
}

/** The pages of the documentation, which the package does not contain. */
const DOCS = "https://github.com/ctxfold/ctxfold/blob/main/docs";

/** Advice that names options of the command, which the module does not know. The keys are error codes. */
const HINTS: Record<string, string> = {
  ambiguous_format: "Name the wire format with --format.",
  wrong_format: "--format names the wire format.",
  unknown_format: `--format names the wire format; ${DOCS}/guides/formats.md describes each.`,
  unknown_window: "Set it with --window TOKENS, such as --window 200k; --window unlimited says that there is none.",
  unknown_preset: `${DOCS}/guides/presets.md describes the presets.`,
  unknown_session:
    "open and --session are for session files; compact takes a list of messages or a request body as it is.",
  truncated_json: "The input was cut off: get the whole of it.",
};

/**
 * Returns the text to print on standard error for an error: its message and, if known, its place, its code and a hint.
 * It ends with a line feed.
 */
export function errorText(error: unknown): string {
  if (error instanceof UsageError) {
    const help = error.command === undefined ? "" : `  \`${error.command} --help\` shows how it is used.\n`;
    return `ctxfold: ${error.message}\n${help}`;
  }
  const placed = error instanceof InputError ? error.error : error;
  if (!(placed instanceof CtxfoldError)) return `ctxfold: ${messageOf(error)}\n`;
  const at = placed.path && placed.path !== "policy" ? `  at    ${placed.path}\n` : "";
  const hint = HINTS[placed.code] ? `  ${HINTS[placed.code]}\n` : "";
  return `ctxfold: ${messageOf(error)}\n${at}  code  ${placed.code}\n${hint}`;
}
