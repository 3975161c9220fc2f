/** Rejects unknown options, which otherwise would have no effect, and stores that lack a method. */
import { invalidOption } from "./errors.js";
import type { Policy } from "./types.js";

/** The names of all options of one kind. If a new option is not listed, the type check fails. */
export type Names<Options extends object> = Readonly<Record<keyof Options, true>>;

/** Members of the policy that callers often pass as options instead. */
const POLICY: Names<Policy> = {
  preset: true,
  format: true,
  model: true,
  estimator: true,
  window: true,
  gate: true,
  passes: true,
  summary: true,
  pins: true,
  wire_safe: true,
  open_calls: true,
  max_bytes: true,
  prices: true,
  log: true,
  archive: true,
  thinking: true,
  repair: true,
  last_resort: true,
};

/** The option names of another function, and an example of a call with such an option. */
type Elsewhere = readonly [names: Readonly<Record<string, true>>, there: string];

/**
 * Throws `invalid_option` for an option that the function `of` does not have, and suggests the option that was
 * probably meant. Options whose value is undefined are ignored. `elsewhere` lists the options of another function, with
 * an example of a call in which `*` is replaced with the option's name.
 */
export function checkOptions(
  given: object,
  names: Readonly<Record<string, true>>,
  of: string,
  elsewhere?: Elsewhere,
): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    if (elsewhere && Object.hasOwn(elsewhere[0], name)) {
      const there = elsewhere[1].replace("*", name);
      throw invalidOption(`${of} has no option "${name}": it belongs to ${there}`, name);
    }
    const meant =
      sizeOf(name, names) ?? inOptions(name, names) ?? likely(name, Object.keys(names)) ?? inPolicy(name, names);
    throw invalidOption(
      `${of} has no option "${name}"${meant ? `: did you mean "${meant}"?` : `; it has ${Object.keys(names).join(", ")}`}`,
      name,
    );
  }
}

/** A kind of store: a function that recognizes it, and the text of the error for any other value. */
export type StoreKind = readonly [matches: (value: unknown) => boolean, text: string];

const MADE = "such as memoryStore(), indexedDBStore() and keyValueStore(kv) are";

/** The kinds of stores that are options of compactors and fitters, by the name of the option. */
const STORES: Readonly<Record<string, StoreKind>> = {
  store: [(value) => has(value, "put", "get"), `store is an object with put(handle, body) and get(handle), ${MADE}`],
  memory: [
    (value) => has(value, "load", "save") || has((value as { records?: unknown }).records, "load", "save"),
    `memory is an object with load(key) and save(key, json), ${MADE}, or a memory of ctxfold/redis, ctxfold/postgres or ctxfold/shared`,
  ],
};

/**
 * Throws `invalid_option` if one of the options is a store that lacks a method. Otherwise it would fail only when the
 * first compaction is due. `kinds` are the kinds of stores, by the name of the option.
 */
export function checkStores(given: object, kinds: Readonly<Record<string, StoreKind>> = STORES): void {
  for (const [name, [matches, text]] of Object.entries(kinds)) {
    const value = (given as Record<string, unknown>)[name];
    if (value !== undefined && value !== null && !matches(value)) throw invalidOption(text, name);
  }
}

/**
 * Throws `invalid_option` if a value lacks one of these methods of a compactor. It may be a compactor's options, or a
 * promise.
 */
export function checkCompactor(value: unknown, ...methods: string[]): void {
  if (!has(value, ...methods)) throw invalidOption("compactor is what createCompactor has returned", "compactor");
}

/** Reports whether a value, of any type, has all of these methods. */
export function has(value: unknown, ...methods: string[]): boolean {
  return methods.every((name) => typeof (value as Record<string, unknown> | null | undefined)?.[name] === "function");
}

/** Names that other packages have for the size of the context window. */
const SIZES = [
  "maxTokens",
  "maxInputTokens",
  "maxContextTokens",
  "contextWindow",
  "contextLength",
  "contextSize",
  "tokenLimit",
  "tokenBudget",
  "tokens",
  "limit",
].map(plain);

function sizeOf(name: string, names: Readonly<Record<string, true>>): string | undefined {
  if (!SIZES.includes(plain(name))) return undefined;
  if (Object.hasOwn(names, "window")) return "window";
  return Object.hasOwn(names, "policy") ? "policy.window.tokens" : undefined;
}

/**
 * Returns `options.force` if the name is `force`, which belongs in the `options` of a single call; undefined for any
 * other name. It is for the hint in an error.
 */
function inOptions(name: string, names: Readonly<Record<string, true>>): string | undefined {
  return name === "force" && Object.hasOwn(names, "options") ? "options.force" : undefined;
}

function inPolicy(name: string, names: Readonly<Record<string, true>>): string | undefined {
  const key = Object.hasOwn(names, "policy") ? likely(name, Object.keys(POLICY)) : undefined;
  return key && `policy.${key}`;
}

/** Returns the name that is most similar to the given one, or undefined if none is similar enough. */
function likely(given: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const name of names) {
    const far = distance(plain(given), plain(name));
    if (far < least) [best, least] = [name, far];
  }
  return best;
}

/** Returns a name without the differences between naming styles, such as camel case and snake case. */
function plain(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

/**
 * Returns the edit distance (Levenshtein) of two texts, that is, how many letters must be inserted, removed or
 * changed.
 */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, swap);
    }
    row = next;
  }
  return row[b.length] as number;
}
