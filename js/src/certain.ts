/**
 * Decides without the module whether a history certainly fits. A token has at least one byte, so the size of the JSON
 * in bytes, plus a bound for images and files, is an upper bound for the number of tokens. For most chats even this
 * bound is below the limit. Whenever this file finds something that it doesn't recognize, such as an unusual policy,
 * option or message, the module decides.
 */
import { serialize } from "./live.js";
import type { Transcript } from "./transcript.js";
import type { CallOptions, Format, Policy, Report } from "./types.js";
import type { Counted } from "./usage.js";

/** A history that the module can certainly read, with the limits of its policy. */
export interface Candidate {
  /** The messages. */
  readonly list: readonly unknown[];
  /** The wire format of the messages. */
  readonly format: Format;
  /** The model's window, in tokens. */
  readonly window: number;
  /** A compaction is due if there are more tokens than this. */
  readonly limit: number;
  /** Up to this many tokens no compaction is due, and none starts in the background. */
  readonly most: number;
  /**
   * The tokens for framing, images and files. If `counted` is set, only those of the messages after the provider's
   * count are included.
   */
  readonly fixed: number;
  /**
   * The provider's count in tokens, the JSON of the messages that it doesn't cover, and the value of `fixed` for all
   * messages.
   */
  readonly counted: { tokens: number; tail: string; beside: number } | undefined;
  /** Whether the messages are in a request body. */
  readonly within: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Values of the preset `default` (core/internal/policy/presets.go). */
const RATIO = 0.8;
const TARGET = 0.6;
const LARGEST_RESERVE = 16_384;
const MOST_TOKENS = 1_000_000_000;

/** The maximum number of tokens that the estimator adds for an image or a file, and for the framing of a message. */
const FILE = 1600;
const FRAMING = 8;
/** Models for which the tokens of an image depend on its pixels, so that a small file may cost many. */
const BY_PIXELS = /gemini|gemma/i;

/** Values that are nested more deeply than this are left to the module. */
const DEPTH = 32;

/** The content of a part: text, a tool call, a file, or a tool result under the key `content` or `output`. */
type Kind = "text" | "call" | "file" | "content" | "output";

/** The shape of messages in a format, as far as this file recognizes it. */
interface Shape {
  /** The key of the messages in a request body. */
  readonly list: "messages" | "input" | "contents";
  /** The roles that a message may have. */
  readonly roles: readonly string[];
  /** The key of a message's text or parts. */
  readonly holder: "content" | "parts";
  /** Returns whether a message may have this content instead of parts. */
  readonly without: (content: unknown) => boolean;
  /** The types of parts; undefined if parts have no type. */
  readonly types?: Readonly<Record<string, Kind>>;
}

const isText = (value: unknown): value is string => typeof value === "string";

const SHAPES: Readonly<Partial<Record<Format, Shape>>> = {
  plain: { list: "messages", roles: ["system", "user", "assistant"], holder: "content", without: isText, types: {} },
  "openai-chat": {
    list: "messages",
    roles: ["system", "developer", "user", "assistant", "tool"],
    holder: "content",
    without: (content) => isText(content) || content === null,
    types: { text: "text", refusal: "text", image_url: "file", input_audio: "file", file: "file" },
  },
  anthropic: {
    list: "messages",
    roles: ["user", "assistant"],
    holder: "content",
    without: isText,
    types: {
      text: "text",
      thinking: "text",
      redacted_thinking: "text",
      image: "file",
      document: "file",
      tool_use: "call",
      tool_result: "content",
    },
  },
  "ai-sdk": {
    list: "messages",
    roles: ["system", "user", "assistant", "tool"],
    holder: "content",
    without: isText,
    types: {
      text: "text",
      reasoning: "text",
      image: "file",
      file: "file",
      "tool-call": "call",
      "tool-result": "output",
    },
  },
  "ai-sdk-ui": {
    list: "messages",
    roles: ["system", "user", "assistant"],
    holder: "parts",
    without: () => false,
    types: { text: "text", reasoning: "text", "step-start": "text", file: "file" },
  },
  "openai-responses": {
    list: "input",
    roles: ["system", "developer", "user", "assistant"],
    holder: "content",
    without: isText,
    types: { input_text: "text", output_text: "text", refusal: "text", input_image: "file", input_file: "file" },
  },
  gemini: { list: "contents", roles: ["user", "model"], holder: "parts", without: () => false },
};

/** Keys of messages and parts whose values may be objects, because the model doesn't see them. */
const ASIDE = ["metadata", "providerOptions", "providerMetadata", "callProviderMetadata", "cache_control", "createdAt"];

/** Returns the history if all of it is recognized, otherwise undefined. It is read synchronously. */
export function candidate(
  history: unknown,
  policy: Policy,
  options: CallOptions | undefined,
  usage: Counted | null | undefined,
): Candidate | undefined {
  const limits = limitsOf(policy);
  if (!limits || !isPlain(options ?? {}) || Object.values(options ?? {}).some((value) => value !== undefined)) {
    return undefined;
  }
  const given = parsed(history, limits.most);
  const within = !Array.isArray(given);
  if (within && !isBody(given)) return undefined;
  const format = formatOf(policy.format, given);
  const shape = format && SHAPES[format];
  const list = within && shape ? (given as Fields)[shape.list] : given;
  if (!format || !shape || !Array.isArray(list)) return undefined;
  const files = list.length * FRAMING > limits.most ? undefined : filesIn(list, shape);
  const model = `${policy.model ?? ""} ${within ? (given as Fields).model : ""}`;
  if (files === undefined || (files > 0 && (BY_PIXELS.test(model) || format === "gemini"))) return undefined;
  const whole = { ...limits, list, format, within, fixed: FILE * files + FRAMING * list.length, counted: undefined };
  return usage ? countedTail(whole, shape, usage) : whole;
}

/** Returns an upper bound of the history's tokens, or Infinity if it is above `most` even without encoding the text. */
export function upperBound({ fixed, counted, most }: Candidate, source: Transcript): number {
  const units = source.pieces?.reduce((sum, piece) => sum + piece.length, 0) ?? source.piece.length;
  // The module replaces a count below an eighth of its estimate with that eighth.
  const share = counted ? 8 : 1;
  // There are at least as many bytes as UTF-16 units, so a long text need not be encoded.
  if (fixed + units / share > most) return Number.POSITIVE_INFINITY;
  const bytes = source.size();
  if (!counted) return fixed + bytes;
  return fixed + Math.max(counted.tokens, Math.ceil((counted.beside + bytes) / share)) + bytesOf(counted.tail);
}

/** Returns the report for a history that certainly fits. */
export function reportOf(
  { list, format, limit, window, within }: Candidate,
  tokens: number,
  source: Transcript,
): Report {
  const messages = list.length;
  const bytes = within ? bytesOf(serialize(list)) : source.size();
  return {
    reason: "under_budget",
    changed: false,
    fits: true,
    preset: "default",
    format,
    estimator: "script",
    tokens: { before: tokens, after: tokens, limit, window, source: "upper_bound", bound: 100 },
    messages: { before: messages, after: messages },
    cleared: 0,
    truncated: 0,
    folded: 0,
    dropped: 0,
    restored: 0,
    repaired: 0,
    stable_prefix: { messages, bytes, tokens },
    summary: { source: "none" },
    actions: [],
  };
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** Reports whether a value is an object that has only these keys, each with a valid value, or undefined. */
function has(value: unknown, members: Readonly<Record<string, (value: never) => boolean>>): boolean {
  return (
    isPlain(value) &&
    Object.entries(value).every(([name, member]) => {
      const fits = Object.hasOwn(members, name) ? members[name] : undefined;
      return member === undefined || fits?.(member as never) === true;
    })
  );
}

const isPlain = (value: unknown): value is Fields => {
  if (typeof value !== "object" || value === null) return false;
  const kind = Object.getPrototypeOf(value);
  return (kind === Object.prototype || kind === null) && typeof (value as Fields).toJSON !== "function";
};
const isShare = (share: number) => share > 0 && share <= 1;
const isCount = (n: number) => Number.isInteger(n) && n >= 0 && n <= MOST_TOKENS;
const among =
  (...words: string[]) =>
  (word: string) =>
    words.includes(word);

/** The keys of policies that are recognized, with checks for their values. */
const POLICY = {
  preset: among("default"),
  format: isText,
  model: isText,
  estimator: among("script"),
  archive: among("places", "bodies"),
  window: (window: unknown) => has(window, { tokens: isCount, reserve: isCount }),
  gate: (gate: unknown) => has(gate, { ratio: isShare, target: isShare, min_gain: isShare, start: isShare }),
  summary: (summary: unknown) =>
    has(summary, {
      mode: among("model", "local", "minimal"),
      instructions: (text: string) => isText(text) && text.length < 10_000,
      max_output_tokens: isCount,
      max_input_tokens: isCount,
    }),
};

/** Returns the limits that a policy sets; undefined if something in it is not recognized. */
function limitsOf(policy: Policy): { window: number; limit: number; most: number } | undefined {
  if (!has(policy, POLICY)) return undefined;
  const { tokens: window = 0, reserve = Math.min(LARGEST_RESERVE, Math.floor(window / 8)) } = policy.window ?? {};
  const { ratio = RATIO, target = TARGET, start = 0 } = policy.gate ?? {};
  const limit = Math.floor((window - reserve) * ratio);
  if (limit < 1 || (start !== 0 && !(start > target && start < 1))) return undefined;
  return { window, limit, most: start === 0 ? limit : Math.floor(limit * start) };
}

/**
 * Parses a history that is text or bytes. Returns undefined if that is longer than `most` or not JSON as `stringify`
 * writes it. Any other history is returned unchanged.
 */
function parsed(history: unknown, most: number): unknown {
  if (!isText(history) && !(history instanceof Uint8Array)) return history;
  if (history.length > most) return undefined;
  try {
    const text = isText(history) ? history : new TextDecoder("utf-8", { fatal: true }).decode(history);
    const value = JSON.parse(text);
    // If the text differs, it may contain a key twice, which the module rejects.
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether a value is a request body rather than a result of `open`. */
const isBody = (value: unknown): boolean => isPlain(value) && !(isText(value.kind) && isText(value.format));

/**
 * Returns the policy's format or, if it has none, the format that the module is certain to detect; undefined if it
 * might detect another one.
 */
function formatOf(named: Policy["format"], given: unknown): Format | undefined {
  if (named !== undefined && named !== "auto") return named;
  if (!Array.isArray(given)) return undefined;
  const said = { role: isText, id: isText, createdAt: () => true };
  if (given.every((message) => has(message, { ...said, content: isText }))) return "plain";
  const shown = { ...said, parts: (parts: unknown[]) => parts.length > 0, metadata: isPlain };
  return given.every((message) => has(message, shown) && isText((message as Fields).id)) ? "ai-sdk-ui" : undefined;
}

/** Returns the maximum number of files that the messages may contain, or undefined if something is not recognized. */
function filesIn(list: readonly unknown[], shape: Shape): number | undefined {
  if (typeof (list as { toJSON?: unknown }).toJSON === "function") return undefined;
  return sum(list, (message) => filesInMessage(message, shape));
}

function sum(list: readonly unknown[], of: (value: unknown) => number | undefined): number | undefined {
  let files = 0;
  for (const value of list) {
    const more = of(value);
    if (more === undefined) return undefined;
    files += more;
  }
  return files;
}

function filesInMessage(message: unknown, shape: Shape): number | undefined {
  if (!isPlain(message)) return undefined;
  const { holder, types } = shape;
  if (shape.list === "input" && message.role === undefined) return isItem(message) ? 0 : undefined;
  const { role, tool_calls: calls } = message;
  const held = message[holder];
  if (!shape.roles.includes(role as string) || !isSimple(message, [holder, "tool_calls"])) return undefined;
  if (calls !== undefined && !(Array.isArray(calls) && calls.every(isCall))) return undefined;
  if (shape.without(held)) return 0;
  if (!Array.isArray(held)) return undefined;
  return sum(held, (part) => (types ? filesInPart(part, types) : filesInGemini(part)));
}

/** Reports whether an item of the Responses API is a function call, or the result of one as text. */
const isItem = ({ type, ...item }: Fields): boolean =>
  (type === "function_call" && has(item, { id: isText, call_id: isText, name: isText, arguments: isText })) ||
  (type === "function_call_output" && has(item, { id: isText, call_id: isText, output: isText }));

const isCall = (call: unknown) =>
  isPlain(call) && isSimple(call, ["function"]) && has(call.function, { name: isText, arguments: isText });

/** Reports whether all values except those under the keys in `but` and ASIDE are primitive. */
const isSimple = (value: Fields, but: readonly string[]): boolean =>
  Object.entries(value).every(
    ([name, member]) => typeof member !== "object" || member === null || but.includes(name) || ASIDE.includes(name),
  );

/** Reports whether the values under the keys for text are strings or missing. */
const isSaid = ({ text, thinking }: Fields) => [text, thinking].every((said) => said === undefined || isText(said));

function filesInPart(part: unknown, types: NonNullable<Shape["types"]>): number | undefined {
  if (!isPlain(part) || !isText(part.type) || !isSaid(part)) return undefined;
  switch (Object.hasOwn(types, part.type) ? types[part.type] : undefined) {
    case "text":
      return isSimple(part, []) ? 0 : undefined;
    case "call":
      return isSimple(part, ["input"]) ? nested(part.input) : undefined;
    case "file":
      return 1 + objectsIn(part);
    case "content":
      if (!isSimple(part, ["content"])) return undefined;
      if (Array.isArray(part.content)) return sum(part.content, (inner) => filesInPart(inner, types));
      return isText(part.content ?? "") ? 0 : undefined;
    case "output":
      return isSimple(part, ["output", "input"]) && isPlain(part.output) && isText(part.output.type)
        ? objectsIn(part.output)
        : undefined;
    default: // a tool of UI messages
      if (!("step-start" in types) || !/^tool-./.test(part.type) || !isSimple(part, ["input", "output"]))
        return undefined;
      return isText(part.toolCallId) && isText(part.state) ? objectsIn(part.output) : undefined;
  }
}

function filesInGemini(part: unknown): number | undefined {
  if (!isPlain(part) || !isSaid(part) || !isSimple(part, ["functionCall", "functionResponse"])) return undefined;
  const said = { id: isText, name: isText, args: isPlain, response: isPlain };
  const { functionCall = {}, functionResponse = {} } = part;
  return has(functionCall, said) && has(functionResponse, said) ? objectsIn(functionResponse) : undefined;
}

/** Returns 0, because a plain value contains no file, or undefined if the value is nested too deeply. */
const nested = (value: unknown) => (objectsIn(value) < Number.POSITIVE_INFINITY ? 0 : undefined);

/**
 * Returns how many objects in a value have a string as `type`, because each of them may be a file. Returns Infinity if
 * the value is nested more than DEPTH levels deep.
 */
function objectsIn(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > DEPTH) return Number.POSITIVE_INFINITY;
  let files = isText((value as Fields).type) ? 1 : 0;
  for (const member of Object.values(value)) files += objectsIn(member, depth + 1);
  return files;
}

/** Returns the history with the provider's count added to it; undefined if the count is not recognized. */
function countedTail(whole: Candidate, shape: Shape, usage: Counted): Candidate | undefined {
  const { message, exact: _, total_tokens: total = 0, ...counts } = usage;
  const { list } = whole;
  const last = message < 0 ? message + list.length : message;
  const parts = {
    input_tokens: isCount,
    cache_read_tokens: isCount,
    cache_write_tokens: isCount,
    output_tokens: isCount,
  };
  if (!isCount(total) || !has(counts, parts) || !Number.isInteger(last) || !(last in list)) return undefined;
  const tokens =
    total || Object.values<number | undefined>(counts).reduce<number>((all, count) => all + (count ?? 0), 0);
  if (tokens === 0) return whole;
  const tail = list.slice(last + 1);
  const files = filesIn(tail, shape) ?? 0;
  const fixed = FILE * files + FRAMING * tail.length;
  return { ...whole, fixed, counted: { tokens, tail: serialize(tail), beside: whole.fixed } };
}
