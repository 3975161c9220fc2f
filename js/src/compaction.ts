/** Handles everything around one compaction of a conversation: its events, the lock and the saved state. */
import { loggingFailures } from "./callbacks.js";
import type { ConversationOptions } from "./conversation-options.js";
import { messageOf } from "./errors.js";
import type { CompactionEvent } from "./journal.js";
import type { Given } from "./loop.js";
import type { Turned } from "./session.js";
import { alone } from "./sole.js";
import type { Beginning } from "./types.gen.js";
import type { Action, Message, State } from "./types.js";

/** Saves a compaction's state, and detects other writers. */
interface Writing {
  /** Throws if another writer has saved a state in the meantime. */
  check(): Promise<void>;
  /** Saves the state. Throws if another writer has saved one in the meantime. */
  save(state: State): Promise<void>;
}

/**
 * One compaction of a conversation: calls the hooks, keeps other compactions out, saves the state, and writes the
 * events to the journal.
 */
export class Compaction<M extends Message> {
  /** The reason why the compaction was skipped, if it was. */
  skipped: string | undefined;
  readonly #options: ConversationOptions<M>;
  readonly #writing: Writing;
  #start: CompactionEvent | undefined;
  #leave: (() => Promise<unknown>) | undefined;
  #unsaved: { error: unknown } | undefined;

  constructor(options: ConversationOptions<M>, writing: Writing) {
    this.#options = options;
    this.#writing = writing;
  }

  /**
   * Calls `beforeCompact` and records the start in the journal. If the conversation has `states`, no other writer
   * compacts it from then on until the compaction ends. Returns `skip`, or the summary that `beforeCompact` has given.
   */
  async before({ trigger, messages, tokens }: Beginning, signal?: AbortSignal): Promise<Given> {
    const { id = "", states, beforeCompact } = this.#options;
    const start: CompactionEvent = {
      type: "compaction_start",
      conversation: id,
      trigger,
      time: Date.now(),
      messages_before: messages,
      messages_after: 0,
      tokens_before: tokens,
      tokens_after: 0,
    };
    const before = (await beforeCompact?.(start)) ?? true;
    const { cancel = false, summary } = typeof before === "boolean" ? { cancel: !before } : before;
    if (cancel) {
      this.skipped = cancel === true ? "skipped" : cancel;
      return { skip: true };
    }
    if (states) {
      this.#leave = await entered((work) =>
        states.alone ? states.alone(id, signal, work) : alone(`ctxfold:${id}`, signal, work),
      );
      await this.#writing.check();
    }
    this.#start = start;
    await this.#append(start);
    return summary ? { summary: { id: "", text: summary } } : {};
  }

  /**
   * Saves the state before the conversation continues with it. A conflict is thrown immediately; any other failure is
   * reported at the end.
   */
  async commit(state: State): Promise<void> {
    try {
      await this.#writing.save(state);
    } catch (error) {
      if ((error as { code?: unknown } | undefined)?.code === "conflict") throw error;
      this.#unsaved = { error };
    }
  }

  /**
   * Runs `work` and, if a compaction began in it, reports how that compaction ended. Throws the
   * error of `work` or, if it has none, the error of saving the state.
   */
  async around(work: () => Promise<Turned<M>>): Promise<Turned<M>> {
    let turned: Turned<M>;
    try {
      turned = await work();
      if (this.#unsaved) throw this.#unsaved.error;
    } catch (error) {
      await this.#left().catch(() => {}); // the first failure is the one to report
      if (this.#start) {
        const { messages_before: messages_after, tokens_before: tokens_after } = this.#start;
        await this.#end({ messages_after, tokens_after, error: messageOf(error) });
      }
      throw error;
    }
    await this.#left();
    const { done } = turned;
    if (this.#start && done) {
      const { messages, tokens, reason, actions } = done.report;
      const sizes = { messages_before: messages.before, messages_after: messages.after };
      const counts = { tokens_before: tokens.before, tokens_after: tokens.after };
      await this.#end({ ...sizes, ...counts, reason, removed: removed(actions) }, done);
    }
    return turned;
  }

  async #left(): Promise<void> {
    const leave = this.#leave;
    this.#leave = undefined;
    await leave?.();
  }

  async #end(more: Partial<CompactionEvent>, done?: Turned<M>["done"]): Promise<void> {
    const { afterCompact } = this.#options;
    const end = { ...(this.#start as CompactionEvent), type: "compaction_end" as const, time: Date.now(), ...more };
    await this.#append(end);
    await loggingFailures("afterCompact", afterCompact)?.(end, done);
  }

  async #append(event: CompactionEvent): Promise<void> {
    const { journal, onJournalError } = this.#options;
    try {
      await journal?.append(event);
    } catch (error) {
      await loggingFailures("onJournalError", onJournalError)?.(error);
    }
  }
}

/** Acquires a lock. `run` runs a function while it holds the lock. Resolves to a function that releases the lock. */
function entered(run: (work: () => Promise<void>) => Promise<void>): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const ended: Promise<void> = run(
      () =>
        new Promise((leave) => {
          resolve(() => {
            leave();
            return ended;
          });
        }),
    );
    ended.catch(reject);
  });
}

/** Returns the messages that the actions folded or dropped, as half-open ranges of indexes. */
function removed(actions: readonly Action[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const { action, message } of actions) {
    if (message < 0 || (action !== "fold" && action !== "drop")) continue;
    const last = ranges.at(-1);
    if (last && message >= last[0] && message <= last[1]) last[1] = Math.max(last[1], message + 1);
    else ranges.push([message, message + 1]);
  }
  return ranges;
}
