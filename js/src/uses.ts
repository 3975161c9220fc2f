/** When conversations were sent last, and to whom: by that it is known whether a provider's prompt cache still has them. */
import type { FitMemory } from "./memories.js";
import { alone } from "./sole.js";
import type { CallOptions, Policy } from "./types.js";

/** The call of a model that comes next. */
export interface Next {
  /** Who is asked, by any names. Where the last call of the conversation was to another one, its prompt cache is cold. */
  model?: string | undefined;
  provider?: string | undefined;
}

/** The last call of a conversation. */
export interface Use extends Next {
  /** Milliseconds since 1970. */
  time: number;
}

/** The last calls, by the prints of the histories that were sent. */
export interface Uses {
  /** That of the longest beginning of a history that is known, of which the prints are given. */
  last(id: string, prints: readonly string[]): Use | undefined | Promise<Use | undefined>;
  note(id: string, print: string, use: Use): void | Promise<void>;
}

/** Whether a policy compacts a conversation whose prompt cache is cold. */
export const chills = ({ gate }: Policy): boolean => (gate?.idle ?? 0) > 0;

/** What the module takes at most, in seconds. */
const LONGEST = 1_000_000_000;

/** The options of a call, with what is measured for it. What the caller says counts before that. */
export function chilled(options: CallOptions | undefined, last: Use | undefined, next: Next, now: number): CallOptions {
  const seconds = last ? (now - last.time) / 1000 : 0;
  const idle = options?.idle ?? (seconds > 0 ? Math.min(seconds, LONGEST) : 0); // a clock may go back, or be none
  const cold =
    options?.cold ??
    (differ(next.provider, last?.provider)
      ? "provider_changed"
      : differ(next.model, last?.model)
        ? "model_changed"
        : undefined);
  return { ...options, ...(idle !== 0 && { idle }), ...(cold !== undefined && { cold }) };
}

const differ = (a: string | undefined, b: string | undefined) => Boolean(a) && Boolean(b) && a !== b;

/** Where other processes call for the same conversations, this one does not know when the last call was: the caller says it. */
export const UNKNOWN_USES: Uses = { last: () => undefined, note() {} };

/** So many calls are known; a forgotten one is no idle one. */
const CALLS = 4096;

/** Those of this process. */
export class OwnUses implements Uses {
  readonly #uses = new Map<string, Use>();

  last(id: string, prints: readonly string[]): Use | undefined {
    for (let i = prints.length - 1; i >= 0; i--) {
      const use = this.#uses.get(`${prints[i]} ${id}`);
      if (use) return use;
    }
    return undefined;
  }

  note(id: string, print: string, use: Use): void {
    const key = `${print} ${id}`;
    this.#uses.delete(key);
    this.#uses.set(key, use);
    for (const oldest of this.#uses.keys()) {
      if (this.#uses.size <= CALLS) return;
      this.#uses.delete(oldest);
    }
  }
}

/** So many calls are kept under each key of a memory. */
const KEPT = 64;

/** Those in a memory of the host's, under a key of their own. Where it fails, nothing is known of them. */
export class KeptUses implements Uses {
  readonly #memory: FitMemory;

  constructor(memory: FitMemory) {
    this.#memory = memory;
  }

  async last(id: string, prints: readonly string[]): Promise<Use | undefined> {
    const uses = new Map(await this.#of(id));
    for (let i = prints.length - 1; i >= 0; i--) {
      const use = uses.get(prints[i] as string);
      if (use) return use;
    }
    return undefined;
  }

  async note(id: string, print: string, use: Use): Promise<void> {
    await alone(`ctxfold:calls:${id}`, undefined, async () => {
      const others = (await this.#of(id)).filter(([of]) => of !== print);
      await this.#memory.save(keyOf(id), JSON.stringify([...others, [print, use]].slice(-KEPT)));
    }).catch(() => {});
  }

  async #of(id: string): Promise<[string, Use][]> {
    try {
      const list: unknown = JSON.parse((await this.#memory.load(keyOf(id))) ?? "[]");
      return Array.isArray(list) ? list.filter((each) => Array.isArray(each) && each[1] === Object(each[1])) : [];
    } catch {
      return [];
    }
  }
}

const keyOf = (id: string) => `${id}:calls`;
