/** Converts sessions in Anthropic's format to the two formats of the AI SDK. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export const root = new URL("../../../", import.meta.url);

/** The folder with the real sessions, or undefined if there is none. */
export const data = [process.env.CTXFOLD_DATA, fileURLToPath(new URL("../shared/data", root))].find(
  (dir) => dir !== undefined && existsSync(dir),
);

/** @typedef {{name: string, models: any[], ui: any[]}} Session */

/** Reads a JSON file. @param {string | URL} file */
export const json = async (file) => JSON.parse(await readFile(file, "utf8"));

/** Returns the content of a message as a list of blocks. @param {any} message */
const blocks = (message) =>
  typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;

/** Returns the project's own sample and the real sessions, if there are any. @returns {Promise<Session[]>} */
export async function sessions() {
  const sample = await json(new URL("testdata/sample.anthropic.json", root));
  const own = { name: "sample", models: toModelMessages(sample), ui: toUIMessages(sample) };
  if (data === undefined) {
    assert.notEqual(process.env.CI, "true", "the real sessions are missing, and in CI they are not left out");
    return [own];
  }
  const file = `${data}/derived/pi_before-compaction`;
  const { messages } = await json(`${file}.anthropic-messages.json`);
  return [own, { name: "real", models: toModelMessages(messages), ui: await json(`${file}.aisdk-ui-messages.json`) }];
}

/** Converts Anthropic's messages to ModelMessages. @param {any[]} messages */
function toModelMessages(messages) {
  /** @type {any[]} */
  const out = [];
  const names = new Map();
  /** Adds a message unless it is empty. @param {string} role @param {any[]} content */
  const add = (role, content) => content.length > 0 && out.push({ role, content });
  for (const message of messages) {
    /** @type {any[]} */
    const parts = [];
    /** @type {any[]} */
    const results = [];
    for (const block of blocks(message)) {
      if (block.type === "text") {
        parts.push({ type: "text", text: block.text });
      } else if (block.type === "image") {
        parts.push({ type: "image", image: block.source.data, mediaType: block.source.media_type });
      } else if (block.type === "thinking") {
        const providerOptions = { anthropic: { signature: block.signature } };
        parts.push({ type: "reasoning", text: block.thinking, providerOptions });
      } else if (block.type === "tool_use") {
        names.set(block.id, block.name);
        parts.push({ type: "tool-call", toolCallId: block.id, toolName: block.name, input: block.input });
      } else if (block.type === "tool_result") {
        const toolName = names.get(block.tool_use_id);
        results.push({ type: "tool-result", toolCallId: block.tool_use_id, toolName, output: output(block) });
      }
    }
    add("tool", results);
    add(message.role, parts);
  }
  return out;
}

/** Converts a tool result to the output of a ModelMessage. @param {any} block */
function output({ content, is_error }) {
  if (typeof content === "string") {
    return { type: is_error ? "error-text" : "text", value: content };
  }
  const value = content.map((/** @type {any} */ part) =>
    part.type === "text" ? part : { type: "media", data: part.source.data, mediaType: part.source.media_type },
  );
  return { type: "content", value };
}

/** Converts Anthropic's messages to UIMessages: all steps between two user messages form one message. @param {any[]} messages */
function toUIMessages(messages) {
  /** @type {any[]} */
  const out = [];
  const calls = new Map();
  for (const message of messages) {
    /** @type {any[]} */
    const parts = [];
    for (const block of blocks(message)) {
      if (block.type === "text") {
        parts.push({ type: "text", text: block.text });
      } else if (block.type === "image") {
        const { data, media_type: mediaType } = block.source;
        parts.push({ type: "file", mediaType, url: `data:${mediaType};base64,${data}` });
      } else if (block.type === "thinking") {
        const providerMetadata = { anthropic: { signature: block.signature } };
        parts.push({ type: "reasoning", text: block.thinking, state: "done", providerMetadata });
      } else if (block.type === "tool_use") {
        const part = { type: `tool-${block.name}`, toolCallId: block.id, state: "input-available", input: block.input };
        calls.set(block.id, part);
        parts.push(part);
      } else if (block.type === "tool_result") {
        const text = typeof block.content === "string" ? block.content : JSON.stringify(block.content);
        const result = block.is_error
          ? { state: "output-error", errorText: text }
          : { state: "output-available", output: calls.size % 3 === 0 ? { text } : text };
        Object.assign(calls.get(block.tool_use_id), result);
      }
    }
    if (parts.length === 0) {
      continue;
    }
    const last = out.at(-1);
    if (message.role === "assistant" && last?.role === "assistant") {
      last.parts.push({ type: "step-start" }, ...parts);
    } else {
      const step = message.role === "assistant" ? [{ type: "step-start" }] : [];
      out.push({ id: `m${out.length}`, role: message.role, parts: [...step, ...parts] });
    }
  }
  return out;
}

/** Returns a conversation with all steps in one assistant message, after the first user message. @param {any[]} ui */
export function oneTurn(ui) {
  const parts = ui.filter(({ role }) => role === "assistant").flatMap((message) => message.parts);
  return [ui[0], { id: "turn", role: "assistant", parts }];
}
