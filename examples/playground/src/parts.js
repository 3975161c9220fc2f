// What a message is made of, in every wire format: enough to colour it, not to compact it.

/** The kinds in the order in which they are shown. */
export const KINDS = ["system", "user", "assistant", "reasoning", "calls", "results", "images"];

/** What a part's type says about it. @type {[RegExp, string][]} */
const TYPES = [
  [/reasoning|thinking/, "reasoning"],
  [/result|output$|_output|function_response/, "results"],
  [/tool|function_call|custom_tool|call$/, "calls"],
  [/image|audio|file|document|media/, "images"],
];

/** Members that say what a part is where it has no type, or that a message holds beside its content. */
const MEMBERS = {
  functionResponse: "results",
  functionCall: "calls",
  inlineData: "images",
  fileData: "images",
  tool_calls: "calls",
  reasoning_content: "reasoning",
};

/** @param {any} message */
export function roleOf(message) {
  if (message.role) return message.role === "model" ? "assistant" : message.role;
  return (
    { function_call_output: "tool", function_call: "assistant", reasoning: "assistant" }[message.type] ?? "assistant"
  );
}

/** @param {any} part @param {string} text the kind of plain text */
function kindOf(part, text) {
  if (typeof part === "string") return text;
  for (const [member, kind] of Object.entries(MEMBERS)) if (part?.[member]) return kind;
  if (part?.thought) return "reasoning";
  const type = String(part?.type ?? "text");
  // `output_text` is what the assistant says, not the output of a tool.
  if (/text$/.test(type) && !/reasoning/.test(type)) return text;
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? text;
}

/**
 * Shares a message's tokens out over kinds, by how long the JSON of its parts is.
 * @param {any} message @param {number} tokens
 * @returns {Record<string, number>}
 */
export function shares(message, tokens) {
  const role = roleOf(message);
  const text =
    role === "tool" ? "results" : /system|developer/.test(role) ? "system" : role === "user" ? "user" : "assistant";
  const content = message.content ?? message.parts;
  /** @type {Record<string, number>} */
  const lengths = {};
  const add = (/** @type {string} */ kind, /** @type {unknown} */ value) => {
    lengths[kind] = (lengths[kind] ?? 0) + JSON.stringify(value).length;
  };
  if (Array.isArray(content)) for (const part of content) add(kindOf(part, text), part);
  else if (content) add(text, content);
  else if (message.type) add(kindOf(message, text), message);
  for (const member of ["tool_calls", "reasoning_content"]) {
    if (message[member]) add(/** @type {any} */ (MEMBERS)[member], message[member]);
  }
  const whole = Object.values(lengths).reduce((sum, length) => sum + length, 0);
  if (whole === 0) return { [text]: tokens };
  return Object.fromEntries(Object.entries(lengths).map(([kind, length]) => [kind, (tokens * length) / whole]));
}

const PREVIEW = 240;

/** The beginning of what a message says. @param {any} message */
export function preview(message) {
  let text = "";
  const walk = (/** @type {any} */ value) => {
    if (text.length > PREVIEW || value === null || value === undefined) return;
    if (typeof value === "string") text += `${value} `;
    else if (Array.isArray(value)) value.forEach(walk);
    else if (typeof value === "object") {
      for (const [name, each] of Object.entries(value)) {
        if (!/^(type|role|id|signature|data|encrypted_content|call_id|tool_call_id|tool_use_id|status)$/.test(name))
          walk(each);
      }
    }
  };
  walk(message);
  text = text.replace(/\s+/g, " ").trim();
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text;
}

/** Tokens by kind, of messages with these tokens. @param {any[]} messages @param {number[]} tokens */
export function byKind(messages, tokens) {
  /** @type {Record<string, number>} */
  const sums = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  for (const [i, message] of messages.entries()) {
    for (const [kind, share] of Object.entries(shares(message, tokens[i] ?? 0))) sums[kind] += share;
  }
  return sums;
}
