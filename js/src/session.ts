/** Conversations that stay in the module, so that they are not written and read again at each turn. */
import {
  type CompactOptions,
  type CountTokens,
  checkOverrides,
  ending,
  type Overrides,
  optionsOf,
  usageOf,
} from "./ending.js";
import { type Answer, type Head, type HeadOf, requestsOf, valuesOf } from "./envelope.js";
import { CtxfoldError } from "./errors.js";
import type { Model } from "./events.js";
import { applyEdits } from "./live.js";
import { type Ended, type JobOperation, type Means, runPlan, runTurn } from "./loop.js";
import { redactions } from "./redact.js";
import type { Store } from "./store.js";
import { type Transcript, transcript } from "./transcript.js";
import type { JobSettings, Redact } from "./types.gen.js";
import type {
  Check,
  Done,
  Edit,
  Estimate,
  Message,
  Operation,
  Pending,
  Plan,
  Policy,
  State,
  Summary,
} from "./types.js";

/**
 * A conversation of live messages that also stays in the module: an append costs what is appended, and `check` costs the same
 * whatever the conversation holds. For a chat client it is
 *
 *     session.append(message);
 *     if (session.check().due) await session.compact();
 *     send(session.messages);
 *
 * The module's copy is a cache. Where its instance is gone, the session is opened again with the messages, by itself.
 */
export interface LiveSession<M extends Message = Message> {
  /** All messages, compacted; a new array after each change. Neither it nor its messages should be changed in place. */
  readonly messages: readonly M[];
  /** What the last compaction returned: store it next to the messages. */
  readonly state: State | undefined;
  /** Puts messages after the last one and returns the estimated tokens of all. Where one has a fault, none is put. */
  append(...messages: M[]): number;
  /** Whether compaction is due. */
  check(overrides?: Overrides): Check;
  /** Tokens of the conversation, by the policy's estimator. */
  estimate(): Estimate;
  /** As the compactor's; messages that are appended meanwhile stay after the result. One runs at a time. */
  compact(options?: CompactOptions): Promise<Done<M[]>>;
  /** As the compactor's, for hosts that run the loop themselves, such as to keep the plan before they ask a model. */
  plan(overrides?: Overrides): Pending | Done<M[]>;
  /** As the compactor's. When it is done the session continues with the result. */
  step(plan: Plan, summaries: readonly Summary[]): Pending | Done<M[]>;
  /** Gives the module's memory back. The session can be used again, and is then read once more. */
  close(): void;
}

/** A session in a worker: as {@link LiveSession}, but every operation gives a promise. They run in the order of their calls. */
export interface RemoteSession<M extends Message = Message> {
  readonly messages: readonly M[];
  readonly state: State | undefined;
  append(...messages: M[]): Promise<number>;
  check(overrides?: Overrides): Promise<Check>;
  estimate(): Promise<Estimate>;
  compact(options?: CompactOptions): Promise<Done<M[]>>;
  plan(overrides?: Overrides): Promise<Pending | Done<M[]>>;
  step(plan: Plan, summaries: readonly Summary[]): Promise<Pending | Done<M[]>>;
  close(): Promise<void>;
}

/** One operation of the module. */
export interface OperationRequest {
  op: Operation;
  head: Head;
  source?: Transcript | undefined;
}

/** Work in operations of the module. Whoever runs them passes the answers back, synchronously or not. */
export type Steps<T> = Generator<OperationRequest, T, Answer>;

/** What a session has of the compactor that made it. */
export interface Compacting {
  readonly policy: Policy;
  readonly store: Store | undefined;
  readonly model: Model;
  readonly countTokens: CountTokens | undefined;
}

/** The number of a module's instance and that of a session in it, as one. */
const INSTANCE = 2 ** 32;

/** A session's number among those of all instances, so that one of an instance that is gone is never taken for another. */
export const sessionOf = (instance: number, session: number): number => instance * INSTANCE + session;

/** The session's number in this instance. Throws `session_closed` where it is of another one. */
export function sessionIn(instance: number, session: number): number {
  if (Math.floor(session / INSTANCE) === instance) return session % INSTANCE;
  throw new CtxfoldError("session_closed", "the instance that held the session is gone", { path: "session" });
}

/** A session, as operations to run: whoever runs them gets answers at once, or later. */
class SessionSteps {
  messages: readonly Message[];
  state: State | undefined;
  readonly #compacting: Compacting;
  readonly #policy: Policy;
  /** Undefined where it has to be opened first. */
  #session: number | undefined;

  constructor(compacting: Compacting, messages: readonly Message[], overrides: Overrides) {
    checkOverrides(overrides, "session");
    const { policy, state } = overrides;
    this.#compacting = compacting;
    this.#policy = policy ?? compacting.policy;
    this.state = state ?? undefined;
    this.messages = messages.slice();
  }

  *append(messages: readonly Message[]): Steps<number> {
    if (messages.length === 0) return this.messages.length > 0 ? (yield* this.estimate()).tokens : 0;
    const { tokens } = valuesOf(yield* this.#runOperation("session_append", {}, transcript(messages))) as {
      tokens: number;
    };
    this.messages = [...this.messages, ...messages];
    return tokens;
  }

  *check(overrides?: Overrides): Steps<Check> {
    checkOverrides(overrides ?? {}, "check");
    const check = valuesOf(yield* this.#runOperation("check", this.with(overrides))) as unknown as Check;
    if (check.state && overrides?.state === undefined) this.state = check.state;
    return check;
  }

  *estimate(): Steps<Estimate> {
    const usage = usageOf(this.#compacting.countTokens, this.messages);
    return valuesOf(
      yield* this.#runOperation("estimate", { options: optionsOf(undefined, { usage }) }),
    ) as unknown as Estimate;
  }

  *plan(overrides?: Overrides): Steps<Finished | Pending> {
    return this.#result(yield* this.#runOperation("plan", this.own(overrides)));
  }

  *step(plan: Plan, summaries: readonly Summary[]): Steps<Finished | Pending> {
    return this.#result(yield* this.#runOperation("step", { plan, summaries }));
  }

  /** The conversation continues with the result, and with what was appended since. */
  take({ done, edits, length }: Finished): Done<Message[]> {
    const given = this.messages.slice(0, length);
    const kept = applyEdits(given, edits) as readonly Message[];
    if (kept !== given) this.messages = [...kept, ...this.messages.slice(length)];
    this.state = done.state;
    return { ...done, messages: this.messages.slice() };
  }

  /** An operation of a job, on the session where it needs the messages: `given` counts them. */
  *job(given: { length: number }, op: JobOperation, head: Head, needs: boolean): Steps<Answer> {
    if (!needs) return yield { op, head };
    given.length = this.messages.length;
    return yield* this.#runOperation(op, head);
  }

  /** What a tokenizer counts now; nothing without one. */
  counted(): { tokens?: number } {
    const usage = usageOf(this.#compacting.countTokens, this.messages);
    return usage?.total_tokens ? { tokens: usage.total_tokens } : {};
  }

  /** What a compaction replaces in what it reads. */
  redact(): Redact | undefined {
    const { redact } = this.#compacting.model;
    return redact && redactions(redact, transcript(this.messages).piece);
  }

  *close(): Steps<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    try {
      yield { op: "session_close", head: { session } };
    } catch (error) {
      if (!isClosed(error)) throw error;
    }
  }

  #result(answer: Answer): Finished | Pending {
    if (requestsOf(answer).length > 0) return valuesOf(answer) as unknown as Pending;
    return finishedOf(answer, this.messages.length);
  }

  /** What goes with an operation that compacts, and counts in place of what the session was opened with. */
  own(overrides: Overrides = {}): Head {
    return this.with(overrides, this.redact());
  }

  with({ policy, options, state, usage: given }: Overrides = {}, redact?: Redact): Head {
    const { store, countTokens } = this.#compacting;
    const usage = usageOf(countTokens, this.messages, given);
    return { policy, options: optionsOf(options, { usage }, { store, redact }), state };
  }

  /** An operation on the session, which is opened first, and again where the module's instance is another one by now. */
  *#runOperation<Op extends Operation>(op: Op, head: Omit<HeadOf<Op>, "session">, source?: Transcript): Steps<Answer> {
    for (let again = false; ; again = true) {
      this.#session ??= yield* this.#open();
      try {
        return yield { op, head: { ...head, session: this.#session }, source };
      } catch (error) {
        if (again || !isClosed(error)) throw error;
        this.#session = undefined;
      }
    }
  }

  *#open(): Steps<number> {
    const source = this.messages.length > 0 ? transcript(this.messages) : undefined;
    const options = optionsOf(undefined, { answer: "edits" }, this.#compacting);
    const head = { policy: this.#policy, options, state: this.state };
    return (valuesOf(yield { op: "session_open", head, source }) as { session: number }).session;
  }
}

/** The end of a compaction, before the conversation has taken it. */
interface Finished {
  done: Omit<Done<Message[]>, "messages">;
  edits: readonly Edit[];
  /** How many messages it was made for. */
  length: number;
}

function finishedOf(answer: Answer, length: number): Finished {
  const { edits, ...done } = valuesOf(answer);
  return { done: { ...done, requests: [] } as unknown as Finished["done"], edits: edits as Edit[], length };
}

const isFinished = (result: Finished | Pending): result is Finished => "done" in result;

/** The instance that held the session is gone, or the module has dropped it. */
export function isClosed(error: unknown): boolean {
  return error instanceof CtxfoldError && error.code === "session_closed";
}

/** Is waited for before a conversation takes a result: what it throws ends the compaction, and nothing has changed. */
export type Commit = (state: State) => PromiseLike<void>;

/** What a conversation does for the jobs of its turns. */
export interface TurnHost extends Required<Pick<Means, "begin" | "stop" | "enter" | "before">> {
  /** Undefined where nothing has to be saved. */
  readonly commit?: Commit | undefined;
}

/** What came of a turn: a compaction, or why there was none. */
export type Turned<M extends Message> = Pick<Ended, "check" | "notes"> & { done?: Done<M[]> };

/** A session as a conversation has it. */
export interface Turning<M extends Message> {
  turn(settings: Partial<JobSettings>, overrides: Overrides, host: TurnHost, signal?: AbortSignal): Promise<Turned<M>>;
}

/** Runs one compaction at a time. */
class Loop {
  readonly #steps: SessionSteps;
  readonly #compacting: Compacting;
  readonly #run: <T>(steps: Steps<T>) => T | Promise<T>;
  #running = false;

  constructor(steps: SessionSteps, compacting: Compacting, run: <T>(steps: Steps<T>) => T | Promise<T>) {
    this.#steps = steps;
    this.#compacting = compacting;
    this.#run = run;
  }

  async compact(options: CompactOptions = {}): Promise<Done<Message[]>> {
    if (this.#running) throw new CtxfoldError("invalid_option", "a compaction of this conversation is under way");
    this.#running = true;
    try {
      return await ending(options, (signal) => this.#compact(options, signal));
    } finally {
      this.#running = false;
    }
  }

  #compact(overrides: Overrides, signal?: AbortSignal): Promise<Done<Message[]>> {
    return this.#job(async (means, given) => {
      signal?.throwIfAborted();
      const result = await runPlan(means, this.#steps.own(overrides), {}, signal);
      return this.#steps.take(finishedOf(result, given.length));
    });
  }

  turn(
    settings: Partial<JobSettings>,
    overrides: Overrides,
    host: TurnHost,
    signal?: AbortSignal,
  ): Promise<Turned<Message>> {
    const steps = this.#steps;
    return this.#job(async (means, given) => {
      const enter = async () => ({ ...(await host.enter()), ...steps.counted() });
      const before: TurnHost["before"] = async (beginning) => {
        const said = await host.before(beginning);
        const redact = said.skip ? undefined : steps.redact();
        return redact ? { ...said, redact } : said;
      };
      const { begin, stop } = host;
      const own = { ...means, begin, stop, enter, before };
      const { result, check, notes } = await runTurn(own, steps.with(overrides), settings, signal);
      if (check?.state && overrides.state === undefined) steps.state = check.state;
      const turned = { ...(check && { check }), ...(notes && { notes }) };
      if (!result) return turned;
      const finished = finishedOf(result, given.length);
      await host.commit?.(finished.done.state);
      return { ...turned, done: steps.take(finished) };
    });
  }

  /** Does what runs a job over the session. */
  async #job<T>(work: (means: Means, given: { length: number }) => Promise<T>): Promise<T> {
    const { store, model } = this.#compacting;
    const given = { length: 0 };
    const call = (op: JobOperation, head: Head, needs: boolean) => this.#run(this.#steps.job(given, op, head, needs));
    try {
      return await work({ call, model, store }, given);
    } catch (error) {
      // The module's copy may have continued with a result that nobody has: it is read again.
      await this.#run(this.#steps.close());
      throw error;
    }
  }
}

/** A session over a module on this thread. */
export class ModuleSession implements LiveSession {
  readonly #steps: SessionSteps;
  readonly #loop: Loop;
  readonly #runOperation: (request: OperationRequest) => Answer;

  constructor(
    runOperation: (request: OperationRequest) => Answer,
    compacting: Compacting,
    messages: readonly Message[],
    overrides: Overrides,
  ) {
    this.#runOperation = runOperation;
    this.#steps = new SessionSteps(compacting, messages, overrides);
    this.#loop = new Loop(this.#steps, compacting, (steps) => this.#run(steps));
  }

  get messages(): readonly Message[] {
    return this.#steps.messages;
  }

  get state(): State | undefined {
    return this.#steps.state;
  }

  append(...messages: Message[]): number {
    return this.#run(this.#steps.append(messages));
  }

  check(overrides?: Overrides): Check {
    return this.#run(this.#steps.check(overrides));
  }

  estimate(): Estimate {
    return this.#run(this.#steps.estimate());
  }

  compact(options?: CompactOptions): Promise<Done<Message[]>> {
    return this.#loop.compact(options);
  }

  turn(...of: Parameters<Loop["turn"]>): Promise<Turned<Message>> {
    return this.#loop.turn(...of);
  }

  plan(overrides?: Overrides): Pending | Done<Message[]> {
    return this.#taken(this.#run(this.#steps.plan(overrides)));
  }

  step(plan: Plan, summaries: readonly Summary[]): Pending | Done<Message[]> {
    return this.#taken(this.#run(this.#steps.step(plan, summaries)));
  }

  close(): void {
    this.#run(this.#steps.close());
  }

  #taken(result: Finished | Pending): Pending | Done<Message[]> {
    return isFinished(result) ? this.#steps.take(result) : result;
  }

  #run<T>(steps: Steps<T>): T {
    let next = steps.next();
    while (!next.done) {
      let answer: Answer;
      try {
        answer = this.#runOperation(next.value);
      } catch (error) {
        next = steps.throw(error);
        continue;
      }
      next = steps.next(answer);
    }
    return next.value;
  }
}

/** A session over a module in a worker. */
export class WorkerSession implements RemoteSession {
  readonly #steps: SessionSteps;
  readonly #loop: Loop;
  readonly #runOperation: (request: OperationRequest) => Promise<Answer>;
  /** The end of what was called last. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    runOperation: (request: OperationRequest) => Promise<Answer>,
    compacting: Compacting,
    messages: readonly Message[],
    overrides: Overrides,
  ) {
    this.#runOperation = runOperation;
    this.#steps = new SessionSteps(compacting, messages, overrides);
    this.#loop = new Loop(this.#steps, compacting, (steps) => this.#run(steps));
  }

  get messages(): readonly Message[] {
    return this.#steps.messages;
  }

  get state(): State | undefined {
    return this.#steps.state;
  }

  append(...messages: Message[]): Promise<number> {
    return this.#run(this.#steps.append(messages));
  }

  check(overrides?: Overrides): Promise<Check> {
    return this.#run(this.#steps.check(overrides));
  }

  estimate(): Promise<Estimate> {
    return this.#run(this.#steps.estimate());
  }

  compact(options?: CompactOptions): Promise<Done<Message[]>> {
    return this.#loop.compact(options);
  }

  turn(...of: Parameters<Loop["turn"]>): Promise<Turned<Message>> {
    return this.#loop.turn(...of);
  }

  plan(overrides?: Overrides): Promise<Pending | Done<Message[]>> {
    return this.#run(this.#taken(this.#steps.plan(overrides)));
  }

  step(plan: Plan, summaries: readonly Summary[]): Promise<Pending | Done<Message[]>> {
    return this.#run(this.#taken(this.#steps.step(plan, summaries)));
  }

  close(): Promise<void> {
    return this.#run(this.#steps.close());
  }

  /** Taken before the next operation begins. */
  *#taken(steps: Steps<Finished | Pending>): Steps<Pending | Done<Message[]>> {
    const result = yield* steps;
    return isFinished(result) ? this.#steps.take(result) : result;
  }

  /** One after the other: each finds the session as the one before has left it. */
  #run<T>(steps: Steps<T>): Promise<T> {
    const result = this.#last.then(async () => {
      let next = steps.next();
      while (!next.done) {
        let answer: Answer;
        try {
          answer = await this.#runOperation(next.value);
        } catch (error) {
          next = steps.throw(error);
          continue;
        }
        next = steps.next(answer);
      }
      return next.value;
    });
    this.#last = result.catch(() => {});
    return result;
  }
}
