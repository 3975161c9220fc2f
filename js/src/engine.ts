/** The object that runs operations of the module, on this thread or in a worker. */
import type { Answer, Head } from "./envelope.js";
import type { Transcript } from "./transcript.js";
import type { Operation } from "./types.js";

/** The result of a method: the value if the module is on this thread, a promise if it is in a worker. */
export type Returned<Where, T> = Where extends "here" ? T : Promise<T>;

/** A call of one operation of the module. */
export interface OperationRequest {
  /** The operation. */
  op: Operation;
  /** The members of the request other than the transcript. */
  head: Head;
  /** The transcript, if the operation needs one. */
  source?: Transcript | undefined;
  /** The whole request, instead of an object with these members: the session file of `open`. */
  file?: string | Uint8Array | undefined;
}

/** An object that runs operations: a compactor on this thread or in a worker. */
export interface Engine {
  /** Resolves when the module is loaded; rejects if it can't be. */
  ready(): Promise<void>;
  /**
   * Reads a history without blocking the thread. It is undefined, or returns undefined, if blocking doesn't matter.
   */
  read?(messages: unknown): Promise<Transcript> | undefined;
  /** Runs one operation of the module. Throws or rejects with a CtxfoldError. */
  runOperation(request: OperationRequest): Answer | Promise<Answer>;
  /** Loads the code and the module that `runOperation` will need, in the background. */
  preload?(): void;
  /** Releases what the object holds. It can't be used afterwards. */
  close?(): void;
}
