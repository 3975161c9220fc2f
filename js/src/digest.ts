/** Recognizes and reads the messages that compactions wrote, so that an app can display them as such. */
import type { Engine } from "./engine.js";
import { valuesOf } from "./envelope.js";
import { CtxfoldError } from "./errors.js";
import { checkOptions, type Names } from "./options.js";
import { transcript } from "./transcript.js";
import type { Detection, Digest, Format, Message, Policy } from "./types.js";

/** The beginnings of messages that a compaction writes in the user or system role. */
const MARKERS = [
  "[session digest — older turns condensed]",
  "[branch digest — archived from a path not taken]",
  "[Conversation summary — earlier messages were compacted]",
  "[Previous conversation summary]",
  "[Context compacted: ",
  "[Restored file after compaction]",
  "[Summary] ",
  "[Summary. Handle: ",
  "[Tool calls and results of this turn, as text]",
  "[Tool calls and results of this turn, as text. Handle: ",
];

/** The beginning of messages that a compaction may also write in the assistant role. */
const HEADING = /^## Session Summary(?: \(|\n(?:Handle of|Compaction Round))/;

/** The complete texts of messages whose only purpose is to alternate roles. */
const TURNS = ["[Noted.]", "[The conversation goes on from here.]"];

/** Message types for digests in applications that have such a type. */
const TYPES = ["compactionSummary", "branchSummary", "compaction_summary", "branch_summary"];

/**
 * Reports whether a compaction wrote the message, for example a digest, so that a chat can show it as a note rather
 * than as somebody's words. This works for any wire format and without the module, but only checks the beginning of
 * the message. Text that a user pasted may begin in the same way, so `own` of {@link Digest} is more reliable.
 */
export function isDigest(message: unknown): boolean {
  const { role } = Object(message) as { role?: unknown };
  if (TYPES.includes(role as string)) return true;
  const texts = textsOf(message);
  const [first = ""] = texts;
  if (texts.length === 1 && TURNS.includes(first)) return true;
  if (HEADING.test(first)) return true;
  return !isAnswer(message) && MARKERS.some((marker) => first.startsWith(marker));
}

/**
 * Reports whether the message is output of the model or a tool, which could imitate the markers. Digests in the
 * assistant role have a heading of their own instead.
 */
function isAnswer(message: unknown): boolean {
  const { role, type, id } = Object(message) as { role?: unknown; type?: unknown; id?: unknown };
  const speaker = role ?? (type === "constructor" && Array.isArray(id) ? id.at(-1) : type);
  return /^(?:assistant|model|ai|tool|function)|^AIMessage|_output$|toolResult/i.test(String(speaker));
}

/** The members that contain the text of a message, in any wire format. */
const HOLDERS = ["content", "contents", "parts", "kwargs", "data", "text", "value"] as const;

/** Returns the texts of a message or a part, in order, without reasoning, files and images. */
function textsOf(part: unknown): string[] {
  if (typeof part === "string") return [part];
  if (Array.isArray(part)) return part.flatMap(textsOf);
  if (typeof part !== "object" || part === null) return [];
  const { type } = part as { type?: unknown };
  if (type === "reasoning" || type === "thinking" || type === "file" || type === "image") return [];
  const holder = HOLDERS.find((name) => name in part && (part as Record<string, unknown>)[name] !== null);
  return holder === undefined ? [] : textsOf((part as Record<string, unknown>)[holder]);
}

/** Options of `digestOf`. */
export interface DigestOptions<Source = unknown> {
  /** The policy of the compaction. It is needed if it names a preset, or a format that should not be detected. */
  policy?: Policy;
  /** The module, or a source to load it from. Default: the package's own. */
  module?: Source;
}

const DIGEST_OPTIONS: Names<DigestOptions> = { policy: true, module: true };

/**
 * Parses a message that a compaction wrote into data to display: its headings and lines, the lists that code added
 * (requests, files, commands, errors), and the handle of the messages that it replaces. Resolves to undefined for any
 * other message. A compactor's `digests` does the same for a whole list, and uses the state too.
 */
export type DigestOf<Source> = (message: Message, options?: DigestOptions<Source>) => Promise<Digest | undefined>;

/** Returns the `digestOf` function for one platform. It creates one compactor per module with the given function. */
export function digestReader<Source>(create: (options: { module?: Source }) => unknown): DigestOf<Source> {
  const made = new Map<Source | undefined, Engine>();
  return async (message, options = {}) => {
    checkOptions(options, DIGEST_OPTIONS, "digestOf");
    if (!isDigest(message)) return undefined;
    const { module, policy } = options;
    const engine = made.get(module) ?? ((await create(module === undefined ? {} : { module })) as Engine);
    made.set(module, engine);
    await engine.ready();
    const source = transcript([message]);
    const read = async (policy: Policy | undefined) =>
      valuesOf(await engine.runOperation({ op: "digests", head: { policy }, source })).digests as Digest[];
    const [digest] = await read(policy).catch(async (error) => {
      if (!(error instanceof CtxfoldError && ["ambiguous_format", "unknown_format"].includes(error.code))) throw error;
      // The digest's text is the same in all candidate formats, so any of them will do. If no format is certain, the
      // nearest one is used.
      const { candidates } = valuesOf(
        await engine.runOperation({ op: "detect", head: {}, source }),
      ) as unknown as Detection;
      return read({ ...policy, format: candidates[0]?.format as Format });
    });
    return digest;
  };
}
