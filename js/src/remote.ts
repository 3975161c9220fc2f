/** The page's side of `ctxfold/worker`. */
import { BaseCompactor, type Call } from "./base.js";
import type { CompactorOf } from "./compactor-methods.js";
import type { CompactorOptions } from "./compactor-options.js";
import { IN_COMPACT, type Overrides } from "./ending.js";
import type { OperationRequest } from "./engine.js";
import { type Answer, serialized } from "./envelope.js";
import { CtxfoldError, messageOf } from "./errors.js";
import { model } from "./model.js";
import { COMPACTOR_OPTIONS } from "./option-names.js";
import { checkOptions, checkStores } from "./options.js";
import { errorOf, type Port, type Result, type SentRequest, type ToPage, type ToWorker, thrown } from "./protocol.js";
import { type Compacting, type RemoteSession, WorkerSession } from "./session.js";
import { Slices } from "./slices.js";
import { slicedTranscript, type Transcript } from "./transcript.js";
import type { Message, Operation, State } from "./types.js";

/** The sources from which a worker can load the module: those of `ModuleSource` that can be sent to a worker. */
export type RemoteModuleSource = string | URL | ArrayBuffer | Uint8Array | WebAssembly.Module;

/** Options as for `ctxfold`. `summarize` and other callbacks run in the page, not in the worker. */
export interface RemoteOptions extends Omit<CompactorOptions, "module"> {
  /** The module's bytes, URL or compiled form; by default, the package's own. */
  module?: RemoteModuleSource;
}

/**
 * A compactor off the main thread. It works like `Compactor`, but every operation returns a promise, and `ready` is
 * never required. The calling thread serializes live messages and the other arguments, and reads the answers; text and
 * bytes go to the worker as they are. Don't modify bytes that you have passed until the promise settles.
 */
export interface RemoteCompactor extends CompactorOf<"worker"> {
  /**
   * Opens a conversation that stays in the worker, with these messages and this compactor's options. It starts with the
   * compactor's state and keeps its own from then on.
   */
  session<M extends Message>(messages?: readonly M[], overrides?: Overrides): RemoteSession<M>;
  /** Releases the compactor in the worker. The worker ends with its last compactor. */
  close(): void;
}

/** Creates a compactor in the worker. All compactors of this page share the worker. */
export type CreateRemoteCompactor = (options?: RemoteOptions) => RemoteCompactor;

/** A running worker. */
export interface Running extends Port<ToPage, ToWorker> {
  /** Sets the listener for the error that ends the worker prematurely. Must be called only once. */
  failed(heard: (error: unknown) => void): void;
  /** Ends the worker at once. */
  terminate(): void;
  /** Tells the worker whether calls are pending. If there are none, the worker need not keep the program alive. */
  hold?(busy: boolean): void;
}

/** Returns the function that creates compactors on a platform, given a function that starts a worker. */
export function remoteCompactors(start: () => Running): CreateRemoteCompactor {
  let shared: Link | undefined;
  return (options = {}) => {
    checkOptions(options, COMPACTOR_OPTIONS, "createCompactor", IN_COMPACT);
    checkStores(options);
    if (!shared?.alive) shared = new Link(started(start));
    return shared.compactor(options);
  };
}

/** Starts a worker. Throws `load_failed` if the platform has no workers, or the worker's file is missing. */
function started(start: () => Running): Running {
  try {
    return start();
  } catch (cause) {
    throw new CtxfoldError(
      "load_failed",
      `the worker of ctxfold cannot be started: ${messageOf(cause)}. ${LEFT_BEHIND}`,
      {
        cause,
      },
    );
  }
}

const LEFT_BEHIND =
  "If your bundler leaves its file behind, import ctxfold in place of ctxfold/worker: fit and createCompactor then work in the page";

/** A worker with its compactors and the calls that are pending. */
class Link {
  alive = true;
  #answered = false;
  readonly #worker: Running;
  readonly #calls = new Map<number, (result: Result) => void>();
  readonly #compactors = new Set<number>();
  readonly #held = new FinalizationRegistry<number>((source) => {
    if (this.alive) this.#worker.post({ kind: "drop", source });
  });
  #next = 0;

  constructor(worker: Running) {
    this.#worker = worker;
    worker.listen((message) => this.#heard(message));
    worker.failed((error) => {
      const cure = this.#answered ? "" : `. ${LEFT_BEHIND}`;
      const failure = new CtxfoldError("load_failed", `the worker of ctxfold ended: ${thrown(error).message}${cure}`);
      this.#end();
      for (const settle of this.#calls.values()) settle({ thrown: thrown(failure) });
    });
  }

  compactor({ module, store, onDelta, countTokens, redact, ...options }: RemoteOptions): RemoteCompactor {
    const id = this.#next++;
    const compacting = {
      policy: options.policy ?? {},
      store,
      countTokens,
      model: model({ ...options, ...(onDelta && { onDelta }), ...(redact && { redact }) }),
    };
    const own = module === undefined ? {} : { module: crossable(module) };
    this.#compactors.add(id);
    this.#worker.post({ kind: "create", compactor: id, options: own });
    return new Remote(this, id, options.state, compacting);
  }

  close(compactor: number): void {
    if (!this.#compactors.delete(compactor) || !this.alive) return;
    this.#worker.post({ kind: "close", compactor });
    if (this.#compactors.size === 0) this.#end();
  }

  /** Runs an operation in the worker; without a request, it resolves when the module is loaded. */
  call(compactor: number, request?: SentRequest): Promise<unknown> {
    if (!this.alive || !this.#compactors.has(compactor)) {
      throw new CtxfoldError(
        "closed",
        `${request?.op ?? "ready"} was called on a compactor that was closed or whose worker has ended`,
      );
    }
    return new Promise((resolve, reject) => {
      const call = this.#next++;
      // If this fails, nothing is pending: a call that the worker doesn't know would keep the program running forever.
      this.#post({ kind: "call", compactor, call, ...(request && { request }) });
      this.#calls.set(call, (result) => {
        this.#calls.delete(call);
        this.#hold();
        if ("value" in result) resolve(result.value);
        else reject(errorOf(result.thrown));
      });
      this.#hold();
    });
  }

  /**
   * Sends a large transcript in parts before the call that needs it, and resolves to the number of the transcript.
   * The worker keeps the transcript until `drop` is called or `holder` is garbage-collected.
   */
  async send(pieces: readonly (string | Uint8Array)[], holder: object): Promise<number> {
    const source = this.#next++;
    this.#held.register(holder, source, holder);
    const slices = new Slices();
    for (const part of partsOf(pieces)) {
      if (!this.alive) break; // the call will report it
      this.#worker.post({ kind: "part", source, part });
      if (slices.over) await slices.pause();
    }
    return source;
  }

  /** Makes the worker forget a transcript that was sent in parts. */
  drop(source: number, holder: object): void {
    this.#held.unregister(holder);
    if (this.alive) this.#worker.post({ kind: "drop", source });
  }

  /** Sends a call to the worker. Throws `invalid_option` if it contains bytes that can't be sent. */
  #post(message: ToWorker & { kind: "call" }): void {
    try {
      this.#worker.post(message);
    } catch (cause) {
      const op = message.request?.op ?? "ready";
      throw new CtxfoldError(
        "invalid_option",
        `the arguments of ${op} cannot be sent to the worker: ${messageOf(cause)} Bytes must be a Uint8Array whose ` +
          "buffer was not transferred",
        { cause },
      );
    }
  }

  #heard({ call, result }: ToPage): void {
    this.#answered = true;
    this.#calls.get(call)?.(result);
  }

  /** Keeps the program running while calls are pending. */
  #hold(): void {
    if (this.alive) this.#worker.hold?.(this.#calls.size > 0);
  }

  #end(): void {
    this.alive = false;
    this.#worker.terminate();
  }
}

class Remote extends BaseCompactor<"worker"> implements RemoteCompactor {
  readonly #link: Link;
  readonly #id: number;
  /**
   * The numbers of the large transcripts that the worker holds. It keeps those of jobs, which need their transcript in
   * several calls, and drops the others when the operation has ended.
   */
  readonly #sent = new WeakMap<Transcript, Promise<number>>();

  constructor(link: Link, id: number, state: State | null | undefined, compacting: Compacting) {
    super(compacting, state);
    this.#link = link;
    this.#id = id;
  }

  async ready(): Promise<void> {
    await this.#link.call(this.#id);
  }

  protected async run<T>(makeCall: () => Call<T>): Promise<T> {
    const { request, readAnswer } = makeCall();
    return readAnswer(request ? await this.runOperation(request) : new Map());
  }

  session<M extends Message>(messages: readonly M[] = [], overrides: Overrides = {}): RemoteSession<M> {
    const runOperation = (request: OperationRequest) => this.runOperation(request);
    const own = { state: this.current, ...overrides };
    return new WorkerSession(runOperation, this.compacting, messages, own) as unknown as RemoteSession<M>;
  }

  /** Reads a history for a fit without blocking the page. */
  read(messages: unknown): Promise<Transcript> {
    return slicedTranscript(messages);
  }

  async runOperation({ source, head, ...rest }: OperationRequest): Promise<Answer> {
    const request = { ...rest, head: serialized(head) };
    if (!source) return (await this.#link.call(this.#id, request)) as Answer;
    const { answer } = source;
    const crossing = this.#crossing(source);
    // Bytes that are sent at once can be modified by the caller as soon as this function returns.
    if (!(crossing instanceof Promise)) {
      return (await this.#link.call(this.#id, { ...request, source: { piece: crossing, answer } })) as Answer;
    }
    const piece = await crossing;
    try {
      return (await this.#link.call(this.#id, { ...request, source: { piece, answer } })) as Answer;
    } finally {
      if (!isOfJob(request.op)) {
        this.#sent.delete(source);
        this.#link.drop(piece, source);
      }
    }
  }

  /**
   * Returns a transcript's JSON. If the JSON is large, it is sent beforehand, and the result is a promise of its
   * number.
   */
  #crossing(source: Transcript): string | Uint8Array | Promise<number> {
    const known = this.#sent.get(source);
    if (known) return known;
    const pieces = source.pieces ?? [source.piece];
    const units = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (units <= PART) return source.piece;
    const sent = this.#link.send(pieces, source);
    this.#sent.set(source, sent);
    return sent;
  }

  close(): void {
    this.#link.close(this.#id);
  }
}

/** Reports whether an operation is one of a job. */
const isOfJob = (op: Operation): boolean => op === "loop_start" || op === "loop_event";

/** The maximum size of one part, in UTF-16 units or bytes. */
const PART = 256 * 1024;

/**
 * Yields the text or bytes of the pieces in parts of about equal size, so that no message to the worker blocks the page
 * for long.
 */
function* partsOf(pieces: readonly (string | Uint8Array)[]): Generator<string | Uint8Array> {
  let text = "";
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += PART) {
      const part = piece.slice(at, at + PART);
      if (typeof part !== "string") {
        yield part;
        continue;
      }
      text += part;
      if (text.length < PART) continue;
      yield text;
      text = "";
    }
  }
  if (text) yield text;
}

/**
 * Returns the source of a module in a form that can be cloned. URLs are resolved here, because they are relative to
 * the page.
 */
function crossable(module: RemoteModuleSource): Exclude<RemoteModuleSource, URL> {
  return typeof module === "string" || module instanceof URL ? new URL(module, globalThis.location?.href).href : module;
}
