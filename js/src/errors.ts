import type { ErrorCode } from "./types.gen.js";

/** The codes of this package's own errors; {@link CtxfoldError} explains them. */
export type HostErrorCode =
  | "closed"
  | "conflict"
  | "invalid_module"
  | "invalid_option"
  | "load_failed"
  | "memory_failed"
  | "not_loaded"
  | "not_overflow"
  | "not_serializable"
  | "still_overflow"
  | "store_failed"
  | "store_full"
  | "trap";

/** Where an error occurred, and its cause. */
export interface ErrorPlace {
  /**
   * The JSON path of the invalid value, such as `messages[3].content`; "" for the whole request. For `open`, the path is
   * relative to a line of the file.
   */
  path?: string;
  /**
   * The offset in UTF-8 bytes. If `path` starts with `messages`, it counts from the start of the caller's messages;
   * otherwise from the start of the request, which for `open` is the file.
   */
  offset?: number;
  /** The error that led to this one. */
  cause?: unknown;
}

/**
 * Every error that ctxfold throws, except aborts, which throw the signal's reason.
 *
 * `code` is stable; `message` is for people and says what to do. docs/reference/errors.md lists the codes of the
 * module. Codes of this package: `not_loaded` (a synchronous call before the module was loaded), `load_failed` (the
 * module could not be fetched or read), `invalid_module` (what was loaded is not the ctxfold module), `trap` (the
 * instance died; the next call gets a new one), `not_serializable` (live messages that JSON cannot represent),
 * `store_full` (a store has no room for a body), `store_failed` (a compaction was abandoned because its store failed),
 * `still_overflow` (the conversation does not fit even after a compaction), `not_overflow` (the error in `refused` is
 * not about messages that are too long), `memory_failed` (the memory of `fit` could not be read or saved), `conflict`
 * (another tab or process has compacted the same conversation), `closed` (a compactor of `ctxfold/worker` that was
 * closed, or whose worker has ended) and `invalid_option`.
 */
export class CtxfoldError extends Error {
  override readonly name = "CtxfoldError";
  /** Identifies the kind of error. It is stable, so programs can compare it. */
  readonly code: ErrorCode | HostErrorCode;
  /** The place in the request that caused the error, such as `messages[3].content`; empty if it is unknown. */
  readonly path: string;
  /** The offset of that place in UTF-8 bytes; see {@link ErrorPlace}. 0 if it is unknown. */
  readonly offset: number;

  constructor(code: ErrorCode | HostErrorCode, message: string, { path = "", offset = 0, cause }: ErrorPlace = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
    this.offset = offset;
  }
}

/** Returns the error for an option whose value is invalid. */
export const invalidOption = (message: string, path: string) => new CtxfoldError("invalid_option", message, { path });

/** Returns the message of an error (its name if it has none), or any other thrown value as a string. Never throws. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  try {
    return String(thrown);
  } catch {
    return "a value that has no text was thrown";
  }
}
