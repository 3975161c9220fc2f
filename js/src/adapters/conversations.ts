/**
 * Code shared by all adapters. A caller keeps its whole history, which grows, and passes it with each call. The
 * provider gets a compacted version, and each compaction is made only once, even if the caller creates a new adapter
 * for each call.
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
import { FITTER_OPTIONS } from "../option-names.js";
import { checkOptions, type Names } from "../options.js";

/**
 * The options of `fit`, for any number of conversations. Adapters that are created again for each call share their
 * memory, as `fit` does, if they have equal policies (window, model and format included), and the same `memory`,
 * `store` and `module` objects. With `shared: false` an adapter has its own memory.
 */
export interface AdapterOptions extends FitterOptions {
  /**
   * Identifies the user or the conversation. A compaction that is remembered under one id is never used for another. A
   * server for several users should set it.
   */
  id?: string;
  /**
   * Called with the error if the compaction of a transcript failed; the transcript is then sent unchanged. Also called
   * for compactions in the background, unless `onBackgroundError` is set. Aborts are not reported.
   */
  onError?: (error: unknown) => void;
}

const ADAPTER_OPTIONS: Names<AdapterOptions> = { ...FITTER_OPTIONS, id: true, onError: true };

/** What an adapter knows about the model call for which it fits messages. */
export interface AdapterFitOptions {
  /**
   * The request body, and the key of the messages in it (`list`). The other members of the body count toward the size
   * too.
   */
  within?: { body: object; list: string };
  /** The error with which the provider has just rejected the messages as too long. */
  refused?: unknown;
  /** Aborts the call: it rejects with the signal's reason. */
  signal?: AbortSignal | null | undefined;
  /** The model and the provider that will be called. */
  next?: NonNullable<FitCallOptions["next"]>;
}

/** Fits the messages of an adapter's model calls. */
export class Conversations {
  readonly #onError: AdapterOptions["onError"];
  readonly #fitter: Fitter;
  readonly #call: Pick<FitCallOptions, "id">;

  /**
   * `format` is the adapter's own wire format, which the options may override. `of` is the name of the called
   * function, for error messages.
   */
  constructor(options: AdapterOptions, format: Format, of: string) {
    checkOptions(options, ADAPTER_OPTIONS, of);
    const { onError, id, shared = true, format: own = options.policy?.format ?? format, ...given } = options;
    const rest = { ...(onError && { onBackgroundError: onError }), ...given };
    this.#onError = onError;
    this.#call = id === undefined ? {} : { id };
    this.#fitter = createFitter({ ...rest, shared, format: own });
  }

  /**
   * Returns the messages to send, or the same list (`===`) if nothing is due or the compaction failed. After a rejection
   * the same list means that a compaction would not help.
   */
  async fit<M extends object>(messages: readonly M[], options: AdapterFitOptions = {}): Promise<readonly M[]> {
    const { signal } = options;
    try {
      return await this.#fit(messages, options);
    } catch (error) {
      if (signal?.aborted) throw error;
      if ((error as { code?: unknown }).code !== "still_overflow") this.#onError?.(error);
      return messages;
    }
  }

  async #fit<M extends object>(
    messages: readonly M[],
    { within, refused, signal, next }: AdapterFitOptions,
  ): Promise<readonly M[]> {
    const history: object = within ? { ...within.body, [within.list]: messages } : messages;
    const { messages: sent } = await this.#fitter(history, { ...this.#call, refused, signal, ...(next && { next }) });
    return (within ? (sent as Record<string, unknown>)[within.list] : sent) as readonly M[];
  }
}

/**
 * Resolves to true if a provider's error means that the conversation does not fit in the model's window;
 * docs/guides/overflow.md lists such errors.
 */
export async function isOverflow(error: unknown, module?: CompactorOptions["module"]): Promise<boolean> {
  return says(error, module === undefined ? {} : { module });
}
