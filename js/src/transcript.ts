import { CtxfoldError } from "./errors.js";
import { decode } from "./json.js";
import { applyEdits, serialize } from "./live.js";
import { Slices } from "./slices.js";
import type { Edit, Session } from "./types.js";

/** The names under which request bodies hold their messages. */
const LISTS = ["messages", "input", "contents"];

/** A transcript as the caller gave it, and the way back to the same kind. */
export interface Transcript {
  /** The JSON text that crosses into the module. */
  readonly piece: string | Uint8Array;
  /** Length of `piece` in bytes of UTF-8. */
  readonly size: () => number;
  /** The answer that serves this kind best. */
  readonly answer: "messages" | "edits";
  /** `piece` as it was made, where it is large: whoever needs only these spares the time to join them. */
  readonly pieces?: readonly string[];
  /** The messages of an answer, in the caller's kind. */
  restore(answer: ReadonlyMap<string, Uint8Array>): unknown;
}

/** Messages that were read on the other side of a worker's boundary, and go back there as the bytes of the answer. */
export class Crossing {
  constructor(
    readonly piece: string | Uint8Array,
    readonly answer: "messages" | "edits",
  ) {}
}

/** Reads what the caller gave: text, bytes, a live array, or a live request body that holds an array. */
export function transcript(messages: unknown): Transcript {
  if (typeof messages === "string") return fromText(messages);
  if (messages instanceof Uint8Array) {
    return {
      piece: messages,
      size: () => messages.length,
      answer: "messages",
      restore: (answer) => member(answer, "messages").slice(),
    };
  }
  if (messages instanceof Crossing) return fromCrossing(messages);
  return isSession(messages) ? fromSession(messages) : fromLive(messages);
}

/** The messages of an answer that are in another wire format than those that came in, in the caller's kind. */
export function written(answer: { from: string; to: string; messages?: unknown }, messages: unknown): unknown {
  const bytes = answer.messages as Uint8Array;
  const given = isSession(messages) ? messages.messages : messages;
  if (typeof given === "string") return decode(bytes);
  if (given instanceof Uint8Array || given instanceof Crossing) return bytes;
  return answer.from === answer.to ? given : JSON.parse(decode(bytes));
}

/** What `open` has answered, which tells the module more about the messages than they do. */
function isSession(value: unknown): value is Session<readonly unknown[] | Uint8Array> {
  const { kind, format, messages } = (value ?? {}) as Partial<Session<unknown>>;
  const listed = Array.isArray(messages) || messages instanceof Uint8Array;
  return typeof kind === "string" && typeof format === "string" && listed;
}

/** The module answers with the messages alone, and so they come back. */
function fromSession(session: Session<readonly unknown[] | Uint8Array>): Transcript {
  const { messages, ...rest } = session;
  if (!(messages instanceof Uint8Array)) {
    const live = fromLive(messages);
    const piece = serialize(session);
    return { ...live, piece, size: () => new TextEncoder().encode(piece).length };
  }
  const head = new TextEncoder().encode(`${serialize(rest).slice(0, -1)},"messages":`);
  const piece = new Uint8Array(head.length + messages.length + 1);
  piece.set(head);
  piece.set(messages, head.length);
  piece[piece.length - 1] = 0x7d; // }
  return fromCrossing({ piece, answer: "messages" });
}

function fromCrossing({ piece, answer }: Crossing): Transcript {
  const size = () => (typeof piece === "string" ? new TextEncoder().encode(piece).length : piece.length);
  return { piece, size, answer, restore: (given) => member(given, answer).slice() };
}

/**
 * The same JSON text with an escape for each half of a surrogate pair, which UTF-8 cannot hold. Behind a backslash, where JSON has no
 * such escape, U+FFFD takes its place, so that the text stays the error that it is.
 */
export function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  return text.replace(/(\\*)(\p{Surrogate})/gu, (_, backslashes: string, half: string) =>
    backslashes.length % 2 === 1 ? `${backslashes}\ufffd` : `${backslashes}\\u${half.charCodeAt(0).toString(16)}`,
  );
}

function fromText(text: string): Transcript {
  if (/^\s*[^\s[{]/.test(text)) {
    throw new CtxfoldError(
      "wrong_type",
      'messages given as a string must be JSON: a list such as [{"role":"user","content":"hello"}], or a request body; for one message, pass [{ role: "user", content: "hello" }]',
      { path: "messages" },
    );
  }
  const piece = wellFormed(text);
  return {
    piece,
    size: () => new TextEncoder().encode(piece).length,
    answer: "messages",
    restore: (answer) => {
      const messages = decode(member(answer, "messages"));
      return messages === piece ? text : messages;
    },
  };
}

/** The list that live messages are, or that their request body holds under a name. */
function listIn(messages: unknown): { list: readonly unknown[] | undefined; key: string | undefined } {
  if (Array.isArray(messages)) return { list: messages, key: undefined };
  const body = messages as Record<string, unknown> | undefined;
  const key = LISTS.find((name) => Array.isArray(body?.[name]));
  return { list: key === undefined ? undefined : (body?.[key] as unknown[]), key };
}

function fromLive(messages: unknown): Transcript {
  const piece = serialize(messages);
  const size = () => new TextEncoder().encode(piece).length;
  return { piece, size, answer: "edits", restore: restorer(messages) };
}

/** Puts an answer's edits into live messages. */
function restorer(messages: unknown): Transcript["restore"] {
  const { list = [], key } = listIn(messages);
  // The caller may continue appending to its array while a summary is made; edits count in what was sent.
  const sent = list.slice();
  return (answer) => {
    const kept = applyEdits(sent, JSON.parse(decode(member(answer, "edits"))) as Edit[]);
    if (kept === sent) return messages;
    return key === undefined ? kept : { ...(messages as object), [key]: kept };
  };
}

/**
 * Reads what the caller gave as {@link transcript} does, but live messages in slices, the newest first: those may still change, and are
 * read before this returns unless they take longer than a slice.
 */
export async function slicedTranscript(messages: unknown): Promise<Transcript> {
  const { list, key } = listIn(messages);
  const whole = typeof messages !== "object" || messages instanceof Uint8Array || isSession(messages);
  if (whole || !list || hasOwnJson(messages) || hasOwnJson(list)) return transcript(messages);
  const restore = restorer(messages);
  const slices = new Slices();
  const texts: string[] = [];
  const head = key === undefined ? "[" : headOf(messages as Record<string, unknown>, key);
  for (let i = list.length - 1, sent = list.slice(); i >= 0; i--) {
    texts.push(elementOf(sent[i], i), i === 0 ? head : ",");
    if (slices.over) await slices.pause();
  }
  if (list.length === 0) texts.push(head);
  const pieces = [...texts.reverse(), key === undefined ? "]" : "]}"];
  let joined: string | undefined;
  const piece = () => {
    joined ??= pieces.join("");
    return joined;
  };
  return {
    get piece() {
      return piece();
    },
    pieces,
    size: () => new TextEncoder().encode(piece()).length,
    answer: "edits",
    restore,
  };
}

const hasOwnJson = (value: unknown): boolean => typeof (value as { toJSON?: unknown } | null)?.toJSON === "function";

/** A request body up to its list of messages, which is written last. */
function headOf(body: Record<string, unknown>, key: string): string {
  const rest = serialize({ ...body, [key]: undefined });
  return `${rest.slice(0, -1)}${rest === "{}" ? "" : ","}"${key}":[`;
}

/** As JSON.stringify writes an element of a list; `{"0":…}` tells an element of its own kind its key, as a list does. */
function elementOf(value: unknown, index: number): string {
  const text = serialize({ [index]: value });
  return text === "{}" ? "null" : text.slice(String(index).length + 4, -1);
}

function member(answer: ReadonlyMap<string, Uint8Array>, name: "messages" | "edits"): Uint8Array {
  const bytes = answer.get(name);
  if (bytes) return bytes;
  throw new CtxfoldError(
    "invalid_option",
    "the plan was made for messages of another kind: go on with live messages where it was live messages, else with text " +
      "or bytes",
    { path: "plan" },
  );
}
