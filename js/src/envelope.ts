/** Writes requests for the module, and reads its answers. */
import type { Pieces } from "./abi.js";
import { CtxfoldError, messageOf } from "./errors.js";
import { decode } from "./json.js";
import type { Transcript } from "./transcript.js";
import type { Done, Messages, Operation, Operations, Pending, SummaryRequest } from "./types.js";

/** The members of an answer: their names, with the bytes of their values. */
export type Answer = ReadonlyMap<string, Uint8Array>;

/** The members of a request. Bytes are inserted as JSON text; members whose value is undefined are left out. */
export type Head = Record<string, unknown>;

/** The members of an operation's request, except the messages. */
export type HeadOf<Op extends Operation> = {
  readonly [Key in keyof Omit<Operations[Op]["request"], "messages">]:
    | Operations[Op]["request"][Key & keyof Operations[Op]["request"]]
    | Uint8Array
    | null
    | undefined;
};

/** The answer of an operation, without its messages. */
export type AnswerOf<Op extends Operation> = Operations[Op]["answer"];

/** Returns the pieces of a request, which is a JSON object. Messages are the last member. */
export function envelope(head: Head, source?: Transcript): Pieces {
  const pieces: (string | Uint8Array)[] = [];
  let text = "{";
  for (const [key, value] of Object.entries(head)) {
    if (value === undefined) continue;
    text += `${text === "{" ? "" : ","}"${key}":`;
    if (!(value instanceof Uint8Array)) {
      text += json(key, value);
      continue;
    }
    pieces.push(text, value);
    text = "";
  }
  if (source) {
    pieces.push(`${text}${text === "{" ? "" : ","}"messages":`, source.piece);
    text = "";
  }
  pieces.push(`${text}}`);
  return pieces;
}

/**
 * Returns the members of a request with every object as JSON. The result can be sent to a worker even if the objects
 * cannot, and does not change if the caller modifies them. Strings stay, because a session file can have megabytes, and
 * numbers, because a worker reads the number of a session. Throws `invalid_option` if JSON cannot represent an object.
 */
export function serialized<Members extends Head>(head: Members): { [Key in keyof Members]: Members[Key] | Uint8Array } {
  const members: Head = {};
  for (const [key, value] of Object.entries(head)) {
    const asIs = value !== Object(value) || value instanceof Uint8Array;
    members[key] = asIs ? value : new TextEncoder().encode(json(key, value));
  }
  return members as { [Key in keyof Members]: Members[Key] | Uint8Array };
}

/** Returns the byte offset of the messages in a request that has them. */
export function messagesAt(pieces: Pieces): number {
  return pieces
    .slice(0, -2)
    .reduce((at, piece) => at + (typeof piece === "string" ? utf8Length(piece) : piece.length), 0);
}

function json(name: string, value: unknown): string {
  try {
    const text = JSON.stringify(value);
    if (typeof text === "string") return text;
  } catch (cause) {
    throw new CtxfoldError("invalid_option", `${name} cannot be written as JSON: ${messageOf(cause)}`, {
      path: name,
      cause,
    });
  }
  throw new CtxfoldError("invalid_option", `${name} is a ${typeof value}, which JSON does not have`, { path: name });
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Returns the error in the answer to a request. If its offset is within the messages, it is converted to an offset in
 * the caller's text.
 */
export function errorOf(bytes: Uint8Array, request: Pieces, source?: Transcript): CtxfoldError {
  const { code, message, path, offset } = JSON.parse(decode(bytes)) as CtxfoldError;
  const at = source ? offset - messagesAt(request) : -1;
  if (!source || at < 0) return new CtxfoldError(code, message, { path, offset });
  return new CtxfoldError(code, message, {
    path: path || "messages",
    offset: Math.min(at, source.size()),
  });
}

/** Returns the members of an answer, decoded, except those whose names are in `without`. */
export function valuesOf(answer: Answer, ...without: string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, bytes] of answer) {
    if (!without.includes(key)) values[key] = JSON.parse(decode(bytes));
  }
  return values;
}

/** Returns a value of an answer, decoded; undefined if the answer doesn't have it. */
// biome-ignore lint/suspicious/noExplicitAny: like JSON.parse
export function valueIn(answer: Answer, name: string): any {
  const bytes = answer.get(name);
  return bytes && JSON.parse(decode(bytes));
}

/** Returns the requests for summaries in an answer; an empty list if there are none. */
export function requestsOf(answer: Answer): SummaryRequest[] {
  return valueIn(answer, "requests") ?? [];
}

/**
 * Returns the result in the answer of `plan`, `step` or `fit`: pending if it has requests for summaries, otherwise
 * finished. Throws `invalid_option` if the plan was made for messages in another form.
 */
export function pendingOrDone<M extends Messages>(answer: Answer, source: Transcript): Pending | Done<M> {
  return requestsOf(answer).length > 0 ? (valuesOf(answer) as unknown as Pending) : doneOf<M>(answer, source);
}

/** Returns the finished result in an answer, with its messages in the form in which the caller passed them. */
export function doneOf<M extends Messages>(answer: Answer, source: Transcript): Done<M> {
  return Object.assign(withMessages(answer, source), { requests: [] }) as unknown as Done<M>;
}

/** Returns the decoded answer with its messages in the form in which the caller passed them. */
export function withMessages(answer: Answer, source: Transcript): object {
  return Object.assign(valuesOf(answer, "messages", "edits"), { messages: source.restore(answer) });
}
