// Reads chats exported from ChatGPT and Claude.ai, as messages in the format `plain` or `anthropic`. Neither export is documented; this
// code reads what exports have contained since 2023.

/**
 * A conversation in an export. `messages` is called for the conversation that the user selects.
 * @typedef {{title: string, date: string, count: number, kind: string, format: string, model: string, messages: () => any[]}} Chat
 */

/** Returns the chats of an export, newest first, or undefined for other JSON. @param {any} json @returns {Chat[] | undefined} */
export function chatsOf(json) {
  const all = Array.isArray(json) ? json : Array.isArray(json?.conversations) ? json.conversations : [json];
  const chats = all.flatMap((/** @type {any} */ chat) =>
    isChatGPT(chat) ? [chatGPT(chat)] : isClaude(chat) ? [claude(chat)] : [],
  );
  if (chats.length === 0 || chats.length < all.length / 2) return undefined;
  return newestFirst(chats.filter(({ count }) => count > 0));
}

/** @param {Chat[]} chats */
export const newestFirst = (chats) => chats.sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0));

/** @param {any} chat */
const isChatGPT = (chat) => typeof chat?.mapping === "object" && chat.mapping !== null;
/** @param {any} chat */
const isClaude = (chat) => Array.isArray(chat?.chat_messages);

/** Reads a chat exported from ChatGPT. @param {any} chat @returns {Chat} */
const chatGPT = (chat) =>
  exported("ChatGPT", turns(branch(chat).map(plain)), {
    title: chat.title,
    time: chat.update_time ?? chat.create_time,
    model: chat.default_model_slug,
  });

/** Reads a chat exported from Claude.ai. @param {any} chat @returns {Chat} */
const claude = (chat) =>
  exported("Claude.ai", turns(chat.chat_messages.map(turn).filter(Boolean)), {
    title: chat.name,
    time: chat.updated_at ?? chat.created_at,
    model: chat.model,
  });

/**
 * Returns an exported chat with a default title, a date, and its messages.
 * @param {string} kind
 * @param {any[]} messages
 * @param {{title: any, time: any, model: any}} about
 * @returns {Chat}
 */
const exported = (kind, messages, { title, time, model }) => ({
  title: title || "Untitled",
  date: day(time),
  count: messages.length,
  kind,
  format: "plain",
  model: model ?? "",
  messages: () => messages,
});

/**
 * Returns the branch that ends with the current node, from the first message on. Edits and regenerated answers create other branches.
 * @param {any} chat
 */
function branch({ mapping, current_node: current }) {
  const found = [];
  const seen = new Set();
  for (let id = current ?? newestLeaf(mapping); id && mapping[id] && !seen.has(id); id = mapping[id].parent) {
    seen.add(id);
    const { message } = mapping[id];
    if (message && says(message)) found.push(message);
  }
  return found.reverse();
}

/** Finds the newest leaf, for older exports, which don't name a current node. @param {Record<string, any>} mapping */
function newestLeaf(mapping) {
  const leaves = Object.entries(mapping).filter(([, node]) => (node.children ?? []).length === 0);
  return leaves.reduce(
    (best, [id, node]) => {
      const time = node.message?.create_time ?? 0;
      return time >= best.time ? { id, time } : best;
    },
    { id: "", time: -1 },
  ).id;
}

/**
 * Reports whether a message says something. It doesn't if the model has not seen it, or if it only reports that the
 * model was thinking.
 * @param {any} message
 */
const says = ({ author, content }) =>
  content &&
  !/^(reasoning_recap|model_editable_context)$/.test(content.content_type) &&
  author &&
  textOf(content) !== "";

/**
 * Merges everything that the assistant did before the user's next message into one turn, because APIs don't accept consecutive messages
 * with the same role.
 * @param {any[]} messages
 */
function turns(messages) {
  /** @type {any[]} */
  const all = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last?.role === message.role) last.content += `\n\n${message.content}`;
    else all.push(message);
  }
  return all;
}

/** @param {any} message */
function plain({ author, content }) {
  const role = /^(user|assistant|system)$/.test(author.role) ? author.role : "assistant";
  const text = textOf(content);
  if (role === author.role && content.content_type !== "user_editable_context") return { role, content: text };
  // The format has no tools, so a tool's output is text under its name.
  return author.role === "tool"
    ? { role, content: `[${author.name || "tool"}]\n${text}` }
    : { role: "system", content: text };
}

/** Returns the text of a message's content, depending on its type. @param {any} content @returns {string} */
function textOf(content) {
  const { content_type: type } = content;
  if (type === "user_editable_context") {
    return [content.user_profile, content.user_instructions].filter(Boolean).join("\n\n").trim();
  }
  if (type === "thoughts") {
    return (content.thoughts ?? [])
      .map((/** @type {any} */ { summary, content: text }) => [summary, text].filter(Boolean).join("\n"))
      .join("\n\n")
      .trim();
  }
  const parts = content.parts ?? [content.text ?? content.result ?? content.content ?? ""];
  return parts.map(part).filter(Boolean).join("\n\n").trim();
}

/** Returns a part of a ChatGPT message as text. @param {any} part @returns {string} */
function part(part) {
  if (typeof part === "string") return part;
  if (part?.content_type === "audio_transcription") return part.text ?? "";
  if (/image/.test(part?.content_type ?? "")) return "[image]";
  if (/audio|video/.test(part?.content_type ?? "")) return "[audio]";
  return typeof part?.text === "string" ? part.text : "";
}

/**
 * Converts one turn, with its tools as text, because their calls and results are in one message, which no API accepts. @param {any} message
 */
function turn({ sender, text, content, attachments = [], files = [] }) {
  const blocks = (content ?? []).map(block).filter(Boolean);
  const said = blocks.length > 0 ? blocks : [text];
  for (const { file_name: name, extracted_content: body } of attachments)
    said.push(`[${name || "attachment"}]\n${body ?? ""}`);
  for (const { file_name: name } of files) said.push(`[file: ${name || "unnamed"}]`);
  const whole = said.filter(Boolean).join("\n\n").trim();
  return whole && { role: sender === "human" ? "user" : "assistant", content: whole };
}

/** Returns a block of a Claude message as text. @param {any} block @returns {string} */
function block({ type, text, thinking, name, input, content }) {
  if (type === "text") return text ?? "";
  if (type === "thinking") return thinking ? `[thinking]\n${thinking}` : "";
  if (type === "tool_use") return `[${name}] ${JSON.stringify(input ?? {})}`;
  if (type === "tool_result")
    return `[result of ${name || "a tool"}]\n${(content ?? []).map((/** @type {any} */ each) => each?.text ?? "").join("\n")}`;
  return "";
}

/** Formats a time, given in seconds since 1970 or as text, as a day. @param {number | string | null | undefined} time */
function day(time) {
  const date = new Date(typeof time === "number" ? time * 1000 : (time ?? Number.NaN));
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10);
}
