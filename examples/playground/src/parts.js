// Splits messages of every wire format into parts, well enough to display and color them, but not to compact them.

/** The kinds of parts, in display order. */
export const KINDS = ["digest", "system", "user", "assistant", "reasoning", "calls", "results", "images"];

/**
 * A piece of a message, for display.
 * @typedef {{kind: string, text: string, name?: string, id?: string}} Part
 */

/** Determines the kind of a part by its type. @type {[RegExp, string][]} */
const TYPES = [
  [/reasoning|thinking|thought/, "reasoning"],
  [/result|output$|_output|function_response/, "results"],
  [/tool|function_call|custom_tool|call$/i, "calls"],
  [/image|audio|file|document|media/, "images"],
];

/** Determines the kind of a part without a type by its members. @type {Record<string, string>} */
const MEMBERS = {
  functionResponse: "results",
  toolResult: "results",
  functionCall: "calls",
  toolUse: "calls",
  reasoningContent: "reasoning",
  inlineData: "images",
  fileData: "images",
  image: "images",
};

/** Unwraps a message: LangChain and AG-UI put it in an envelope. @param {any} message */
const opened = (message) => message?.kwargs ?? (message?.data?.content === undefined ? message : message.data);

/** Returns the role of a message. @param {any} given @returns {string} */
export function roleOf(given) {
  const message = opened(given);
  const role = message.role ?? { human: "user", ai: "assistant", tool: "tool", system: "system" }[given.type];
  if (role) return /^(model|ai)$/.test(role) ? "assistant" : /^(toolResult|function)$/.test(role) ? "tool" : role;
  return /output$|result$/.test(message.type ?? "") ? "tool" : message.type === "user" ? "user" : "assistant";
}

/** Returns the kind of a part. @param {any} part @param {string} text the kind of plain text */
function kindOf(part, text) {
  if (typeof part === "string") return text;
  for (const [member, kind] of Object.entries(MEMBERS)) if (part?.[member]) return kind;
  if (part?.thought === true) return "reasoning";
  const type = String(part?.type ?? "text");
  // `output_text` is the assistant's text, not the output of a tool.
  if (/text$|^message$/.test(type) && !/reasoning/.test(type)) return text;
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? text;
}

/** Returns the parts of a message, in order. @param {any} given @returns {Part[]} */
export function partsOf(given) {
  const message = opened(given);
  const role = roleOf(given);
  const text =
    role === "tool" ? "results" : /system|developer/.test(role) ? "system" : role === "user" ? "user" : "assistant";
  const content = message.content ?? message.parts;
  /** @type {Part[]} */
  const parts = [];
  const thought = message.reasoning_content ?? message.reasoning;
  if (typeof thought === "string" && thought) parts.push({ kind: "reasoning", text: thought });
  if (typeof content === "string") {
    if (content) parts.push({ kind: text, text: content, ...(text === "results" && called(message)) });
  } else if (Array.isArray(content)) {
    for (const part of content) parts.push(...shown(part, text, message));
  } else if (message.type) {
    parts.push(...shown(message, text, message));
  }
  for (const call of message.tool_calls ?? message.toolCalls ?? [])
    parts.push(...shown({ ...call, type: "tool_call" }, text, message));
  return parts;
}

/**
 * Returns a part for display, and its result too if a call contains it.
 * @param {any} part
 * @param {string} text the kind of plain text
 * @param {any} message
 * @returns {Part[]}
 */
function shown(part, text, message) {
  const kind = kindOf(part, text);
  if (kind === "calls") {
    const call = { kind, ...called(part), text: written(argumentsOf(part)) };
    const output = part.output ?? part.result;
    return output === undefined ? [call] : [call, { kind: "results", ...called(part), text: plain(output) }];
  }
  if (kind === "results") {
    const { functionResponse, toolResult } = part;
    const body =
      functionResponse?.response ?? toolResult?.content ?? part.content ?? part.output ?? part.result ?? part.text;
    return [{ kind, ...called(part.type || functionResponse || toolResult ? part : message), text: plain(body) }];
  }
  if (kind === "images") return [{ kind, text: `[${part.type ?? "media"}]` }];
  if (kind === "reasoning") {
    const body = part.thinking ?? part.text ?? part.summary ?? part.content ?? part.reasoningContent;
    return [{ kind, text: plain(body) || "[encrypted]" }];
  }
  const body = plain(part);
  return body ? [{ kind, text: body }] : [];
}

/** Returns the name and the id of a call. @param {any} part */
function called(part) {
  const inner = part.function ?? part.functionCall ?? part.functionResponse ?? part.toolUse ?? part.toolResult ?? {};
  const name = part.name ?? part.toolName ?? part.tool_name ?? inner.name ?? /^tool-(.+)$/.exec(part.type ?? "")?.[1];
  const id =
    part.tool_use_id ??
    part.tool_call_id ??
    part.toolCallId ??
    part.call_id ??
    inner.toolUseId ??
    inner.id ??
    part.id ??
    "";
  return { ...(name && name !== "call" && name !== "result" && { name }), id: String(id) };
}

/** @param {any} part */
const argumentsOf = (part) =>
  part.input ??
  part.arguments ??
  part.args ??
  part.function?.arguments ??
  part.functionCall?.args ??
  part.toolUse?.input;

/** Returns the first argument that describes a call: a path, a command, or a query. @param {any} value @returns {string} */
function written(value) {
  if (typeof value === "string" && value.trimStart().startsWith("{")) {
    try {
      return written(JSON.parse(value));
    } catch {
      return value;
    }
  }
  if (typeof value !== "object" || value === null) return String(value ?? "");
  const first = Object.values(value).find((each) => typeof each === "string" && each);
  return typeof first === "string" ? first : JSON.stringify(value);
}

/** Returns all text in a value. @param {any} value @returns {string} */
function plain(value) {
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(plain).filter(Boolean).join("\n");
  for (const member of ["text", "content", "thinking", "value", "output", "result"]) {
    if (value[member] !== undefined && value[member] !== null) return plain(value[member]);
  }
  if (/image|audio|file|document|media/.test(value.type ?? "")) return `[${value.type}]`;
  return JSON.stringify(value);
}

/** The weight of an image relative to texts, in characters. */
const IMAGE = 5000;

/**
 * Returns how to divide a message's tokens among kinds, in proportion to the lengths of its parts.
 * @param {any} message
 * @returns {[string, number][]}
 */
export function shares(message) {
  /** @type {Map<string, number>} */
  const lengths = new Map();
  let whole = 0;
  for (const { kind, text, name } of partsOf(message)) {
    const length = kind === "images" ? IMAGE : text.length + (name?.length ?? 0) + 8;
    lengths.set(kind, (lengths.get(kind) ?? 0) + length);
    whole += length;
  }
  if (whole === 0) return [["assistant", 1]];
  return [...lengths].map(([kind, length]) => [kind, length / whole]);
}
