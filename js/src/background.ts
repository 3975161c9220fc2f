/** Compactions of histories that run while their conversations continue. */

/** A compaction that was begun before it was due. */
export interface Running {
  readonly id: string;
  /** Of the history that it is made for. */
  readonly prints: readonly string[];
  /** Resolves when it has ended, and never rejects. */
  readonly ended: Promise<void>;
  cancel(): void;
  /** How many messages it replaces; all, until that is known. Edits behind them leave it what it is. */
  cut: number;
}

/** One that came to nothing. */
export interface Attempt {
  /** Of the history, in tokens. */
  tokens: number;
  /** The model gave no summary. */
  failed: boolean;
}

interface Tried extends Attempt {
  id: string;
  prints: readonly string[];
}

/** So many attempts are known; a forgotten one costs another one. */
const ATTEMPTS = 256;

/** Those of the histories that are remembered together. */
export class Background {
  readonly #running = new Set<Running>();
  #tried: Tried[] = [];

  /** Whether anything is known of the histories of an id. */
  has(id: string): boolean {
    const of = (each: { id: string }) => each.id === id;
    return [...this.#running].some(of) || this.#tried.some(of);
  }

  get idle(): boolean {
    return this.#running.size === 0;
  }

  /**
   * The one whose result will represent a beginning of the history, and those of messages that the history has edited, which are cancelled.
   * The latter are known from other conversations, which may begin alike, by at least half of their messages.
   */
  behind(id: string, prints: readonly string[]): { running?: Running; edited: Running[] } {
    const edited: Running[] = [];
    let running: Running | undefined;
    for (const each of this.#running) {
      if (each.id !== id) continue;
      const same = shared(each.prints, prints);
      if (same >= each.cut) running = each;
      else if (same < prints.length && 2 * same >= each.prints.length) {
        each.cancel();
        edited.push(each);
      }
    }
    return { edited, ...(running && { running }) };
  }

  /** The newest attempt for a beginning of the history that has more than so many messages. */
  last(id: string, prints: readonly string[], messages: number): Attempt | undefined {
    let newest: Tried | undefined;
    for (const each of this.#tried) {
      const { length } = each.prints;
      if (each.id !== id || length <= messages || length < (newest?.prints.length ?? 0)) continue;
      if (prints[length - 1] === each.prints[length - 1]) newest = each;
    }
    return newest;
  }

  /** Begins one, unless one runs for this history already. `work` gives the attempt where it came to nothing. */
  begin(
    id: string,
    prints: readonly string[],
    work: (signal: AbortSignal, replaces: (messages: number) => void) => Promise<Attempt | undefined>,
  ): Running | undefined {
    for (const each of this.#running) {
      if (each.id !== id) continue;
      if (shared(each.prints, prints) >= Math.min(each.cut, prints.length)) return undefined;
    }
    const controller = new AbortController();
    const { signal } = controller;
    let end = () => {};
    const ended = new Promise<void>((done) => {
      end = done;
    });
    const running: Running = { id, prints, ended, cancel: () => controller.abort(), cut: prints.length };
    this.#running.add(running);
    const replaces = (messages: number) => {
      if (messages > 0) running.cut = Math.min(running.cut, messages);
    };
    work(signal, replaces)
      .catch(() => undefined)
      .then((nothing) => {
        if (nothing && !signal.aborted) this.#tried = [...this.#tried, { ...nothing, id, prints }].slice(-ATTEMPTS);
        this.#running.delete(running);
        end();
      });
    return running;
  }

  close(): void {
    for (const each of this.#running) each.cancel();
  }
}

/** With how many equal messages two histories begin. A print is of all messages up to one: two are equal only where all before them are. */
function shared(a: readonly string[], b: readonly string[]): number {
  let from = 0;
  let to = Math.min(a.length, b.length);
  while (from < to) {
    const middle = (from + to) >> 1;
    if (a[middle] === b[middle]) from = middle + 1;
    else to = middle;
  }
  return from;
}
