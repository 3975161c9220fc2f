import { CtxfoldModule, type Pieces } from "./abi.js";
import { BaseCompactor } from "./base.js";
import type { CompactorOptions } from "./compactor-options.js";
import { type CompactOptions, checkOverrides, IN_COMPACT, type Overrides, optionsOf } from "./ending.js";
import type { OperationRequest } from "./engine.js";
import {
  type Answer,
  type AnswerOf,
  envelope,
  errorOf,
  type Head,
  type HeadOf,
  messagesAt,
  pendingOrDone,
  valuesOf,
  withMessages,
} from "./envelope.js";
import { CtxfoldError } from "./errors.js";
import { decode, members } from "./json.js";
import type { Load } from "./load.js";
import { model } from "./model.js";
import { COMPACTOR_OPTIONS } from "./option-names.js";
import { checkOptions, checkStores, type Names } from "./options.js";
import { redactions } from "./redact.js";
import { saved } from "./save.js";
import { type LiveSession, ModuleSession, type Returned, sessionIn, sessionOf } from "./session.js";
import type { Store } from "./store.js";
import { type Transcript, transcript, written } from "./transcript.js";
import type {
  Check,
  Converted,
  Detection,
  Digest,
  Done,
  Estimate,
  Failure,
  Format,
  Found,
  FunctionName,
  FunctionRequest,
  Info,
  Kept,
  Left,
  LimitedOutput,
  Message,
  Messages,
  NamedHandles,
  Operation,
  OutputLimits,
  Pending,
  Plan,
  PlanOptions,
  Policy,
  Recalled,
  Repaired,
  Restored,
  Search,
  Session,
  State,
  StepOptions,
  Summary,
  Validation,
  Verdict,
} from "./types.js";
import { usageOf } from "./usage.js";

const PLAN_OPTIONS: Names<PlanOptions> = { memory: true, options: true };
const STEP_OPTIONS: Names<StepOptions> = { memory: true };

/** The members that compactors on this thread and in a worker have in common. All operations throw {@link CtxfoldError}. */
export interface CompactorOf<Where extends "here" | "worker"> {
  /** The policy in the options. */
  readonly policy: Policy;
  /** The store in the options; undefined if there is none. */
  readonly store: Store | undefined;
  /** Whether the options have a `summarize` function. */
  readonly summarizes: boolean;
  /** The state with which the next call starts: that of the last `compact` or `check`, or the state in the options. */
  readonly state: State | undefined;
  /** Resolves when the module is loaded. Rejects if loading fails; the next call tries again. */
  ready(): Promise<void>;
  /**
   * Compacts the messages: plans, has summaries written, and applies them. Pass live messages and get live messages,
   * text and get text, bytes and get bytes. Live messages come in a new array that holds your own objects where nothing
   * was changed; if nothing was changed at all, you get the same array (`===`).
   *
   * A summary that fails, hangs or is refused doesn't fail the compaction: a local digest replaces it and the report
   * says why. Don't modify the messages until the promise settles.
   */
  compact<M extends Messages>(messages: M, options?: CompactOptions): Promise<Done<M>>;
  /**
   * The first half of `compact`, for callers that call the model themselves. Returns a plan with requests, or the
   * finished result. It requests summaries even if there is no `summarize`, unless the policy has `summary.mode`
   * `local`, and does not change `state`.
   *
   * A short-lived host that gets the whole history with each request can store the `memory` of each result and pass
   * all of them in the next call. Then each compaction is made only once, as with `fit`.
   */
  plan<M extends Messages>(messages: M, options?: PlanOptions): Returned<Where, Pending | Done<M>>;
  /**
   * Continues a plan once its requests have been answered, with the plan's policy and state. Pass the messages that
   * the plan was made for, in the same form; newer messages may follow.
   */
  step<M extends Messages>(
    messages: M,
    plan: Plan,
    summaries: readonly Summary[],
    options?: StepOptions,
  ): Returned<Where, Pending | Done<M>>;
  /**
   * Returns fingerprints of the first message, of the first two messages, and so on, each in up to 16 hexadecimal digits.
   * They cover only the content that the model sees. A `memory` entry applies to a history if `prints[entry.messages - 1]`
   * equals `entry.print`, or `prints[entry.sent_messages - 1]` equals `entry.sent`.
   */
  prints(messages: Messages): Returned<Where, string[]>;
  /**
   * Estimates the tokens of a transcript, and of each message, with the policy's estimator, corrected by the state and
   * `usage`.
   */
  estimate(messages: Messages, overrides?: Overrides): Returned<Where, Estimate>;
  /** Estimates the tokens of a plain text with the policy's estimator. */
  estimateText(text: string): Returned<Where, Estimate>;
  /**
   * Reports whether a compaction is due. A correction of the estimate by `usage` is kept in `state`, unless a state is
   * given.
   */
  check(messages: Messages, overrides?: Overrides): Returned<Where, Check>;
  /** Lists the places where a transcript breaks the rules of its wire format. */
  validate(messages: Messages): Returned<Where, Validation>;
  /**
   * Repairs the places where a transcript breaks the rules of its wire format. The report lists the repairs, and the
   * places that no repair can fix (`left`).
   */
  repair<M extends Messages>(messages: M): Returned<Where, Repaired<M>>;
  /**
   * Converts the transcript to another wire format, so that the conversation can continue with another provider, and
   * reports the content that could not be converted (docs/guides/formats.md, Conversion). `format` is the
   * transcript's format; by default it is the policy's, or is detected.
   */
  convert<M extends Messages>(messages: M, to: Format, format?: Format): Returned<Where, Converted<M>>;
  /**
   * Restores bodies, byte for byte, where markers name their handles. Markers whose bodies aren't given stay, and are
   * listed; without bodies, that is all of them. Throws `handle_mismatch` if a body isn't that of its handle.
   * `restoreFrom` fetches the bodies from a store.
   */
  restore<M extends Messages>(
    messages: M,
    bodies?: readonly Kept[],
    state?: State | null,
  ): Returned<Where, Restored<M>>;
  /**
   * Returns the handles that bodies contain, because a body can have markers of earlier compactions. `restoreFrom`
   * uses them.
   */
  handlesIn(bodies: readonly Kept[]): Returned<Where, NamedHandles>;
  /**
   * Returns the messages that compactions wrote, with their contents, for an app that displays the conversation. With
   * a state it is certain which they are (`own`); with null they are recognized by role and position.
   */
  digests(messages: Messages, state?: State | null): Returned<Where, Digest[]>;
  /**
   * Returns the definition of a tool with which the model can recall removed content, in the wire format of the
   * policy.
   */
  recallTool(): Returned<Where, object>;
  /**
   * Reads a call of the tool that `recallTool` defines. If the requested body (null if there is none) or the search
   * result is given, it also returns the text of the tool result. See `recallFrom`.
   */
  recall(callArguments: unknown, body?: string | null, found?: Found): Returned<Where, Recalled>;
  /** Searches the messages in bodies, and lists the best ones first. `searchFrom` fetches the bodies from a store. */
  search(search: Search): Returned<Where, Found>;
  /** Detects the wire format of a transcript. Lists the formats that are possible, the most likely one first. */
  detect(messages: Messages): Returned<Where, Detection>;
  /**
   * Extracts the live conversation from a coding agent's session file, given as it is on disk. Given a string, returns
   * message objects; given bytes, returns the bytes of a JSON array. Throws `unknown_session` if the file is not a
   * session file.
   */
  open<F extends string | Uint8Array>(file: F): Returned<Where, Session<F extends string ? Message[] : Uint8Array>>;
  /**
   * Writes the compacted conversation into the session file that it came from, given as it is on disk, and returns
   * the new file. The agent resumes with exactly these messages; the file records the compaction as the agent itself
   * would (docs/guides/sessions.md). If the conversation is unchanged, so is the file. Throws `cannot_save` for
   * messages that this kind of file cannot contain.
   */
  save<F extends string | Uint8Array>(file: F, left: Left): Returned<Where, F>;
  /**
   * Classifies the error of a model call, or recognizes that the input did not fit although no error was reported.
   * docs/guides/overflow.md lists the classes.
   */
  classifyError(failure: Failure): Returned<Where, Verdict>;
  /**
   * Limits a tool's output before it becomes a part of the transcript. It is cut or, if it is so large that the host
   * should store it, replaced with a notice.
   */
  limitToolOutput(text: string, limits?: OutputLimits): Returned<Where, LimitedOutput>;
  /**
   * Runs one step of a compaction by name, such as `find_cut_point` or `truncate_head_tail`, and returns its result.
   * docs/reference/functions.md lists the steps. Throws `unknown_function` if there is no such step. The package's own
   * module has no steps: use `ctxfold-full.wasm`.
   */
  function<T = unknown>(name: FunctionName, request?: FunctionRequest): Returned<Where, T>;
  /** Returns the module's version, wire formats, presets, estimators and limits. */
  info(): Returned<Where, Info>;
}

/**
 * Compacts one conversation. `compact` waits for the module to load. The other operations are synchronous and throw
 * `not_loaded` until `ready` has resolved, unless the compactor was created with a module that `load` returned.
 *
 * Messages are never modified in place. All operations throw {@link CtxfoldError}; the compactor remains usable
 * afterwards.
 */
export interface Compactor extends CompactorOf<"here"> {
  /**
   * Opens a conversation that stays in the module, with these messages and this compactor's options. It starts with the
   * compactor's state and keeps its own from then on.
   */
  session<M extends Message>(messages?: readonly M[], overrides?: Overrides): LiveSession<M>;
}

/** Creates a compactor. The module starts to load at once; `ready` and `compact` wait for it. */
export type CreateCompactor = (options?: CompactorOptions) => Compactor;

/** Returns the function that creates compactors with a platform's loader. */
export function compactors(load: Load): CreateCompactor {
  return (options = {}) => new ModuleCompactor(load, options);
}

class ModuleCompactor extends BaseCompactor implements Compactor {
  readonly #load: Load;
  readonly #source: CompactorOptions["module"];
  #module: CtxfoldModule | undefined;

  constructor(load: Load, options: CompactorOptions) {
    checkOptions(options, COMPACTOR_OPTIONS, "createCompactor", IN_COMPACT);
    checkStores(options);
    const { module, policy = {}, store, countTokens } = options;
    super({ policy, store, countTokens, model: model(options) }, options.state);
    this.#load = load;
    this.#source = module;
    if (module instanceof CtxfoldModule) this.#module = module;
    // ready() and compact() report a failure and try again. This promise may have no listener, so its rejection is
    // caught here.
    else this.ready().catch(() => {});
  }

  async ready(): Promise<void> {
    this.#module ??= await this.#load(this.#source);
  }

  protected loading(): Promise<void> {
    return this.ready();
  }

  plan<M extends Messages>(messages: M, options: PlanOptions = {}): Pending | Done<M> {
    checkOptions(options, PLAN_OPTIONS, "plan");
    const { memory } = options;
    const source = transcript(messages);
    const redact = redactions(this.compacting.model.redact, source.piece);
    const head = { policy: this.policy, options: optionsOf(options.options, source, { redact }) };
    const answer = memory
      ? this.#runOperation("fit", { ...head, memory }, source)
      : this.#runOperation("plan", { ...head, state: this.current }, source);
    return pendingOrDone(answer, source);
  }

  step<M extends Messages>(
    messages: M,
    plan: Plan,
    summaries: readonly Summary[],
    options: StepOptions = {},
  ): Pending | Done<M> {
    checkOptions(options, STEP_OPTIONS, "step");
    const source = transcript(messages);
    return pendingOrDone(this.#runOperation("step", { plan, summaries, memory: options.memory }, source), source);
  }

  prints(messages: Messages): string[] {
    return this.#runForValues("prints", { policy: this.policy }, transcript(messages)).prints;
  }

  estimate(messages: Messages, overrides: Overrides = {}): Estimate {
    const { policy = this.policy, state = this.current } = overrides;
    const options = this.#counting("estimate", messages, overrides);
    return this.#runForValues("estimate", { policy, options, state }, transcript(messages));
  }

  estimateText(text: string): Estimate {
    return this.#runForValues("estimate", { policy: this.policy, text });
  }

  check(messages: Messages, overrides: Overrides = {}): Check {
    const { policy = this.policy, state } = overrides;
    const options = this.#counting("check", messages, overrides);
    const head = { policy, options, state: state === undefined ? this.current : state };
    const check: Check = this.#runForValues("check", head, transcript(messages));
    if (state === undefined && check.state) this.current = check.state;
    return check;
  }

  validate(messages: Messages): Validation {
    const source = transcript(messages);
    const head = { policy: this.policy };
    const found = this.#runForValues("validate", head, source);
    const start = messagesAt(envelope(head, source));
    for (const violation of found.violations) violation.offset -= start;
    return found;
  }

  repair<M extends Messages>(messages: M): Repaired<M> {
    const source = transcript(messages);
    const answer = this.#runOperation("repair", { policy: this.policy, options: optionsOf(undefined, source) }, source);
    return withMessages(answer, source) as Repaired<M>;
  }

  convert<M extends Messages>(messages: M, to: Format, format?: Format): Converted<M> {
    const source = transcript(messages);
    const answer = this.#runOperation("convert", { policy: this.policy, options: format && { format }, to }, source);
    const converted = {
      ...valuesOf(answer, "messages"),
      messages: answer.get("messages")?.slice(),
    } as unknown as Converted<M>;
    return Object.assign(converted, { messages: written(converted, messages) }) as Converted<M>;
  }

  restore<M extends Messages>(messages: M, bodies: readonly Kept[] = [], state: State | null = this.current ?? null) {
    const source = transcript(messages);
    const head = { policy: this.policy, options: optionsOf(undefined, source), state, bodies };
    return withMessages(this.#runOperation("restore", head, source), source) as Restored<M>;
  }

  handlesIn(bodies: readonly Kept[]): NamedHandles {
    if (bodies.length === 0) return { handles: [], corrupt: [] };
    return this.#runForValues("restore", { bodies }) as NamedHandles;
  }

  digests(messages: Messages, state: State | null = this.current ?? null): Digest[] {
    return this.#runForValues("digests", { policy: this.policy, state }, transcript(messages)).digests;
  }

  recallTool(): object {
    return this.#runForValues("recall", { policy: this.policy }).tool as object;
  }

  recall(callArguments: unknown, body?: string | null, found?: Found): Recalled {
    return this.#runForValues("recall", { policy: this.policy, arguments: callArguments ?? null, body, found });
  }

  search({ bodies, ...search }: Search): Found {
    return this.#runForValues("search", { ...search, bodies });
  }

  detect(messages: Messages): Detection {
    return this.#runForValues("detect", { policy: this.policy }, transcript(messages));
  }

  open<F extends string | Uint8Array>(file: F): Session<F extends string ? Message[] : Uint8Array> {
    const given: unknown = file;
    if (typeof given !== "string" && !(given instanceof Uint8Array)) {
      throw new CtxfoldError("invalid_option", "a session file is given as text or as bytes");
    }
    const answer = this.#call("open", [given]);
    const messages = answer.get("messages") as Uint8Array;
    const values = valuesOf(answer, "messages");
    values.messages = typeof given === "string" ? JSON.parse(decode(messages)) : messages.slice();
    return values as unknown as Session<F extends string ? Message[] : Uint8Array>;
  }

  save<F extends string | Uint8Array>(file: F, left: Left): F {
    return saved(file, left, (head, source) => this.#runOperation("save", head, source));
  }

  classifyError(failure: Failure): Verdict {
    return this.#runForValues("classify_error", { arguments: failure });
  }

  limitToolOutput(text: string, limits?: OutputLimits): LimitedOutput {
    return this.#runForValues("limit_tool_output", { text, arguments: limits });
  }

  function<T = unknown>(name: FunctionName, request: FunctionRequest = {}): T {
    const { messages, text, policy = this.policy, options, state = this.current } = request;
    const head = { name, policy, options, state, arguments: request.arguments, text };
    const source = messages === undefined ? undefined : transcript(messages);
    return this.#runForValues("function", head, source).result as T;
  }

  session<M extends Message>(messages: readonly M[] = [], overrides: Overrides = {}): LiveSession<M> {
    const run = (request: OperationRequest) => this.runOperation(request);
    const own = { state: this.current, ...overrides };
    return new ModuleSession(run, this.compacting, messages, own) as unknown as LiveSession<M>;
  }

  /** Runs one operation. Session numbers in `head` and in the answer are unique over all instances. */
  runOperation({ op, head, source }: OperationRequest): Answer {
    const module = this.#loaded(op);
    const { session } = head;
    if (typeof session === "number") {
      return this.#send(op, { ...head, session: sessionIn(module.instance, session) }, source);
    }
    const answer = this.#send(op, head, source);
    const opened = answer.get("session");
    if (!opened) return answer;
    const number = sessionOf(module.instance, Number(decode(opened)));
    return new Map(answer).set("session", new TextEncoder().encode(String(number)));
  }

  info(): Info {
    return this.#runForValues("info", {});
  }

  /** Returns the options of a request that counts tokens: those of this call, and the token count of an exact tokenizer. */
  #counting(op: Operation, messages: Messages, overrides: Overrides) {
    checkOverrides(overrides, op);
    const { options, usage } = overrides;
    return optionsOf(options, { usage: usageOf(this.compacting.countTokens, messages, usage) });
  }

  #runForValues<Op extends Operation>(op: Op, head: HeadOf<Op>, source?: Transcript): AnswerOf<Op> {
    return valuesOf(this.#runOperation(op, head, source)) as AnswerOf<Op>;
  }

  /** Runs one operation. `head` comes before the messages, so that the module knows how to read them. */
  #runOperation<Op extends Operation>(op: Op, head: HeadOf<Op>, source?: Transcript): Answer {
    return this.#send(op, head, source);
  }

  #send(op: Operation, head: Head, source?: Transcript): Answer {
    return this.#call(op, envelope(head, source), source);
  }

  #call(op: Operation, pieces: Pieces, source?: Transcript): Answer {
    const answer = members(this.#loaded(op).call(op, pieces));
    const error = answer.get("error");
    if (error) throw errorOf(error, pieces, source);
    return answer;
  }

  #loaded(op: Operation): CtxfoldModule {
    if (this.#module) return this.#module;
    throw new CtxfoldError(
      "not_loaded",
      `${op} was called before the module was loaded: await compactor.ready() first, or give createCompactor a module ` +
        "that load() returned",
    );
  }
}
