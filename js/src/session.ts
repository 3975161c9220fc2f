/** Sessions: conversations that stay in the module, so that they need not be serialized and parsed again at each turn. */
import { type CompactOptions, checkOverrides, ending, type Overrides, optionsOf } from "./ending.js";
import type { OperationRequest, Returned } from "./engine.js";
import { type Answer, type Head, type HeadOf, requestsOf, valuesOf } from "./envelope.js";
import { CtxfoldError } from "./errors.js";
import { applyEdits } from "./live.js";
import { type Ended, type JobOperation, type Means, runPlan, runTurn } from "./loop.js";
import type { Model } from "./model.js";
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
import { type CountTokens, usageOf } from "./usage.js";

/** The members that sessions on this thread and in a worker have in common. */
interface SessionOf<Where extends "here" | "worker", M extends Message> {
  /** The compacted conversation. Each change creates a new array. Do not modify the array or its messages. */
  readonly messages: readonly M[];
  /** The state of the last compaction. Store it with the messages. */
  readonly state: State | undefined;
  /**
   * Appends messages and returns the estimated tokens of the conversation. If one of the messages is invalid, none is
   * appended.
   */
  append(...messages: M[]): Returned<Where, number>;
  /** Reports whether compaction is due. */
  check(overrides?: Overrides): Returned<Where, Check>;
  /** Estimates the size of the conversation in tokens, with the policy's estimator. */
  estimate(): Returned<Where, Estimate>;
  /**
   * Like the compactor's `compact`. Messages appended in the meantime stay after the result. Rejects with
   * `invalid_option` if another compaction of this session is running.
   */
  compact(options?: CompactOptions): Promise<Done<M[]>>;
  /**
   * Like the compactor's `plan`, for hosts that call the model themselves, for example because they store the plan
   * before the call.
   */
  plan(overrides?: Overrides): Returned<Where, Pending | Done<M[]>>;
  /** Like the compactor's `step`. When the compaction is done, the session continues with the result. */
  step(plan: Plan, summaries: readonly Summary[]): Returned<Where, Pending | Done<M[]>>;
  /** Removes the conversation from the module. The session stays usable; the next call loads its messages again. */
  close(): Returned<Where, void>;
}

/**
 * A conversation of live messages that is also kept in the module. `append` reads only the messages appended, and copies
 * the array; the cost of `check` does not depend on the length of the conversation. In a chat client:
 *
 * session.append(message); if (session.check().due) await session.compact(); send(session.messages);
 *
 * The module's copy is only a cache. If the module's instance is lost, the session is opened again automatically with
 * the messages.
 */
export interface LiveSession<M extends Message = Message> extends SessionOf<"here", M> {}

/**
 * A session in a worker. It works like {@link LiveSession}, but every operation returns a promise. The operations run
 * in the order of their calls.
 */
export interface RemoteSession<M extends Message = Message> extends SessionOf<"worker", M> {}

/**
 * A generator that yields the operations to run. A driver runs them, synchronously or asynchronously, and passes back
 * their answers.
 */
export type Steps<T> = Generator<OperationRequest, T, Answer>;

/** The parts of its compactor that a session uses. */
export interface Compacting {
  /** The policy in the compactor's options. */
  readonly policy: Policy;
  /** Where removed content is stored; undefined if nowhere. */
  readonly store: Store | undefined;
  /** The caller's model and callbacks. */
  readonly model: Model;
  /** The caller's tokenizer; undefined if tokens are estimated. */
  readonly countTokens: CountTokens | undefined;
}

/** The factor that combines the number of a module's instance with the number of a session in it. */
const INSTANCE = 2 ** 32;

/**
 * Returns a number for a session that is unique across instances, so that a session of a discarded instance is never
 * mistaken for one of another instance.
 */
export const sessionOf = (instance: number, session: number): number => instance * INSTANCE + session;

/** Returns the session's number within an instance. Throws `session_closed` if it belongs to another instance. */
export function sessionIn(instance: number, session: number): number {
  if (Math.floor(session / INSTANCE) === instance) return session % INSTANCE;
  throw new CtxfoldError("session_closed", "the instance that held the session is gone", { path: "session" });
}

/** The logic of a session, which is the same whether the module is called synchronously or in a worker. */
class SessionSteps {
  messages: readonly Message[];
  state: State | undefined;
  readonly #compacting: Compacting;
  readonly #policy: Policy;
  /** The session number; undefined if the session must be opened first. */
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
    this.messages = this.messages.concat(messages);
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

  /** Replaces the messages that were compacted with the result. Messages appended since then come after it. */
  take({ done, edits, length }: Finished): Done<Message[]> {
    const given = this.messages.slice(0, length);
    const kept = applyEdits(given, edits) as readonly Message[];
    if (kept !== given) this.messages = [...kept, ...this.messages.slice(length)];
    this.state = done.state;
    return { ...done, messages: this.messages.slice() };
  }

  /**
   * Runs an operation of a job. If the operation needs the messages, it runs on the session, and `given.length`
   * becomes the number of messages.
   */
  *job(given: { length: number }, op: JobOperation, head: Head, needs: boolean): Steps<Answer> {
    if (!needs) return yield { op, head };
    given.length = this.messages.length;
    return yield* this.#runOperation(op, head);
  }

  /** Returns the tokenizer's count for the current messages, or an empty object if there is no tokenizer. */
  counted(): { tokens?: number } {
    const usage = usageOf(this.#compacting.countTokens, this.messages);
    return usage?.total_tokens ? { tokens: usage.total_tokens } : {};
  }

  /** Returns the redactions for the current messages; undefined if there is no `redact` function. */
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

  /** Returns the members of a request that compacts. They override those with which the session was opened. */
  own(overrides: Overrides = {}): Head {
    return this.with(overrides, this.redact());
  }

  with({ policy, options, state, usage: given }: Overrides = {}, redact?: Redact): Head {
    const { store, countTokens } = this.#compacting;
    const usage = usageOf(countTokens, this.messages, given);
    return { policy, options: optionsOf(options, { usage }, { store, redact }), state };
  }

  /**
   * Runs an operation on the session, and returns its answer. If the session isn't open, or the module's instance was
   * replaced, it is opened first. `source` contains the messages of an operation that takes messages.
   */
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

/** The result of a finished compaction with which the conversation hasn't continued yet. */
interface Finished {
  /** The result without its messages. */
  done: Omit<Done<Message[]>, "messages">;
  /** The edits that turn the messages into the result. */
  edits: readonly Edit[];
  /** The number of messages that were compacted. */
  length: number;
}

function finishedOf(answer: Answer, length: number): Finished {
  const { edits, ...done } = valuesOf(answer);
  return { done: { ...done, requests: [] } as unknown as Finished["done"], edits: edits as Edit[], length };
}

const isFinished = (result: Finished | Pending): result is Finished => "done" in result;

/** Reports whether the error means that the session's instance is gone, or that the module has closed the session. */
export function isClosed(error: unknown): boolean {
  return error instanceof CtxfoldError && error.code === "session_closed";
}

/**
 * Awaited before a conversation continues with a result. If it rejects, the compaction fails and nothing has changed.
 */
export type Commit = (state: State) => PromiseLike<void>;

/** The functions of a conversation that the jobs of its turns call. */
export interface TurnHost extends Required<Pick<Means, "begin" | "stop" | "enter" | "before">> {
  /** Missing if there is nothing to save. */
  readonly commit?: Commit | undefined;
}

/** The outcome of a turn: a compaction, or a check that gives the reason why there was none. */
export type Turned<M extends Message> = Pick<Ended, "check" | "notes"> & { done?: Done<M[]> };

/** A session with the method that only conversations use. */
export interface Turning<M extends Message> {
  /** Runs the job of a turn. Rejects if it fails or the signal aborts. */
  turn(settings: Partial<JobSettings>, overrides: Overrides, host: TurnHost, signal?: AbortSignal): Promise<Turned<M>>;
}

/** A session and the driver that runs its operations. */
class OpenSession<Where extends "here" | "worker"> {
  readonly #steps: SessionSteps;
  readonly #compacting: Compacting;
  readonly #run: <T>(steps: Steps<T>) => Returned<Where, T>;
  #busy = false;

  constructor(run: <T>(steps: Steps<T>) => Returned<Where, T>, ...of: ConstructorParameters<typeof SessionSteps>) {
    this.#run = run;
    this.#steps = new SessionSteps(...of);
    this.#compacting = of[0];
  }

  get messages(): readonly Message[] {
    return this.#steps.messages;
  }

  get state(): State | undefined {
    return this.#steps.state;
  }

  append(...messages: Message[]): Returned<Where, number> {
    return this.#run(this.#steps.append(messages));
  }

  check(overrides?: Overrides): Returned<Where, Check> {
    return this.#run(this.#steps.check(overrides));
  }

  estimate(): Returned<Where, Estimate> {
    return this.#run(this.#steps.estimate());
  }

  /** Compacts the conversation if that is due. Rejects with `invalid_option` if another compaction is running. */
  async compact(options: CompactOptions = {}): Promise<Done<Message[]>> {
    if (this.#busy) throw new CtxfoldError("invalid_option", "a compaction of this conversation is under way");
    this.#busy = true;
    try {
      return await ending(options, (signal) => this.#compact(options, signal));
    } finally {
      this.#busy = false;
    }
  }

  #compact(overrides: Overrides, signal?: AbortSignal): Promise<Done<Message[]>> {
    return this.#job(async (means, given) => {
      signal?.throwIfAborted();
      const result = await runPlan(means, this.#steps.own(overrides), signal);
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
    return this.#job(async ({ call, model, store }, given) => {
      const enter = async () => ({ ...(await host.enter()), ...steps.counted() });
      const before: TurnHost["before"] = async (beginning) => {
        const said = await host.before(beginning);
        const redact = said.skip ? undefined : steps.redact();
        return redact ? { ...said, redact } : said;
      };
      const { begin, stop } = host;
      const means = { call, model, store, begin, stop, enter, before };
      const { result, check, notes } = await runTurn(means, steps.with(overrides), settings, signal);
      if (check?.state && overrides.state === undefined) steps.state = check.state;
      if (!result) return { check, notes };
      const finished = finishedOf(result, given.length);
      await host.commit?.(finished.done.state);
      return { check, notes, done: steps.take(finished) };
    });
  }

  /**
   * Calls `work` to carry out a job on the session. `given.length` is the number of messages that
   * the job has read. If `work` throws, the session is closed, so that its messages are loaded
   * again, and the error is rethrown.
   */
  async #job<T>(work: (means: Means, given: { length: number }) => Promise<T>): Promise<T> {
    const { store, model } = this.#compacting;
    const given = { length: 0 };
    const call = (op: JobOperation, head: Head, needs: boolean) =>
      this.#run(this.#steps.job(given, op, head, needs)) as Answer | Promise<Answer>;
    try {
      return await work({ call, model, store }, given);
    } catch (error) {
      // The module's copy may have continued with a result that the conversation doesn't use, so it must be loaded
      // again.
      await this.#run(this.#steps.close());
      throw error;
    }
  }

  plan(overrides?: Overrides): Returned<Where, Pending | Done<Message[]>> {
    return this.#run(this.#taken(this.#steps.plan(overrides)));
  }

  step(plan: Plan, summaries: readonly Summary[]): Returned<Where, Pending | Done<Message[]>> {
    return this.#run(this.#taken(this.#steps.step(plan, summaries)));
  }

  close(): Returned<Where, void> {
    return this.#run(this.#steps.close());
  }

  /** Applies a finished result before the next operation begins. */
  *#taken(steps: Steps<Finished | Pending>): Steps<Pending | Done<Message[]>> {
    const result = yield* steps;
    return isFinished(result) ? this.#steps.take(result) : result;
  }
}

/** Runs the operations that the steps yield, on this thread. */
const runHere =
  (runOperation: (request: OperationRequest) => Answer) =>
  <T>(steps: Steps<T>): T => {
    let next = steps.next();
    while (!next.done) {
      let answer: Answer;
      try {
        answer = runOperation(next.value);
      } catch (error) {
        next = steps.throw(error);
        continue;
      }
      next = steps.next(answer);
    }
    return next.value;
  };

/** Returns a function that runs calls one after the other, so that each finds the session as the previous one left it. */
function runInOrder(runOperation: (request: OperationRequest) => Promise<Answer>) {
  let last: Promise<unknown> = Promise.resolve();
  const run = async <T>(steps: Steps<T>): Promise<T> => {
    let next = steps.next();
    while (!next.done) {
      next = await runOperation(next.value).then(
        (answer) => steps.next(answer),
        (error) => steps.throw(error),
      );
    }
    return next.value;
  };
  return <T>(steps: Steps<T>): Promise<T> => {
    const result = last.then(() => run(steps));
    last = result.catch(() => {});
    return result;
  };
}

/** A session whose module runs on this thread. */
export class ModuleSession extends OpenSession<"here"> implements LiveSession {
  constructor(runOperation: (request: OperationRequest) => Answer, ...of: ConstructorParameters<typeof SessionSteps>) {
    super(runHere(runOperation), ...of);
  }
}

/** A session whose module runs in a worker. */
export class WorkerSession extends OpenSession<"worker"> implements RemoteSession {
  constructor(
    runOperation: (request: OperationRequest) => Promise<Answer>,
    ...of: ConstructorParameters<typeof SessionSteps>
  ) {
    super(runInOrder(runOperation), ...of);
  }
}
