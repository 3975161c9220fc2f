/**
 * The operations of a compactor, which are the same whether the module is on this thread or in a worker: each makes a
 * request, and reads the answer.
 */
import { unlessAborted } from "./abort.js";
import type { CompactorOf } from "./compactor-methods.js";
import { type CompactOptions, checkOverrides, ending, type Overrides, optionsOf } from "./ending.js";
import type { OperationRequest, Returned } from "./engine.js";
import {
  type Answer,
  type AnswerOf,
  doneOf,
  envelope,
  type Head,
  type HeadOf,
  messagesAt,
  pendingOrDone,
  serialized,
  valuesOf,
  withMessages,
} from "./envelope.js";
import { CtxfoldError } from "./errors.js";
import { decode } from "./json.js";
import { type JobOperation, runPlan } from "./loop.js";
import { checkOptions, type Names } from "./options.js";
import { redactions } from "./redact.js";
import { fileOf, saving } from "./save.js";
import type { Compacting } from "./session.js";
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

/** A request of one kind of operation. */
interface RequestOf<Op extends Operation> extends OperationRequest {
  /** The operation, which determines the types of the head and of the answer. */
  op: Op;
  head: HeadOf<Op>;
}

/** A call of a method: the request for the module, and the function that reads its answer. */
export interface Call<T> {
  /** The request; undefined if none is necessary. The answer then has no members. */
  request: OperationRequest | undefined;
  /** Returns the method's result. */
  readAnswer(answer: Answer): T;
}

/** A compactor without the module: it makes requests and reads answers. Its subclasses run the requests. */
export abstract class BaseCompactor<Where extends "here" | "worker"> implements CompactorOf<Where> {
  /** The policy, the store, the model and the tokenizer in the options. */
  protected readonly compacting: Compacting;
  /** The state with which the next call starts. */
  protected current: State | undefined;

  constructor(compacting: Compacting, state: State | null | undefined) {
    this.compacting = compacting;
    this.current = state ?? undefined;
  }

  get policy(): Policy {
    return this.compacting.policy;
  }

  get store(): Store | undefined {
    return this.compacting.store;
  }

  get summarizes(): boolean {
    return this.compacting.model.summarize !== undefined;
  }

  get state(): State | undefined {
    return this.current;
  }

  /** Runs one operation. Sessions and fits use it too. */
  abstract runOperation(request: OperationRequest): Answer | Promise<Answer>;

  abstract ready(): Promise<void>;

  /**
   * Runs the request that `makeCall` returns, and returns the result that is read from its answer. `makeCall` is called
   * at once, before the caller can modify its messages. If it throws, the result of a compactor in a worker is a
   * promise that rejects.
   */
  protected abstract run<T>(makeCall: () => Call<T>): Returned<Where, T>;

  /** Resolves when operations can run; undefined if they wait for that themselves. */
  protected loading(): Promise<void> | undefined {
    return undefined;
  }

  compact<M extends Messages>(messages: M, options: CompactOptions = {}): Promise<Done<M>> {
    return ending(options, async (signal) => {
      signal?.throwIfAborted();
      const source = transcript(messages);
      const loading = this.loading();
      if (loading) await unlessAborted(loading, signal);
      const { store, model, countTokens } = this.compacting;
      const { policy = this.policy, state = this.current } = options;
      const usage = usageOf(countTokens, messages, options.usage);
      const redact = redactions(model.redact, source.piece);
      const call = (op: JobOperation, head: Head, needs: boolean) =>
        this.runOperation({ op, head, source: needs ? source : undefined });
      const head = { policy, options: optionsOf(options.options, { answer: source.answer, usage }, { redact }), state };
      const done = doneOf<M>(await runPlan({ call, model, store, source }, head, signal), source);
      this.current = done.state;
      return done;
    });
  }

  plan<M extends Messages>(messages: M, options: PlanOptions = {}): Returned<Where, Pending | Done<M>> {
    return this.run(() => {
      checkOptions(options, PLAN_OPTIONS, "plan");
      const { memory } = options;
      const source = transcript(messages);
      const redact = redactions(this.compacting.model.redact, source.piece);
      const head = { policy: this.policy, options: optionsOf(options.options, source, { redact }) };
      const request = memory
        ? requestOf("fit", { ...head, memory }, source)
        : requestOf("plan", { ...head, state: this.current }, source);
      return { request, readAnswer: (answer) => pendingOrDone<M>(answer, source) };
    });
  }

  step<M extends Messages>(
    messages: M,
    plan: Plan,
    summaries: readonly Summary[],
    options: StepOptions = {},
  ): Returned<Where, Pending | Done<M>> {
    return this.run(() => {
      checkOptions(options, STEP_OPTIONS, "step");
      const source = transcript(messages);
      const request = requestOf("step", { plan, summaries, memory: options.memory }, source);
      return { request, readAnswer: (answer) => pendingOrDone<M>(answer, source) };
    });
  }

  prints(messages: Messages): Returned<Where, string[]> {
    return this.#values(
      () => requestOf("prints", { policy: this.policy }, transcript(messages)),
      ({ prints }) => prints,
    );
  }

  estimate(messages: Messages, overrides: Overrides = {}): Returned<Where, Estimate> {
    return this.#values(() => {
      const { policy = this.policy, state = this.current } = overrides;
      const options = this.#counting("estimate", messages, overrides);
      return requestOf("estimate", { policy, options, state }, transcript(messages));
    });
  }

  estimateText(text: string): Returned<Where, Estimate> {
    return this.#values(() => requestOf("estimate", { policy: this.policy, text }));
  }

  check(messages: Messages, overrides: Overrides = {}): Returned<Where, Check> {
    return this.run(() => {
      const options = this.#counting("check", messages, overrides);
      const { policy = this.policy, state } = overrides;
      const head = { policy, options, state: state === undefined ? this.current : state };
      const readAnswer = (answer: Answer) => {
        const check = valuesOf(answer) as unknown as Check;
        if (state === undefined && check.state) this.current = check.state;
        return check;
      };
      return { request: requestOf("check", head, transcript(messages)), readAnswer };
    });
  }

  validate(messages: Messages): Returned<Where, Validation> {
    return this.run(() => {
      const source = transcript(messages);
      // The policy is serialized only once: the caller may modify it before the answer arrives.
      const head = serialized({ policy: this.policy });
      const start = messagesAt(envelope(head, source));
      const readAnswer = (answer: Answer) => {
        const found = valuesOf(answer) as unknown as Validation;
        for (const violation of found.violations) violation.offset -= start;
        return found;
      };
      return { request: requestOf("validate", head, source), readAnswer };
    });
  }

  repair<M extends Messages>(messages: M): Returned<Where, Repaired<M>> {
    return this.run(() => {
      const source = transcript(messages);
      const request = requestOf("repair", { policy: this.policy, options: optionsOf(undefined, source) }, source);
      return { request, readAnswer: (answer) => withMessages(answer, source) as Repaired<M> };
    });
  }

  convert<M extends Messages>(messages: M, to: Format, format?: Format): Returned<Where, Converted<M>> {
    return this.run(() => {
      const head = { policy: this.policy, options: format && { format }, to };
      const readAnswer = (answer: Answer) => {
        const values = valuesOf(answer, "messages") as unknown as Converted<M>;
        const converted = { ...values, messages: answer.get("messages")?.slice() };
        return { ...values, messages: written(converted, messages) } as Converted<M>;
      };
      return { request: requestOf("convert", head, transcript(messages)), readAnswer };
    });
  }

  restore<M extends Messages>(
    messages: M,
    bodies: readonly Kept[] = [],
    state: State | null = this.current ?? null,
  ): Returned<Where, Restored<M>> {
    return this.run(() => {
      const source = transcript(messages);
      const head = { policy: this.policy, options: optionsOf(undefined, source), state, bodies };
      const request = requestOf("restore", head, source);
      return { request, readAnswer: (answer) => withMessages(answer, source) as Restored<M> };
    });
  }

  handlesIn(bodies: readonly Kept[]): Returned<Where, NamedHandles> {
    return this.run(() => ({
      request: bodies.length > 0 ? requestOf("restore", { bodies }) : undefined,
      readAnswer: (answer) => ({ handles: [], corrupt: [], ...valuesOf(answer) }),
    }));
  }

  digests(messages: Messages, state: State | null = this.current ?? null): Returned<Where, Digest[]> {
    return this.#values(
      () => requestOf("digests", { policy: this.policy, state }, transcript(messages)),
      ({ digests }) => digests,
    );
  }

  recallTool(): Returned<Where, object> {
    return this.#values(
      () => requestOf("recall", { policy: this.policy }),
      ({ tool }) => tool as object,
    );
  }

  recall(callArguments: unknown, body?: string | null, found?: Found): Returned<Where, Recalled> {
    return this.#values(() =>
      requestOf("recall", { policy: this.policy, arguments: callArguments ?? null, body, found }),
    );
  }

  search(search: Search): Returned<Where, Found> {
    return this.#values(() => {
      const { bodies, ...rest } = search;
      return requestOf("search", { ...rest, bodies });
    });
  }

  detect(messages: Messages): Returned<Where, Detection> {
    return this.#values(() => requestOf("detect", { policy: this.policy }, transcript(messages)));
  }

  open<F extends string | Uint8Array>(file: F): Returned<Where, Session<F extends string ? Message[] : Uint8Array>> {
    const given: unknown = file;
    return this.run(() => {
      if (!(typeof given === "string" || given instanceof Uint8Array)) {
        throw new CtxfoldError("invalid_option", "a session file is given as text or as bytes");
      }
      const readAnswer = (answer: Answer) => {
        const messages = answer.get("messages") as Uint8Array;
        const values = valuesOf(answer, "messages");
        values.messages = typeof given === "string" ? JSON.parse(decode(messages)) : messages.slice();
        return values as unknown as Session<F extends string ? Message[] : Uint8Array>;
      };
      return { request: { op: "open", head: {}, file: given }, readAnswer };
    });
  }

  save<F extends string | Uint8Array>(file: F, left: Left): Returned<Where, F> {
    return this.run(() => ({
      request: saving(file, left),
      readAnswer: (answer) => (answer.size > 0 ? fileOf(file, answer) : file),
    }));
  }

  classifyError(failure: Failure): Returned<Where, Verdict> {
    return this.#values(() => requestOf("classify_error", { arguments: failure }));
  }

  limitToolOutput(text: string, limits?: OutputLimits): Returned<Where, LimitedOutput> {
    return this.#values(() => requestOf("limit_tool_output", { text, arguments: limits }));
  }

  function<T = unknown>(name: FunctionName, given: FunctionRequest = {}): Returned<Where, T> {
    return this.#values(
      () => {
        const { messages, text, policy = this.policy, options, state = this.current } = given;
        const head = { name, policy, options, state, arguments: given.arguments, text };
        return requestOf("function", head, messages === undefined ? undefined : transcript(messages));
      },
      ({ result }) => result as T,
    );
  }

  info(): Returned<Where, Info> {
    return this.#values(() => requestOf("info", {}));
  }

  /** Runs an operation whose result is its answer, or what `readValues` makes of it. */
  #values<Op extends Operation, T = AnswerOf<Op>>(
    makeRequest: () => RequestOf<Op>,
    readValues = (values: AnswerOf<Op>) => values as unknown as T,
  ): Returned<Where, T> {
    return this.run(() => ({
      request: makeRequest(),
      readAnswer: (answer) => readValues(valuesOf(answer) as AnswerOf<Op>),
    }));
  }

  /** Returns the options of a request that counts tokens: those of this call, and the token count of an exact tokenizer. */
  #counting(op: Operation, messages: Messages, overrides: Overrides) {
    checkOverrides(overrides, op);
    const { options, usage } = overrides;
    return optionsOf(options, { usage: usageOf(this.compacting.countTokens, messages, usage) });
  }
}

const requestOf = <Op extends Operation>(op: Op, head: HeadOf<Op>, source?: Transcript): RequestOf<Op> => ({
  op,
  head,
  source,
});
