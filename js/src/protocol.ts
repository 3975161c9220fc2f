/** The messages between a page and the worker of `ctxfold/worker`. All of them can be cloned (structured cloning). */
import type { CompactorOptions } from "./compactor-options.js";
import type { OperationRequest } from "./engine.js";
import { CtxfoldError, messageOf } from "./errors.js";

/** One end of the connection between a page and its worker. */
export interface Port<In, Out> {
  /** Sends a message. The buffers in `transfer` are moved instead of copied. */
  post(message: Out, transfer?: ArrayBuffer[]): void;
  /** Sets the listener. Must be called only once. */
  listen(heard: (message: In) => void): void;
}

/**
 * A transcript, and the kind of answer to return. If the transcript is large, it was sent before in parts, and
 * `piece` is the number that identifies it.
 */
export interface Source {
  /** The text or bytes of the transcript, or the number of the parts that were sent before. */
  piece: string | Uint8Array | number;
  /** Whether the answer has whole messages or edits. */
  answer: "messages" | "edits";
}

/** A request of an operation, as it is sent to the worker. */
export interface SentRequest extends Omit<OperationRequest, "source"> {
  /** The transcript, if the operation needs one. */
  source?: Source | undefined;
}

/** A serialized error. `code` is set if it is a CtxfoldError. */
export interface Thrown {
  /** The name of the error's class, such as `CtxfoldError` or `AbortError`. */
  name: string;
  /** The message of the error. */
  message: string;
  /** The code of a CtxfoldError; undefined for other errors. */
  code?: CtxfoldError["code"] | undefined;
  /** The place in the request that caused the error. */
  path?: string | undefined;
  /** The offset of that place in UTF-8 bytes. */
  offset?: number | undefined;
}

/** The value that a call returned, or the error that it threw. */
export type Result = { value: unknown } | { thrown: Thrown };

/** A message from the page to its worker. */
export type ToWorker =
  | { kind: "create"; compactor: number; options: Pick<CompactorOptions, "module"> }
  | { kind: "close"; compactor: number }
  | { kind: "part"; source: number; part: string | Uint8Array }
  /** The transcript with this number is no longer needed. */
  | { kind: "drop"; source: number }
  /** Runs an operation once the module is loaded. Without a request, it only waits for that. */
  | { kind: "call"; compactor: number; call: number; request?: SentRequest };

/** The outcome of a call, for the page. */
export interface ToPage {
  /** The number of the call, as the page chose it. */
  call: number;
  /** What the call returned or threw. */
  result: Result;
}

/** Converts an error to a form that can be cloned. */
export function thrown(error: unknown): Thrown {
  if (error instanceof CtxfoldError) {
    const { name, message, code, path, offset } = error;
    return { name, message, code, path, offset };
  }
  return { name: (error as Error | undefined)?.name ?? "Error", message: messageOf(error) };
}

/** Returns the error from which {@link thrown} made its argument. */
export function errorOf({ name, message, code, path = "", offset = 0 }: Thrown): Error {
  if (code !== undefined) return new CtxfoldError(code, message, { path, offset });
  return name === "AbortError" || name === "TimeoutError" ? new DOMException(message, name) : new Error(message);
}
