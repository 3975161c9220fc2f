/** What passes between a page and the worker of `ctxfold/worker`. All of it can be cloned. */
import { CtxfoldError, messageOf } from "./errors.js";

/** Either side of the boundary. */
export interface Port<In, Out> {
  post(message: Out, transfer?: ArrayBuffer[]): void;
  /** Called once. */
  listen(heard: (message: In) => void): void;
}

/** A transcript, and the answer that serves its kind best. A large one crosses before, in parts; a number says which. */
export interface Source {
  piece: string | Uint8Array | number;
  answer: "messages" | "edits";
}

/** An error of either side. `code` is there when it is a CtxfoldError. */
export interface Thrown {
  name: string;
  message: string;
  code?: CtxfoldError["code"] | undefined;
  path?: string | undefined;
  offset?: number | undefined;
}

export type Result = { value: unknown } | { thrown: Thrown };

export type ToWorker =
  | { kind: "create"; compactor: number; options: Record<string, unknown> }
  | { kind: "close"; compactor: number }
  | { kind: "part"; source: number; part: string | Uint8Array }
  /** A transcript is not needed any more. */
  | { kind: "drop"; source: number }
  | { kind: "call"; compactor: number; call: number; method: string; source?: Source; args: unknown[] };

/** What came of a call. */
export interface ToPage {
  call: number;
  result: Result;
}

/** An error in a form that can be cloned. */
export function thrown(error: unknown): Thrown {
  if (error instanceof CtxfoldError) {
    const { name, message, code, path, offset } = error;
    return { name, message, code, path, offset };
  }
  return { name: (error as Error | undefined)?.name ?? "Error", message: messageOf(error) };
}

/** The error that {@link thrown} was given. */
export function errorOf({ name, message, code, path = "", offset = 0 }: Thrown): Error {
  if (code !== undefined) return new CtxfoldError(code, message, { path, offset });
  return name === "AbortError" || name === "TimeoutError" ? new DOMException(message, name) : new Error(message);
}
