/** Messages that compactions have written: nobody in the conversation has said them, and an app shows them as what they are. */
import { valuesOf } from "./envelope.js";
import { CtxfoldError } from "./errors.js";
import { checkOptions, type Names } from "./options.js";
import type { Asking } from "./pool.js";
import { transcript } from "./transcript.js";
import type { Detection, Digest, Format, Message, Policy } from "./types.js";

/** What the messages begin with that compactions write in the name of the user or the system. */
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

/** What they begin with in the name of the assistant too. */
const HEADING = /^## Session Summary(?: \(|\n(?:Handle of|Compaction Round))/;

/** All that a message says which only lets the roles take turns. */
const TURNS = ["[Noted.]", "[The conversation goes on from here.]"];

/** The roles of applications that have a type for digests. */
const TYPES = ["compactionSummary", "branchSummary", "compaction_summary", "branch_summary"];

/**
 * Whether a message is one that a compaction has written, such as a digest: a chat shows it as a note, and as nobody's words. It looks at
 * what the message begins with, in any wire format, and needs no module. A text that somebody has pasted may begin the same: `own` of
 * {@link Digest} tells more.
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

/** Whether the model has said it: digests in the name of the assistant have a heading of their own, and no model can forge the others. */
function isAnswer(message: unknown): boolean {
  const { role, type, id } = Object(message) as { role?: unknown; type?: unknown; id?: unknown };
  const speaker = role ?? (type === "constructor" && Array.isArray(id) ? id.at(-1) : type);
  return /^(?:assistant|model|ai|tool|function)|^AIMessage|_output$|toolResult/i.test(String(speaker));
}

/** The members under which wire formats have what a message says. */
const HOLDERS = ["content", "parts", "kwargs", "data", "text"] as const;

/** The texts of a message. */
function textsOf(part: unknown): string[] {
  if (typeof part === "string") return [part];
  if (Array.isArray(part)) return part.flatMap(textsOf);
  if (typeof part !== "object" || part === null) return [];
  const { type } = part as { type?: unknown };
  if (type === "reasoning" || type === "thinking" || type === "file" || type === "image") return [];
  const holder = HOLDERS.find((name) => name in part && (part as Record<string, unknown>)[name] !== null);
  return holder === undefined ? [] : textsOf((part as Record<string, unknown>)[holder]);
}

export interface DigestOptions<Source = unknown> {
  /** The policy of the compaction, where it names a preset, or where the format should not be detected. */
  policy?: Policy;
  /** The module, or what it is made of; without it, the package's own. */
  module?: Source;
}

const DIGEST_OPTIONS: Names<DigestOptions> = { policy: true, module: true };

/**
 * What is in a message that a compaction has written, as data to show: its headings and lines, the lists that code has added (requests,
 * files, commands, errors), and the handle of the messages that it represents. Undefined for any other message. `digests` of a compactor
 * does the same for a whole list, and knows its state.
 */
export type DigestOf<Source> = (message: Message, options?: DigestOptions<Source>) => Promise<Digest | undefined>;

/** The reader over the compactors of one platform. */
export function digestReader<Source>(create: (options: { module?: Source }) => unknown): DigestOf<Source> {
  const made = new Map<Source | undefined, Asking>();
  return async (message, options = {}) => {
    checkOptions(options, DIGEST_OPTIONS, "digestOf");
    if (!isDigest(message)) return undefined;
    const { module, policy } = options;
    const asking = made.get(module) ?? ((await create(module === undefined ? {} : { module })) as Asking);
    made.set(module, asking);
    await asking.ready();
    const source = transcript([message]);
    const read = async (policy: Policy | undefined) =>
      valuesOf(await asking.ask({ op: "digests", head: { policy }, source })).digests as Digest[];
    const [digest] = await read(policy).catch(async (error) => {
      if (!(error instanceof CtxfoldError && error.code === "ambiguous_format")) throw error;
      // One text reads the same in all formats that it may be in.
      const { candidates } = valuesOf(await asking.ask({ op: "detect", head: {}, source })) as unknown as Detection;
      return read({ ...policy, format: candidates[0]?.format as Format });
    });
    return digest;
  };
}
