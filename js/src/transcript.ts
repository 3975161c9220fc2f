import { CtxfoldError, invalidOption } from "./errors.js";
import { decode } from "./json.js";
import { applyEdits, serialize } from "./live.js";
import { Slices } from "./slices.js";
import type { Edit, Session } from "./types.js";

/** The keys under which request bodies hold their messages. */
const LISTS = ["messages", "input", "contents"];

/** A transcript as the caller passed it, and the function that returns results in the same form. */
export interface Transcript {
  /** The JSON text for the module. */
  readonly piece: string | Uint8Array;
  /** Returns the length of `piece` in UTF-8 bytes. */
  readonly size: () => number;
  /** The kind of answer that suits this form. */
  readonly answer: "messages" | "edits";
  /** The parts of `piece` if it is large. Code that can use the parts need not wait until they are joined. */
  readonly pieces?: readonly string[];
  /** Returns the messages of an answer in the caller's form. */
  restore(answer: ReadonlyMap<string, Uint8Array>): unknown;
}

/** Reads the caller's messages: text, bytes, a live array, or a live request body with such an array. */
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
  return isSession(messages) ? fromSession(messages) : fromLive(messages);
}

/** Returns the messages of an answer in the caller's form. Their wire format may differ from that of the input. */
export function written(answer: { from: string; to: string; messages?: unknown }, messages: unknown): unknown {
  const bytes = answer.messages as Uint8Array;
  const given = isSession(messages) ? messages.messages : messages;
  if (typeof given === "string") return decode(bytes);
  if (given instanceof Uint8Array) return bytes;
  return answer.from === answer.to ? given : JSON.parse(decode(bytes));
}

/**
 * Reports whether the value is a result of `open`, which has the format, the model and a token count in addition to the
 * messages.
 */
function isSession(value: unknown): value is Session<readonly unknown[] | Uint8Array> {
  const { kind, format, messages } = (value ?? {}) as Partial<Session<unknown>>;
  const listed = Array.isArray(messages) || messages instanceof Uint8Array;
  return typeof kind === "string" && typeof format === "string" && listed;
}

/**
 * Reads a result of `open`. The module's answer contains only messages, and only these are returned to the caller.
 */
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
  return crossed(piece, "messages");
}

/**
 * Returns a transcript that was serialized elsewhere: by a page for its worker, or from a result of `open`. Results are
 * returned as bytes.
 */
export function crossed(piece: string | Uint8Array, answer: "messages" | "edits"): Transcript {
  const size = () => (typeof piece === "string" ? new TextEncoder().encode(piece).length : piece.length);
  return { piece, size, answer, restore: (given) => member(given, answer).slice() };
}

/**
 * Escapes unpaired surrogates in JSON text, which UTF-8 cannot represent. Where an escape is impossible, after a
 * backslash, U+FFFD is written, so that invalid text stays invalid.
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

/** Returns the list of live messages and, if it is in a request body, its key; both are undefined if there is none. */
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

/**
 * Returns a function that applies an answer's edits to live messages. It returns the same list or body if there are
 * none, and otherwise a new one with the same objects for kept messages.
 */
function restorer(messages: unknown): Transcript["restore"] {
  const { list = [], key } = listIn(messages);
  // This is a copy, because edits refer to the messages as they were sent, and the caller may append to its array in
  // the meantime.
  const sent = list.slice();
  return (answer) => {
    const kept = applyEdits(sent, JSON.parse(decode(member(answer, "edits"))) as Edit[]);
    if (kept === sent) return messages;
    return key === undefined ? kept : { ...(messages as object), [key]: kept };
  };
}

/**
 * Reads the messages as {@link transcript} does, but serializes live messages in time slices. It starts with the
 * newest messages, because they may still change: if it takes no longer than one slice, they are read before this
 * function returns.
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

/** Returns the JSON of a request body up to its list of messages, which is moved to the end. */
function headOf(body: Record<string, unknown>, key: string): string {
  const rest = serialize({ ...body, [key]: undefined });
  return `${rest.slice(0, -1)}${rest === "{}" ? "" : ","}"${key}":[`;
}

/**
 * Returns the JSON of a list's element in the form that JSON.stringify gives it in a list. With `{"0":…}`, toJSON
 * gets the same key as in a list.
 */
function elementOf(value: unknown, index: number): string {
  const text = serialize({ [index]: value });
  return text === "{}" ? "null" : text.slice(String(index).length + 4, -1);
}

function member(answer: ReadonlyMap<string, Uint8Array>, name: "messages" | "edits"): Uint8Array {
  const bytes = answer.get(name);
  if (bytes) return bytes;
  throw invalidOption(
    "the plan was made for messages of another kind: go on with live messages where it was live messages, else with text " +
      "or bytes",
    "plan",
  );
}
