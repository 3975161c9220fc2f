/** Reads the files that commands work on, and locates errors in them. */
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { Compactor } from "../compactor.js";
import { CtxfoldError } from "../errors.js";
import type { Session } from "../types.js";
import { InputError, UsageError } from "./errors.js";
import type { Given } from "./flags.js";
import { plural } from "./table.js";
import { reasonOf } from "./write.js";

/** Text, and its name in error messages. */
export interface Source {
  /** How error messages name it. */
  name: string;
  /** The bytes of the text, in UTF-8. */
  text: Uint8Array;
  /** The number of bytes in the file before the text. */
  skipped: number;
}

/** A transcript from a file, or the conversation of a session file. */
export interface Read {
  /** The file, for the places of errors. */
  source: Source;
  /** The name of the file, with the agent if it is a session file. */
  name: string;
  /** The messages in the form that the compactor's methods accept. */
  messages: Uint8Array | Session<Uint8Array>;
  /** The session file's conversation; undefined for a transcript. */
  session?: Session<Uint8Array>;
  /** The error with which the file could not be read as a session file. */
  noSession?: CtxfoldError;
}

/** Types of files that users may pass by mistake, by their first bytes, with a command that turns them into JSON. */
const CODINGS: [mark: number[], name: string, way: string][] = [
  [[0x1f, 0x8b], "compressed with gzip", "gunzip -c FILE | ctxfold … -"],
  [[0x28, 0xb5, 0x2f, 0xfd], "compressed with zstd", "zstd -dc FILE | ctxfold … -"],
  [[0x50, 0x4b, 0x03, 0x04], "a ZIP archive", "unzip -p FILE | ctxfold … -"],
  [[0xff, 0xfe], "UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE | ctxfold … -"],
  [[0xfe, 0xff], "UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE | ctxfold … -"],
];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

const startsWith = (text: Uint8Array, mark: readonly number[]) => mark.every((byte, i) => text[i] === byte);

/**
 * Returns the FILE argument. The default is standard input, unless that is a terminal. Throws a `UsageError` if there
 * is more than one, or no input.
 */
export function fileArgument({ positionals }: Given, command: string): string {
  const [file, more] = positionals;
  if (more !== undefined) throw new UsageError(`there is one FILE too many: ${more}`, command);
  if (file === undefined && process.stdin.isTTY) {
    throw new UsageError("there is no input: name a FILE, or pipe one in", command);
  }
  return file ?? "-";
}

/** Reads a JSON file; "-" is standard input. Throws if it can't be read or has another format. */
export async function readJson(file: string): Promise<Source> {
  const name = file === "-" ? "standard input" : file;
  let text: Uint8Array;
  try {
    text = file === "-" ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw new Error(`cannot read ${name}: ${reasonOf(error)}`, { cause: error });
  }
  for (const [mark, what, way] of CODINGS) {
    if (startsWith(text, mark)) {
      throw new Error(`${name} is ${what}: convert it first, for example with \`${way}\``);
    }
  }
  // JSON allows no byte order mark, but some editors write one.
  const skipped = startsWith(text, BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  text = text.subarray(skipped);
  if (text.every((byte) => byte === 32 || (byte >= 9 && byte <= 13))) {
    throw new Error(`${name} is empty: it must hold JSON`);
  }
  return { name, text, skipped };
}

/**
 * Extracts the conversation if the source is a session file. Throws an `InputError` for a session file that can't be
 * read.
 */
export function transcriptOf(compactor: Compactor, source: Source): Read {
  try {
    const session = compactor.open(source.text);
    const name = `${source.name} (${agentOf(session)} session)`;
    return { source, name, messages: session, session };
  } catch (error) {
    if (!(error instanceof CtxfoldError)) throw error;
    if (error.code !== "unknown_session") throw new InputError(error, where(source, error.offset));
    return { source, name: source.name, messages: source.text, noSession: error };
  }
}

/**
 * Returns an operation's error with its position in the file, or with the name of the option that caused it. If the
 * file is JSON lines, the error says how to convert it. Other errors are returned unchanged.
 */
export function located(error: unknown, { source, name, session, noSession }: Read, given: Given): unknown {
  if (!(error instanceof CtxfoldError)) return error;
  const [option = ""] = /^(policy|state)\b/.exec(error.path) ?? [];
  if (given.has(option)) {
    const value = given.text(option);
    return new InputError(error, value.trim().startsWith("{") ? `--${option}` : value.replace(/^@/, ""));
  }
  if (!/^messages\b/.test(error.path)) return error;
  if (session) return new InputError(error, name);
  const lines = error.code === "invalid_json" && kindOfLines(source.text);
  if (lines === "transcripts") {
    return new Error(`${source.name} has a transcript in each line: compact each line by itself`);
  }
  if (lines === "messages") {
    return new Error(
      `${source.name} has a message in each line: put them into a list, for example with \`jq -s . FILE | ctxfold … -\``,
    );
  }
  // If a transcript is followed by another object, the file was probably meant to be JSON lines.
  if (noSession && error.code === "invalid_json" && isJson(source.text.subarray(0, error.offset))) {
    if (source.text[error.offset] === 0x7b) return new InputError(noSession, where(source, 0));
  }
  return new InputError(error, where(source, error.offset));
}

/** Formats a position in a file, as in "session.json, line 3, column 14 (byte 207)". */
export function where({ name, text, skipped }: Source, offset: number): string {
  const { line, column } = position(text, offset);
  return `${name}, line ${line}, column ${column} (byte ${offset + skipped})`;
}

/** Returns the line and the column of a byte offset, counted from 1. Columns are code points. */
export function position(text: Uint8Array, offset: number): { line: number; column: number } {
  const lines = new TextDecoder().decode(text.subarray(0, offset)).split("\n");
  return { line: lines.length, column: 1 + [...(lines.at(-1) ?? "")].length };
}

function isJson(text: Uint8Array): boolean {
  return parsed(text) !== undefined;
}

function parsed(text: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(text));
  } catch {
    return undefined;
  }
}

/**
 * Determines from its first line what each line of a JSON lines file is: a transcript or a message. Returns undefined
 * if it is neither, or if the file has only one line.
 */
function kindOfLines(text: Uint8Array): "transcripts" | "messages" | undefined {
  const end = text.indexOf(0x0a);
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  const first: any = end < 0 ? undefined : parsed(text.subarray(0, end));
  if (first === undefined || first === null || text.subarray(end).every((byte) => byte <= 32)) return undefined;
  const lists = [first.messages, first.input, first.contents];
  if (Array.isArray(first) || lists.some((list) => Array.isArray(list) && list.length > 0)) return "transcripts";
  return typeof first.role === "string" && (first.content ?? first.parts) !== undefined ? "messages" : undefined;
}

/** The names of agents, by the kind of their session files. */
const AGENTS: Record<string, string> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  goose: "Goose",
  openhands: "OpenHands",
  copilot: "GitHub Copilot",
  letta: "Letta",
  librechat: "LibreChat",
  llamaindex: "LlamaIndex",
  "open-webui": "Open WebUI",
  "roo-code": "Roo Code",
  "semantic-kernel": "Semantic Kernel",
};

const agentOf = ({ kind }: Session<unknown>) => AGENTS[kind] ?? kind;

/** Returns the report's line about a session file as a name and a value. Both are empty for other files. */
export function readFact({ session }: Read): readonly [string, string] {
  if (!session) return ["", ""];
  return ["read", `${agentOf(session)} session, ${session.format}, ${plural(messageCount(session), "message")}`];
}

/** Returns the number of messages in a session. */
export const messageCount = ({ messages }: Session<Uint8Array>): number =>
  JSON.parse(new TextDecoder().decode(messages)).length;
