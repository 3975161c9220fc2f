/**
 * What all adapters share: a caller keeps its whole history and gives it again and again, longer each time; the provider
 * gets it compacted. What was sent for which beginning is remembered, so that each compaction happens once.
 */
import { type Compactor, type CompactorOptions, createCompactor, type Policy, type Report, type State } from "ctxfold";
import { failureOf, refusedWindow } from "../failure.js";

/** As for `createCompactor`, but for any number of conversations: each gets a state of its own. */
export interface AdapterOptions extends Omit<CompactorOptions, "state"> {
  /** Told after each compaction that changed what is sent. */
  onCompaction?: (report: Report) => void;
  /**
   * Told when a transcript could not be compacted, with the error; it is then sent as it is. An abort is no such error.
   */
  onError?: (error: unknown) => void;
  /** How many compactions are remembered; the one that was used longest ago is forgotten first. Default 64. */
  remembered?: number;
}

/** What a compaction made of the beginning of a history. */
interface Memory {
  /** JSON of each message that was given. */
  given: readonly string[];
  /** What was sent for them, and its JSON: callers that go on from there are known by it. */
  sent: readonly unknown[];
  sentKeys: readonly string[];
  state: State;
}

export interface FitOptions {
  /** Puts the messages where the module wants them, such as into a request body, whose other members count too. */
  wrap?: (messages: readonly unknown[]) => object;
  /** Compacts although it is not due, for a provider that has just refused the same messages as too long. */
  force?: boolean;
  signal?: AbortSignal | null | undefined;
}

const DEFAULT_REMEMBERED = 64;

export class Conversations {
  readonly #options: AdapterOptions;
  readonly #policy: Policy;
  readonly #compactor: Compactor;
  /** The newest last. */
  readonly #memories: Memory[] = [];

  /** `format` is the adapter's own wire format; the policy's stands before it. */
  constructor(options: AdapterOptions, format?: string) {
    const { onCompaction: _, onError: __, remembered: ___, ...rest } = options;
    this.#options = options;
    this.#policy = { ...(format && { format }), ...options.policy };
    this.#compactor = createCompactor({ ...rest, policy: this.#policy });
  }

  /** The messages to send: the very same list where there is nothing to do. */
  async fit<M>(messages: readonly M[], { wrap, force = false, signal }: FitOptions = {}): Promise<readonly M[]> {
    try {
      return (await this.#fit(messages, wrap, force, signal ?? undefined)) as readonly M[];
    } catch (error) {
      if (signal?.aborted) throw error;
      this.#options.onError?.(error);
      return messages;
    }
  }

  async #fit(
    messages: readonly unknown[],
    wrap: FitOptions["wrap"],
    force: boolean,
    signal: AbortSignal | undefined,
  ): Promise<readonly unknown[]> {
    const keys = messages.map((message) => JSON.stringify(message) ?? "");
    const { memory, input } = this.#recall(messages, keys);
    const { onCompaction, remembered = DEFAULT_REMEMBERED } = this.#options;
    const compactor = this.#compactor;
    // Nothing of the conversation before: the compactor serves them all.
    const state = memory?.state ?? null;
    const body = wrap?.(input) ?? input;
    let policy = this.#policy;
    if (force) {
      await compactor.ready();
      policy = { ...policy, force: true, window: refusedWindow(compactor.estimate(body).tokens) };
    }
    const done = await compactor.compact(body, { policy, state, ...(signal && { signal }) });
    if (!done.report.changed) return input;
    const sent = wrap ? listOf(done.messages, body, input) : (done.messages as readonly unknown[]);
    const sentKeys = sent.map((message) => JSON.stringify(message) ?? "");
    this.#memories.push({ given: keys, sent, sentKeys, state: done.state });
    if (this.#memories.length > remembered) this.#memories.shift();
    onCompaction?.(done.report);
    return sent;
  }

  /** The longest remembered beginning of these messages, and the messages with what was sent in its place. */
  #recall(messages: readonly unknown[], keys: readonly string[]): { memory?: Memory; input: readonly unknown[] } {
    for (let i = this.#memories.length - 1; i >= 0; i--) {
      const memory = this.#memories[i] as Memory;
      const { given, sent, sentKeys } = memory;
      const goesOn = startsWith(keys, sentKeys);
      if (!goesOn && !startsWith(keys, given)) continue;
      this.#memories.push(...this.#memories.splice(i, 1));
      return { memory, input: goesOn ? messages : [...sent, ...messages.slice(given.length)] };
    }
    return { input: messages };
  }
}

function startsWith(keys: readonly string[], beginning: readonly string[]): boolean {
  if (keys.length < beginning.length) return false;
  // Histories differ at their ends sooner than at their beginnings.
  for (let i = beginning.length - 1; i >= 0; i--) if (keys[i] !== beginning[i]) return false;
  return true;
}

/** The list in a compacted body: the member that held the input. */
function listOf(compacted: object, body: object, input: readonly unknown[]): readonly unknown[] {
  const key = Object.keys(body).find((name) => (body as Record<string, unknown>)[name] === input);
  return (compacted as Record<string, readonly unknown[]>)[key ?? ""] ?? input;
}

/**
 * Whether a provider's error says that the conversation does not fit in the model's window; docs/OVERFLOW.md has the ways in
 * which providers say so.
 */
export async function isOverflow(error: unknown, module?: CompactorOptions["module"]): Promise<boolean> {
  if (typeof error !== "object" || error === null) return false;
  const compactor = createCompactor(module === undefined ? {} : { module });
  await compactor.ready();
  return overflows(error, compactor);
}

function overflows(error: object, compactor: Compactor): boolean {
  const failure = failureOf(error);
  if (failure.status !== undefined) {
    const judged = compactor.function<{ overflow: boolean }>("classify_error", { arguments: { ...failure } });
    if (judged.overflow) return true;
  }
  const { cause } = error as { cause?: unknown };
  return typeof cause === "object" && cause !== null && cause !== error && overflows(cause, compactor);
}
