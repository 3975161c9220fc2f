import { CtxfoldModule, type Pieces } from "./abi.js";
import { keep, unlessAborted } from "./archive.js";
import { CtxfoldError, messageOf } from "./errors.js";
import { decode, members } from "./json.js";
import type { Load, ModuleSource } from "./load.js";
import type { Store } from "./store.js";
import { type Delta, streaming } from "./stream.js";
import { type Summarize, summaries } from "./summarize.js";
import { type Transcript, transcript, wellFormed } from "./transcript.js";
import type {
  Check,
  Detection,
  Done,
  Estimate,
  FunctionRequest,
  Info,
  Kept,
  Message,
  Messages,
  Pending,
  Plan,
  Policy,
  Recalled,
  Repaired,
  Restored,
  Session,
  State,
  Summary,
  SummaryRequest,
  Validation,
} from "./types.js";

/** How a compactor is made. */
export interface CompactorOptions {
  /** The module, or what it is made of; without it, the package's own. Compactors may share one. */
  module?: ModuleSource;
  /** What to do; without it, the `default` preset. */
  policy?: Policy;
  /** Asks the caller's model for a summary. Without it `compact` writes local digests and asks nobody. */
  summarize?: Summarize;
  /** The longest that one summary may take, in milliseconds; then the local digest takes its place. Default 120000. */
  summaryTimeoutMs?: number;
  /** Gets the pieces of a summary as they come, where `summarize` gives them. */
  onDelta?: (delta: Delta) => void;
  /**
   * Keeps what is taken out of the transcript, so that it can be restored and recalled; markers name the handles. `compact`
   * resolves when all of it is kept; where that fails it rejects with `store_failed`, and nothing has changed.
   */
  store?: Store;
  /** The state that the last compaction of this conversation returned. */
  state?: State | null | undefined;
}

export interface CompactOptions {
  /** Ends the compaction: the promise rejects with the signal's reason, and nothing has changed. */
  signal?: AbortSignal;
  /** The longest that the whole compaction may take, in milliseconds; then it ends in the same way, with a `TimeoutError`. */
  timeoutMs?: number;
}

/** Runs a compaction under the signal that ends it: the caller's, or that of its time limit. */
export async function ending<T>(
  { signal, timeoutMs }: CompactOptions,
  run: (signal?: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return run(signal);
  if (!(timeoutMs > 0)) {
    throw new CtxfoldError("invalid_option", "timeoutMs must be above 0", { path: "timeoutMs" });
  }
  // Not AbortSignal.timeout: its timer does not keep Node running, which would end without an answer.
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException(`the compaction took over ${timeoutMs} ms`, "TimeoutError"));
  const abort = () => controller.abort(signal?.reason);
  const timer = timeoutMs < 2 ** 31 ? setTimeout(late, timeoutMs) : undefined;
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Compacts one conversation. `compact` waits for the module by itself. The other operations are synchronous and throw
 * `not_loaded` before `ready` has resolved, unless the compactor was made with a module that `load` returned.
 *
 * Messages are never changed in place. All operations throw {@link CtxfoldError}, after which the compactor works on.
 */
export interface Compactor {
  /** What the next call sends as state: what the last `compact` returned, or the state of the options. */
  readonly state: State | undefined;
  /** Resolves when the module is there; rejects when it cannot be had, and tries again when called again. */
  ready(): Promise<void>;
  /**
   * Runs the whole loop of plan, summaries and step. The answer has the kind that was given: live messages come back as
   * live messages, in a new array with the caller's own objects wherever nothing was changed (the same array when nothing
   * was changed at all), text as text, bytes as bytes.
   *
   * A summary that fails, hangs or is refused never fails the compaction: the local digest takes its place and the report
   * says why. Text and bytes must stay as they are until the promise settles.
   */
  compact<M extends Messages>(messages: M, options?: CompactOptions): Promise<Done<M>>;
  /**
   * The first half of the loop, for callers that run it themselves: a plan with requests, or the finished answer. It
   * asks for summaries even when there is no `summarize`, unless the policy says `local`, and leaves `state` as it is.
   */
  plan<M extends Messages>(messages: M): Pending | Done<M>;
  /**
   * Goes on with a plan once its requests are answered, with the policy and the state that the plan was made with. The
   * messages are those the plan was made for, of the same kind; more may have come behind them.
   */
  step<M extends Messages>(messages: M, plan: Plan, summaries: readonly Summary[]): Pending | Done<M>;
  /** Tokens of a transcript, by the policy's estimator. */
  estimate(messages: Messages): Estimate;
  /** Tokens of a plain text, by the policy's estimator. */
  estimateText(text: string): Estimate;
  /** Whether compaction is due. */
  check(messages: Messages): Check;
  /** The rules of the wire format that a transcript breaks. */
  validate(messages: Messages): Validation;
  /** The transcript with what breaks the rules of the wire format put right. */
  repair<M extends Messages>(messages: M): Repaired<M>;
  /**
   * Puts bodies back, byte for byte, where markers name their handles. Without bodies it lists the markers. `restoreFrom`
   * gets the bodies from a store.
   */
  restore<M extends Messages>(messages: M, bodies?: readonly Kept[]): Restored<M>;
  /** The definition of a tool with which the model may ask for what was taken out, in the policy's wire format. */
  recallTool(): object;
  /** What a call of that tool asks for, and with a body (null for none) the text to answer it with. See `recallFrom`. */
  recall(callArguments: unknown, body?: string | null): Recalled;
  /** The wire format of a transcript. */
  detect(messages: Messages): Detection;
  /**
   * Takes the live conversation out of the session file of a coding agent, given as it is on disk. Of a text the messages
   * come back as live messages; of bytes, as the bytes of a JSON array. Throws `unknown_session` when it is no session
   * file.
   */
  open<F extends string | Uint8Array>(file: F): Session<F extends string ? Message[] : Uint8Array>;
  /**
   * Runs one named step of a compaction, such as `find_cut_point` or `truncate_head_tail`, and returns its result.
   * docs/FUNCTIONS.md lists the steps. Throws `unknown_function` when there is no such step.
   */
  function<T = unknown>(name: string, request?: FunctionRequest): T;
  /** Version, wire formats, presets, estimators and limits of the module. */
  info(): Info;
}

/** Makes a compactor. Starts to load the module, which `ready` and `compact` wait for. */
export type CreateCompactor = (options?: CompactorOptions) => Compactor;

const DEFAULT_TIMEOUT_MS = 120_000;

/** The compactor factory of one platform's loader. */
export function compactors(load: Load): CreateCompactor {
  return (options = {}) => new ModuleCompactor(load, options);
}

type Answer = ReadonlyMap<string, Uint8Array>;

class ModuleCompactor implements Compactor {
  readonly #load: Load;
  readonly #options: CompactorOptions;
  readonly #policy: Policy;
  readonly #timeoutMs: number;
  #module: CtxfoldModule | undefined;
  #state: State | undefined;

  constructor(load: Load, options: CompactorOptions) {
    const { module, policy = {}, summarize, summaryTimeoutMs = DEFAULT_TIMEOUT_MS, state } = options;
    if (summarize !== undefined && typeof summarize !== "function") {
      throw new CtxfoldError("invalid_option", "summarize must be a function", { path: "summarize" });
    }
    if (!(summaryTimeoutMs > 0)) {
      throw new CtxfoldError("invalid_option", "summaryTimeoutMs must be above 0", { path: "summaryTimeoutMs" });
    }
    this.#load = load;
    this.#options = options;
    this.#policy = policy;
    this.#timeoutMs = summaryTimeoutMs;
    this.#state = state ?? undefined;
    if (module instanceof CtxfoldModule) this.#module = module;
    // A failure is told by ready() and compact(), which load again; nobody may be waiting for this promise.
    else this.ready().catch(() => {});
  }

  get state(): State | undefined {
    return this.#state;
  }

  async ready(): Promise<void> {
    this.#module ??= await this.#load(this.#options.module);
  }

  compact<M extends Messages>(messages: M, options: CompactOptions = {}): Promise<Done<M>> {
    return ending(options, (signal) => this.#compact(messages, signal));
  }

  async #compact<M extends Messages>(messages: M, signal?: AbortSignal): Promise<Done<M>> {
    signal?.throwIfAborted();
    const source = transcript(messages);
    await unlessAborted(this.ready(), signal);
    signal?.throwIfAborted();
    const { store, onDelta } = this.#options;
    const summarize = this.#options.summarize && streaming(this.#options.summarize, onDelta);
    const policy: Policy = { ...this.#policy, ...(store && { archive: "bodies" }) };
    if (!summarize) policy.summary = { ...policy.summary, mode: "local" };
    let answer = this.#ask("plan", { policy: { ...policy, answer: source.answer }, state: this.#state }, source);
    for (let requests = requestsOf(answer); requests.length > 0; requests = requestsOf(answer)) {
      const round = await summaries(requests, summarize, this.#timeoutMs, signal);
      signal?.throwIfAborted();
      answer = this.#ask("step", { plan: answer.get("plan"), summaries: round }, source);
    }
    const done = doneOf<M>(answer, source);
    if (store) await keep(store, done.archive ?? [], signal);
    this.#state = done.state;
    return done;
  }

  plan<M extends Messages>(messages: M): Pending | Done<M> {
    const source = transcript(messages);
    const policy = { ...this.#policy, answer: source.answer };
    return pendingOrDone(this.#ask("plan", { policy, state: this.#state }, source), source);
  }

  step<M extends Messages>(messages: M, plan: Plan, summaries: readonly Summary[]): Pending | Done<M> {
    const source = transcript(messages);
    return pendingOrDone(this.#ask("step", { plan, summaries }, source), source);
  }

  estimate(messages: Messages): Estimate {
    return this.#result("estimate", { policy: this.#policy }, transcript(messages));
  }

  estimateText(text: string): Estimate {
    return this.#result("estimate", { policy: this.#policy, text });
  }

  check(messages: Messages): Check {
    return this.#result("check", { policy: this.#policy, state: this.#state }, transcript(messages));
  }

  validate(messages: Messages): Validation {
    const source = transcript(messages);
    const head = { policy: this.#policy };
    const found = this.#result<Validation>("validate", head, source);
    const { messagesAt } = envelope(head, source);
    for (const violation of found.violations) violation.offset -= messagesAt;
    return found;
  }

  repair<M extends Messages>(messages: M): Repaired<M> {
    const source = transcript(messages);
    const answer = this.#ask("repair", { policy: { ...this.#policy, answer: source.answer } }, source);
    return withMessages(answer, source) as Repaired<M>;
  }

  restore<M extends Messages>(messages: M, bodies: readonly Kept[] = []): Restored<M> {
    const source = transcript(messages);
    const policy = { ...this.#policy, answer: source.answer };
    return withMessages(this.#ask("restore", { policy, state: this.#state, bodies }, source), source) as Restored<M>;
  }

  recallTool(): object {
    return this.#result<{ tool: object }>("recall", { policy: this.#policy }).tool;
  }

  recall(callArguments: unknown, body?: string | null): Recalled {
    return this.#result("recall", { policy: this.#policy, arguments: callArguments ?? null, body });
  }

  detect(messages: Messages): Detection {
    return this.#result("detect", { policy: this.#policy }, transcript(messages));
  }

  open<F extends string | Uint8Array>(file: F): Session<F extends string ? Message[] : Uint8Array> {
    const given: unknown = file;
    if (typeof given !== "string" && !(given instanceof Uint8Array)) {
      throw new CtxfoldError("invalid_option", "a session file is given as text or as bytes");
    }
    if (typeof given === "string") wellFormed(given, "");
    const answer = this.#call("open", [given]);
    const messages = answer.get("messages") as Uint8Array;
    const values = valuesOf(answer, "messages");
    values.messages = typeof given === "string" ? JSON.parse(decode(messages)) : messages.slice();
    return values as unknown as Session<F extends string ? Message[] : Uint8Array>;
  }

  function<T = unknown>(name: string, request: FunctionRequest = {}): T {
    const { messages, text, policy = this.#policy, state = this.#state } = request;
    if (text !== undefined) wellFormed(text, "text");
    const head = { name, policy, state, arguments: request.arguments, text };
    return this.#result<{ result: T }>("function", head, messages === undefined ? undefined : transcript(messages))
      .result;
  }

  info(): Info {
    return this.#result("info", {});
  }

  #result<T>(op: string, head: Record<string, unknown>, source?: Transcript): T {
    return valuesOf(this.#ask(op, head, source)) as T;
  }

  /** One operation. `head` goes before the messages, so that the module knows what to do when it reads them. */
  #ask(op: string, head: Record<string, unknown>, source?: Transcript): Answer {
    const request = envelope(head, source);
    return this.#call(op, request.pieces, request.messagesAt, source);
  }

  #call(op: string, pieces: Pieces, messagesAt = 0, source?: Transcript): Answer {
    const module = this.#module;
    if (!module) {
      throw new CtxfoldError(
        "not_loaded",
        `${op} was called before the module was loaded: await compactor.ready() first, or give createCompactor a module ` +
          "that load() returned",
      );
    }
    const answer = members(module.call(op, pieces));
    const error = answer.get("error");
    if (error) throw errorOf(error, messagesAt, source);
    return answer;
  }
}

/** The request object in pieces, and the byte at which its messages start. */
function envelope(head: Record<string, unknown>, source?: Transcript): { pieces: Pieces; messagesAt: number } {
  const pieces: (string | Uint8Array)[] = [];
  let text = "{";
  let messagesAt = 0;
  const flush = () => {
    messagesAt += utf8Length(text);
    pieces.push(text);
    text = "";
  };
  for (const [key, value] of Object.entries(head)) {
    if (value === undefined) continue;
    text += `${text === "{" ? "" : ","}"${key}":`;
    if (!(value instanceof Uint8Array)) {
      text += json(key, value);
      continue;
    }
    flush();
    messagesAt += value.length;
    pieces.push(value);
  }
  if (source) {
    text += `${text === "{" ? "" : ","}"messages":`;
    flush();
    pieces.push(source.piece);
  }
  pieces.push(`${text}}`);
  return { pieces, messagesAt };
}

function json(name: string, value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new CtxfoldError("invalid_option", `${name} cannot be written as JSON: ${messageOf(cause)}`, {
      path: name,
      cause,
    });
  }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The module's error, with an offset that lies in the messages counted from the start of the caller's own text. */
function errorOf(bytes: Uint8Array, messagesAt: number, source?: Transcript): CtxfoldError {
  const { code, message, path, offset } = JSON.parse(decode(bytes)) as CtxfoldError;
  if (!source || offset < messagesAt) return new CtxfoldError(code, message, { path, offset });
  return new CtxfoldError(code, message, {
    path: path || "messages",
    offset: Math.min(offset - messagesAt, source.size()),
  });
}

/** The members of an answer, but those named. */
function valuesOf(answer: Answer, ...without: string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, bytes] of answer) {
    if (!without.includes(key)) values[key] = JSON.parse(decode(bytes));
  }
  return values;
}

function requestsOf(answer: Answer): SummaryRequest[] {
  const bytes = answer.get("requests");
  return bytes ? JSON.parse(decode(bytes)) : [];
}

function pendingOrDone<M extends Messages>(answer: Answer, source: Transcript): Pending | Done<M> {
  return requestsOf(answer).length > 0 ? (valuesOf(answer) as unknown as Pending) : doneOf<M>(answer, source);
}

function doneOf<M extends Messages>(answer: Answer, source: Transcript): Done<M> {
  return Object.assign(withMessages(answer, source), { requests: [] }) as unknown as Done<M>;
}

/** The answer with its messages in the caller's kind. */
function withMessages(answer: Answer, source: Transcript): object {
  return Object.assign(valuesOf(answer, "messages", "edits"), { messages: source.restore(answer) });
}
