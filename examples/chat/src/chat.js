// The chat keeps two lists: `shown` contains everything that was said, and `sent` is what the model gets. ctxfold
// shortens the second one.
import { Conversation, createCompactor } from "ctxfold/worker";
import { alone, empty, keep, restored, watch } from "./history.js";
import { noRoom } from "./problems.js";

/**
 * @typedef {import("./history.js").Message} Message
 * @typedef {import("./models/model.js").Model} Model
 * @typedef {object} Setup
 * @property {Model} model the model that answers
 * @property {import("ctxfold").Summarize | undefined} summarize writes digests; without it, ctxfold writes them without a model
 * @property {number} window the size of the context window, in tokens
 * @property {boolean} automatic whether to compact as soon as compaction is due
 */

/** A conversation that never outgrows the window. It emits `change`, and `compacting` before a digest is written. */
export class Chat extends EventTarget {
  record = empty();
  /** @type {Setup} */ #setup;
  /** @type {ReturnType<typeof createCompactor>} */ #compactor;
  /**
   * A copy of `sent` in the module, so that the cost of a turn depends only on the new messages.
   * @type {Conversation<Message> | undefined}
   */
  #conversation;

  /** @param {Setup} setup */
  constructor(setup) {
    super();
    this.#setup = setup;
    this.#compactor = compactorOf(setup);
    watch(() => this.refresh());
  }

  /** Continues with another model or window once nothing is running. @param {Setup} setup @param {AbortSignal} [signal] */
  configure = (setup, signal) =>
    alone(signal, async () => {
      if (setup === this.#setup) return;
      const old = this.#compactor;
      this.#setup = setup;
      this.#compactor = compactorOf(setup);
      this.#conversation = undefined;
      old.close();
      this.#changed();
    });

  /** Reads the stored conversation, which this or another tab has written. */
  async refresh() {
    const stored = await restored();
    if (stored.revision === this.record.revision) return;
    this.record = stored;
    this.#conversation = undefined;
    this.#changed();
  }

  /**
   * Returns how full the window is, in tokens.
   * @returns {Promise<{tokens: number, limit: number, window: number}>} compaction is due above `limit`
   */
  async check() {
    const { window } = this.#setup;
    return this.record.sent.length > 0 ? this.#live().check() : { tokens: 0, limit: window, window };
  }

  /** Adds the user's text and has the model answer. Resolves to the reason why the answer ended. @param {string} text @param {Turn} turn */
  say = (text, turn) =>
    this.#alone(turn.signal, async () => {
      await this.#add({ role: "user", content: text });
      return this.#answer(turn);
    });

  /** Has the model answer a message that has no answer yet. @param {Turn} turn */
  answer = (turn) => this.#alone(turn.signal, () => this.#answer(turn));

  /** Compacts even if compaction is not due. @param {AbortSignal} signal */
  compact = (signal) => this.#alone(signal, () => this.#live().compact({ signal }));

  /** Repeats a compaction that a reload has interrupted. @param {AbortSignal} signal */
  resume = (signal) =>
    this.#alone(signal, async () => {
      if (this.record.compacting) await this.#live().compact({ signal });
    });

  /** Undoes the last compaction. Messages added since then stay, and nothing is compacted until the user asks for it. */
  undo = () =>
    this.#alone(undefined, async () => {
      const fold = this.record.folds.pop();
      if (!fold) return;
      const { sent, state, shown } = fold.undo;
      Object.assign(this.record, { sent: [...sent, ...this.record.shown.slice(shown)], state, paused: true });
      this.#conversation = undefined;
    });

  /** Replaces this conversation with other messages. @param {Message[]} messages */
  replace = (messages) =>
    this.#alone(undefined, async () => {
      const { revision } = this.record;
      this.record = { ...empty(), shown: [...messages], sent: [...messages], revision };
      this.#conversation = undefined;
    });

  /**
   * Runs work while nothing else changes the conversation, in this or any other tab, and stores the conversation
   * afterwards.
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<T>} work
   */
  #alone(signal, work) {
    return alone(signal, async () => {
      await this.refresh();
      try {
        return await work();
      } finally {
        this.record.compacting = false;
        await this.#keep();
      }
    });
  }

  async #keep() {
    await keep(this.record);
    this.#changed();
  }

  /** @param {Message} message */
  async #add(message) {
    await this.#live().append(message);
    this.record.shown.push(message);
    this.record.sent.push(message);
    await this.#keep();
  }

  /**
   * @typedef {{signal: AbortSignal, onText: (text: string) => void}} Turn `onText` gets the whole text so far
   * @param {Turn} turn
   */
  async #answer({ signal, onText }) {
    const { model } = this.#setup;
    const conversation = this.#live();
    await conversation.afterTurn({ signal });
    const { tokens, window } = await conversation.check();
    if (tokens > window) throw noRoom(tokens, window, this.#held);
    let text = "";
    let ended;
    const onPiece = (/** @type {string} */ piece) => {
      text += piece;
      onText(text);
    };
    try {
      // If the provider reports that the conversation does not fit, it is compacted and sent once more.
      const { value } = await conversation.call(
        async (messages, told) => {
          text = "";
          try {
            return await model.answer(messages, { signal, onText: onPiece });
          } catch (error) {
            told({ typed: /** @type {Error} */ (error).name === "QuotaExceededError" });
            throw error;
          }
        },
        { signal },
      );
      ended = value;
    } catch (error) {
      if (signal.aborted && text) await this.#add({ role: "assistant", content: text });
      if (/** @type {any} */ (error).code === "still_overflow") throw noRoom(tokens, window, this.#held);
      throw error;
    }
    await this.#add({ role: "assistant", content: text || "(The model said nothing.)" });
    return ended;
  }

  /** Whether compaction waits for the user. */
  get #held() {
    return this.record.paused || !this.#setup.automatic;
  }

  #live() {
    this.#conversation ??= new Conversation(this.#compactor, {
      messages: this.record.sent,
      state: this.record.state,
      beforeCompact: async ({ trigger }) => {
        if (trigger !== "manual" && this.#held) return false;
        this.record.compacting = true;
        await this.#keep();
        this.dispatchEvent(new Event("compacting"));
        return true;
      },
      afterCompact: (_, done) => done?.report.changed && this.#fold(done),
    });
    return this.#conversation;
  }

  /**
   * Records a compaction. Kept messages are the same objects as before, so the folded ones are those that are missing.
   * @param {import("ctxfold").Done<Message[]>} done
   */
  #fold({ messages, state, report }) {
    const { record } = this;
    const { shown, sent } = record;
    const folded = shown.map((message) => !messages.includes(message));
    record.folds.push({
      place: folded.lastIndexOf(true) + 1,
      count: folded.filter(Boolean).length,
      tokens: { before: report.tokens.before, after: report.tokens.after },
      digest: messages.find((message) => !sent.includes(message))?.content ?? "",
      local: report.summary?.source === "local",
      undo: { sent, state: record.state, shown: shown.length },
    });
    Object.assign(record, { sent: [...messages], state, paused: false, compacting: false });
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** @param {Setup} setup */
function compactorOf({ model, summarize, window: tokens }) {
  return createCompactor({
    // The format "plain" works with any endpoint: it has only roles and texts, which alternate as the strictest chat templates require.
    policy: {
      format: "plain",
      window: { tokens, reserve: Math.round(tokens / 8) },
      ...(model.limits && { summary: model.limits }),
    },
    ...(summarize && { summarize }),
    ...(model.concurrency && { concurrency: model.concurrency }),
  });
}
