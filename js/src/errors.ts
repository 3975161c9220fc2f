import type { ErrorCode } from "./types.gen.js";

/** The codes of this package's own errors; {@link CtxfoldError} says what each means. */
export type HostErrorCode =
  | "closed"
  | "conflict"
  | "invalid_module"
  | "invalid_option"
  | "load_failed"
  | "memory_failed"
  | "not_loaded"
  | "not_serializable"
  | "still_overflow"
  | "store_failed"
  | "store_full"
  | "trap";

/** Where an error is, and what led to it. */
export interface ErrorPlace {
  /** JSON path of the value at fault, such as `messages[3].content`; "" for the whole request. For `open`, in its line. */
  path?: string;
  /** UTF-8 bytes from the start of the caller's own messages text when `path` starts with `messages`, else of the request, which for `open` is the file. */
  offset?: number;
  cause?: unknown;
}

/**
 * Every error that ctxfold throws, save an abort, which throws the signal's own reason.
 *
 * `code` is stable; `message` is for people and says what to do. Codes of the module are listed in docs/reference/errors.md. Codes of
 * this package: `not_loaded` (a synchronous call before the module was there), `load_failed` (the module could not be
 * fetched or read), `invalid_module` (what was loaded is not the ctxfold module), `trap` (the instance died; the next call
 * gets a new one), `not_serializable` (live messages that JSON cannot hold), `store_full` (a store has no room for a body), `store_failed` (a compaction was given up because its store failed),
 * `still_overflow` (a compaction did not make the conversation fit), `memory_failed` (what `fit`
 * remembers could not be read or kept), `conflict` (another tab or process has compacted the same
 * conversation), `closed` (a compactor of `ctxfold/worker` that was closed, or
 * whose worker has ended) and `invalid_option`.
 */
export class CtxfoldError extends Error {
  override readonly name = "CtxfoldError";
  readonly code: ErrorCode | HostErrorCode;
  readonly path: string;
  readonly offset: number;

  constructor(code: ErrorCode | HostErrorCode, message: string, { path = "", offset = 0, cause }: ErrorPlace = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
    this.offset = offset;
  }
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  try {
    return String(thrown);
  } catch {
    return "a value that has no text was thrown";
  }
}
