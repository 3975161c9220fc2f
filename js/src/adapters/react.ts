"use client";
/** The entry `ctxfold/react`: compacts a chat's messages in advance, while the user reads and writes. */
import {
  type CompactorEvent,
  type CreateFitter,
  createFitter,
  type FitCallOptions,
  type FitMemory,
  type FitResult,
  type Fitter,
  type FitterOptions,
  isDigest,
  type Message,
  type Report,
} from "ctxfold";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { FITTER_OPTIONS } from "../option-names.js";
import { checkOptions, checkStores, type Names } from "../options.js";

/** The options of `fit`. A render may pass a new object with equal options. */
export interface UseFitOptions extends Omit<FitterOptions, "shared" | "memory"> {
  /** Where compactions are remembered. Default: in the page. */
  memory?: FitMemory;
  /** Identifies the conversation, if `memory` holds several. */
  id?: string;
  /**
   * Compacts as soon as the history changes, so that the user doesn't have to wait after sending a message. Default:
   * true.
   */
  ahead?: boolean;
  /**
   * The `createFitter` of `ctxfold/worker`, to compact off the main thread. Only the value of the first render is used.
   */
  createFitter?: CreateFitter;
}

const { shared: _, ...UNSHARED_OPTIONS } = FITTER_OPTIONS;
const USE_FIT_OPTIONS: Names<UseFitOptions> = { ...UNSHARED_OPTIONS, id: true, ahead: true, createFitter: true };

/** The progress of summaries that are being written. */
export interface FitProgress {
  /** The number of summaries that were requested. */
  asked: number;
  /** The number of summaries that have been received. */
  done: number;
  /** The text written so far, if `summarize` streams it. */
  text: string;
}

/** What an app can display about the messages. */
export interface FitView<M extends Message> {
  /** Whether a fit is running. */
  status: "idle" | "working";
  /** Set while summaries are being written. */
  progress: FitProgress | undefined;
  /** The messages to send for the newest history that was fitted; undefined before the first fit. */
  sent: readonly M[] | undefined;
  /**
   * The messages of that history that a digest replaces. They are still in the app's own list and displayed as
   * before.
   */
  folded: readonly M[];
  /** The digests in `sent`. `digestOf` of `ctxfold` reads them. */
  digests: readonly M[];
  /** The report of the newest compaction. */
  report: Report | undefined;
  /** The error of the newest fit; undefined if it succeeded. */
  error: unknown;
}

/** What `useFit` returns: a view of the newest fit, and functions to fit and to undo. */
export interface UseFit<M extends Message> extends FitView<M> {
  /**
   * Returns the messages to send for a history, for example in a chat's transport. Reuses compactions made in advance.
   */
  fit(
    history: readonly M[],
    call?: Pick<FitCallOptions, "options" | "usage" | "signal" | "timeoutMs">,
  ): Promise<FitResult<M[]>>;
  /**
   * Undoes this component's newest compaction. All messages are then sent again until they no longer fit into the
   * window. Resolves to false if there is no compaction to undo.
   */
  undo(): Promise<boolean>;
}

/**
 * Returns the messages to send for a chat. The app displays its own, complete list; `fit` returns the messages for
 * the model. The history may change while a summary is being written. If the new history continues the old one, the
 * compaction is remembered; otherwise it is abandoned, as it is when the component is unmounted.
 */
export function useFit<M extends Message>(history: readonly M[], options: UseFitOptions = {}): UseFit<M> {
  checkOptions(options, USE_FIT_OPTIONS, "useFit");
  checkStores(options);
  const [chat] = useState(() => new Chat<M>(options));
  const view = useSyncExternalStore(chat.subscribe, chat.view, chat.view);
  useEffect(() => {
    chat.use(options);
  });
  useEffect(() => chat.open(), [chat]);
  const { ahead = true } = options;
  useEffect(() => {
    if (ahead && history.length > 0) chat.ahead(history);
  }, [chat, history, ahead]);
  const fit = useCallback<UseFit<M>["fit"]>((given, call) => chat.fit(given, call), [chat]);
  const undo = useCallback(() => chat.undo(), [chat]);
  return { ...view, fit, undo };
}

const NOTHING = {
  status: "idle",
  progress: undefined,
  sent: undefined,
  folded: [],
  digests: [],
  report: undefined,
  error: undefined,
} as const;

/** A fit whose result should be displayed. */
interface Run<M> {
  /** The history that is fitted. */
  history: readonly M[];
  /** Aborts the fit. */
  controller: AbortController;
}

/** The fits of one component. */
class Chat<M extends Message> {
  #options: UseFitOptions;
  #view: FitView<M> = NOTHING;
  #open = true;
  /** The newest fit, which may have ended. */
  #run: Run<M> | undefined;
  #fitter: { key: unknown[]; fitter: Fitter } | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #running = new Set<AbortController>();
  readonly #create: CreateFitter;
  /** The memory of compactions that is used if the options have none. */
  readonly #own = new Map<string, string>();
  /** The keys and entries that were saved for this component. The newest is the last. */
  readonly #made: { key: string; entry: string }[] = [];
  /** Whether the newest compaction was undone. The next compaction is then only due when the window is full. */
  #patient = false;

  constructor(options: UseFitOptions) {
    this.#options = options;
    this.#create = options.createFitter ?? createFitter;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  view = (): FitView<M> => this.#view;

  use(options: UseFitOptions): void {
    this.#options = options;
  }

  /**
   * Call this when the component is mounted, and the returned function when it is unmounted. React may mount the
   * component again afterwards.
   */
  open(): () => void {
    this.#open = true;
    return () => {
      this.#open = false;
      this.#view = { ...this.#view, status: "idle", progress: undefined };
      for (const controller of this.#running) controller.abort(new DOMException("the component is gone", "AbortError"));
      this.#fitter?.fitter.close();
      this.#fitter = undefined;
      this.#run = undefined;
    };
  }

  ahead(history: readonly M[]): void {
    // The view reports failures.
    this.fit(history).catch(() => {});
  }

  async fit(history: readonly M[], call: Parameters<UseFit<M>["fit"]>[1] = {}): Promise<FitResult<M[]>> {
    const before = this.#run;
    if (before && !goesOn(before.history, history))
      before.controller.abort(new DOMException("the history is another one", "AbortError"));
    const controller = new AbortController();
    const run = { history, controller };
    const { signal } = call;
    const abort = () => controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    this.#run = run;
    this.#running.add(controller);
    this.#show({ status: "working" });
    try {
      const { id } = this.#options;
      const policy = this.#patient ? { policy: this.#late() } : {};
      const own = { ...call, ...policy, ...(id !== undefined && { id }), signal: controller.signal };
      const fitted = (await this.#fitted().fitter(history, own)) as FitResult<M[]>;
      if (fitted.report.changed) this.#patient = false;
      // If the history has changed since then, only the newer one is displayed.
      if (this.#run === run) this.#show(shown(history, fitted, this.#view.report));
      return fitted;
    } catch (error) {
      if (this.#run === run) this.#show({ error });
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#running.delete(controller);
      if (this.#running.size === 0) this.#show({ status: "idle", progress: undefined });
    }
  }

  async undo(): Promise<boolean> {
    const newest = this.#made.pop();
    if (!newest) return false;
    const memory = this.#memory();
    const { key, entry } = newest;
    const record = recordIn(await memory.load(key));
    const entries = record.entries.filter((each) => JSON.stringify(each) !== entry);
    await memory.save(key, JSON.stringify({ ...record, entries }));
    this.#patient = true;
    if (this.#run) await this.fit(this.#run.history);
    return true;
  }

  /**
   * Returns the fitter for the current options. A fitter calls the newest functions in the options; it is replaced if
   * another option has changed.
   */
  #fitted(): { fitter: Fitter } {
    const { policy, window, model, format, memory, store, module, remembered, concurrency, summaryTimeoutMs } =
      this.#options;
    const { summarize, countTokens } = this.#options;
    const plain = JSON.stringify([policy, window, model, format, remembered, concurrency, summaryTimeoutMs]);
    const key = [plain, memory, store, module, !summarize, !countTokens];
    if (this.#fitter && key.every((each, i) => each === this.#fitter?.key[i])) return this.#fitter;
    this.#fitter?.fitter.close();
    const { id: _, ahead: __, createFitter: ___, ...options } = this.#options;
    const now = () => this.#options;
    const fitter = this.#create({
      ...options,
      memory: this.#remembering(),
      ...(summarize && { summarize: (request, more) => (now().summarize ?? summarize)(request, more) }),
      ...(countTokens && { countTokens: (messages) => (now().countTokens ?? countTokens)(messages) }),
      onEvent: async (event) => {
        this.#event(event);
        await now().onEvent?.(event);
      },
      onDelta: (delta) => {
        const { progress } = this.#view;
        if (progress) this.#show({ progress: { ...progress, text: progress.text + delta.text } });
        now().onDelta?.(delta);
      },
      onCompaction: (report) => now().onCompaction?.(report),
    });
    this.#fitter = { key, fitter };
    return this.#fitter;
  }

  #event(event: CompactorEvent): void {
    const { asked = 0, done = 0, text = "" } = this.#view.progress ?? {};
    if (event.type === "requests") this.#show({ progress: { asked: asked + event.requests.length, done, text } });
    if (event.type === "summaries") this.#show({ progress: { asked, done: done + event.summaries.length, text } });
  }

  #memory(): FitMemory {
    const own: FitMemory = { load: (key) => this.#own.get(key), save: (key, json) => void this.#own.set(key, json) };
    return this.#options.memory ?? own;
  }

  /**
   * Returns the memory in the options or, without one, the component's own. It records new entries
   * in `#made`.
   */
  #remembering(): FitMemory {
    return {
      load: (key) => this.#memory().load(key),
      save: async (key, json) => {
        const before = entriesIn(await this.#memory().load(key));
        await this.#memory().save(key, json);
        for (const entry of entriesIn(json)) if (!before.includes(entry)) this.#made.push({ key, entry });
      },
    };
  }

  /** Returns a policy under which compaction is due only when the window is full. */
  #late(): NonNullable<UseFitOptions["policy"]> {
    const { policy = {}, window, model, format } = this.#options;
    return {
      ...policy,
      ...(model !== undefined && { model }),
      ...(format !== undefined && { format }),
      window: {
        ...policy.window,
        ...(typeof window === "number" && { tokens: window }),
        ...(window === "unlimited" && { unlimited: true }),
      },
      gate: { ...policy.gate, ratio: 1 },
    };
  }

  #show(part: Partial<FitView<M>>): void {
    if (!this.#open) return;
    this.#view = { ...this.#view, ...part };
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Reports whether the history `now` begins with the history `before`: with the same message objects, or with messages
 * that have the same ids.
 */
function goesOn<M extends Message>(before: readonly M[], now: readonly M[]): boolean {
  return (
    before.length <= now.length &&
    before.every((each, i) => each === now[i] || (idOf(each) !== undefined && idOf(each) === idOf(now[i])))
  );
}

const idOf = (message: Message | undefined) => (message as { id?: unknown } | undefined)?.id;

/**
 * Parses a record of fits; returns an empty one for anything else. `fit` can also read records of an earlier version,
 * but those can't be undone.
 */
function recordIn(json: string | null | undefined): { version: number; entries: readonly unknown[] } {
  try {
    const record = JSON.parse(json ?? "null");
    return Array.isArray(record?.entries) ? record : { version: 3, entries: [] };
  } catch {
    return { version: 3, entries: [] };
  }
}

const entriesIn = (json: string | null | undefined) => recordIn(json).entries.map((each) => JSON.stringify(each));

function shown<M extends Message>(
  history: readonly M[],
  { messages: sent, report }: FitResult<M[]>,
  before: Report | undefined,
): Partial<FitView<M>> {
  const digests = sent.filter(isDigest);
  return { sent, digests, folded: foldedIn(history, sent), report: report.changed ? report : before, error: undefined };
}

/** Returns the messages in `history` that the digests in `sent` replace; none if `sent` has no digest. */
function foldedIn<M extends Message>(history: readonly M[], sent: readonly M[]): readonly M[] {
  const last = sent.findLastIndex(isDigest);
  if (last < 0) return [];
  const whole = new Set<M>(sent);
  const places = new Map(history.map((message, i) => [message, i]));
  // After the last digest, the messages up to the first one that is sent unchanged are shortened copies.
  const afterDigest = sent.slice(last + 1);
  const kept = afterDigest.findIndex((message) => places.has(message));
  const copies = kept < 0 ? afterDigest.length : kept;
  const end = places.get(afterDigest[kept] as M) ?? history.length;
  const gone = history.slice(0, end).filter((message) => !whole.has(message) && !isDigest(message));
  return copies === 0 ? gone : gone.slice(0, -copies);
}
