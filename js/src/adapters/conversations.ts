/**
 * What all adapters share: a caller keeps its whole history and gives it again and again, longer each time; the provider gets it compacted,
 * and each compaction is made once, also where the caller makes its adapter again for each call.
 */
import {
  type CompactorOptions,
  createFitter,
  type FitCallOptions,
  type Fitter,
  type FitterOptions,
  type Format,
  isOverflow as says,
} from "ctxfold";
import { refused } from "../failure.js";
import { FITTER_OPTIONS } from "../option-names.js";
import { checkOptions, type Names } from "../options.js";

/**
 * As for `fit`, for any number of conversations. Adapters that are made again for each call remember together, as `fit` does: by an equal
 * policy (window, model and format included), and the very same `memory`, `store` and `module`. `shared: false` gives an adapter a memory of
 * its own.
 */
export interface AdapterOptions extends FitterOptions {
  /** Names the user, or the conversation: what is remembered under one id is never used for another. A server of several users gives one. */
  id?: string;
  /**
   * Told when a transcript could not be compacted, with the error; it is then sent as it is. An abort is no such error.
   */
  onError?: (error: unknown) => void;
}

const ADAPTER_OPTIONS: Names<AdapterOptions> = { ...FITTER_OPTIONS, id: true, onError: true };

export interface AdapterFitOptions {
  /** The request body that holds the messages under the name `list`; its other members count too. */
  within?: { body: object; list: string };
  /** Compacts although it is not due, for a provider that has just refused what the last call gave. */
  force?: boolean;
  signal?: AbortSignal | null | undefined;
  /** Who is asked. */
  next?: NonNullable<FitCallOptions["next"]>;
}

/** Changes nothing, but makes the module answer: a refused conversation needs an estimate, not an upper bound. */
const ESTIMATED = { force: false };

export class Conversations {
  readonly #onError: AdapterOptions["onError"];
  readonly #fitter: Fitter;
  readonly #call: Pick<FitCallOptions, "id">;

  /** `format` is the adapter's own wire format; that of the options precedes it. `of` is what was called, for errors. */
  constructor(options: AdapterOptions, format: Format, of: string) {
    checkOptions(options, ADAPTER_OPTIONS, of);
    const { onError, id, shared = true, format: own = options.policy?.format ?? format, ...given } = options;
    const rest = { ...(onError && { onBackgroundError: onError }), ...given };
    this.#onError = onError;
    this.#call = id === undefined ? {} : { id };
    this.#fitter = createFitter({ ...rest, shared, format: own });
  }

  /** The messages to send: the very same list where there is nothing to do. */
  async fit<M extends object>(messages: readonly M[], options: AdapterFitOptions = {}): Promise<readonly M[]> {
    const { signal } = options;
    try {
      return await this.#fit(messages, options);
    } catch (error) {
      if (signal?.aborted) throw error;
      this.#onError?.(error);
      return messages;
    }
  }

  async #fit<M extends object>(
    messages: readonly M[],
    { within, force = false, signal, next }: AdapterFitOptions,
  ): Promise<readonly M[]> {
    const history: object = within ? { ...within.body, [within.list]: messages } : messages;
    const call = { ...this.#call, signal, ...(next && { next }) };
    let fitted = await this.#fitter(history, force ? { ...call, options: ESTIMATED } : call);
    if (force) fitted = await this.#fitter(history, { ...call, options: refused(fitted.report.tokens.after) });
    const sent = fitted.messages;
    return (within ? (sent as Record<string, unknown>)[within.list] : sent) as readonly M[];
  }
}

/**
 * Whether a provider's error says that the conversation does not fit in the model's window; docs/guides/overflow.md has the ways in
 * which providers say so.
 */
export async function isOverflow(error: unknown, module?: CompactorOptions["module"]): Promise<boolean> {
  return says(error, module === undefined ? {} : { module });
}
