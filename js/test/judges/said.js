/** Extracts the content of messages in any provider's format, in neutral terms. */

/** Sorts the keys of objects, at all depths. @param {any} value @returns {any} */
const sorted = (value) =>
  value && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([k, v]) => [k, sorted(v)]),
      )
    : value;

/** Returns a value as JSON with sorted keys. Text that is JSON is parsed first. @param {unknown} given */
const json = (given) => {
  const value = typeof given === "string" ? given : JSON.stringify(given);
  try {
    return JSON.stringify(sorted(JSON.parse(value)));
  } catch {
    return value;
  }
};

/** Returns the texts in a tool's result, in any format. @param {any} value @returns {string} */
function answered(value) {
  if (typeof value === "string") return json(value);
  if (Array.isArray(value)) return value.map((part) => json(part.json ?? part.text ?? "")).join(" ");
  if (value && typeof value.type === "string") return answered(value.value ?? value.reason ?? "");
  const only = value && Object.keys(value).length === 1 ? (value.output ?? value.error) : undefined;
  if (only !== undefined) return answered(only);
  if (value && "content" in value && "name" in value) return answered(value.content); // the AI SDK's responses for Gemini
  return json(value);
}

/** Returns the base64 data of an image, in any format. @param {any} part @returns {string | undefined} */
function imageOf(part) {
  const url =
    part.image_url?.url ??
    part.image_url ??
    part.imageUrl ??
    part.image ??
    (part.type === "file" ? (part.url ?? part.data) : undefined);
  if (typeof url === "string") return url.replace(/^data:[^,]*,/, "");
  const bytes = part.source?.data ?? part.inlineData?.data ?? part.image?.source?.bytes;
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64") : bytes;
}

/**
 * Returns the content of a list of messages in neutral terms and in order: texts with their speakers, calls, results,
 * and images.
 * @param {any[]} list
 */
export function said(list) {
  /** @type {string[]} */
  const events = [];
  /** Adds a text and its speaker. @param {string} who @param {string} text */
  const text = (who, text) => {
    const plain = text.split(/\s+/).filter(Boolean).join(" ");
    // Leaves out the text that a repair makes the assistant say where Mistral rejects a user message after results;
    // the AI SDK sends the invalid request.
    if (plain && plain !== "[Noted.]") events.push(`${who}: ${plain}`);
  };
  /** Adds a call. @param {string} name @param {any} args */
  const call = (name, args) => events.push(`call ${name} ${json(args ?? {})}`);
  /** Adds the texts of a result. @param {any} value */
  const result = (value) => events.push(`result ${answered(value).split(/\s+/).filter(Boolean).join(" ")}`);
  /** Adds the images in a result, at their positions. @param {any} content */
  const images = (content) => {
    for (const part of Array.isArray(content) ? content : []) {
      const image = imageOf(part);
      if (image) events.push(`image ${image}`);
    }
  };
  for (const message of list) {
    const role = message.role === "model" ? "assistant" : message.role === "developer" ? "system" : message.role;
    if (message.type === "function_call") call(message.name, message.arguments);
    else if (message.type === "function_call_output") {
      result(message.output);
      images(message.output);
    } else if (role === "tool" && (typeof message.content === "string" || message.tool_call_id || message.toolCallId)) {
      result(message.content);
      images(message.content);
      for (const image of message.images ?? []) events.push(`image ${image}`);
    } else {
      const content = message.content ?? message.parts ?? [];
      for (const part of typeof content === "string" ? [{ text: content }] : content) {
        const made = part.functionCall ?? part.toolUse;
        const response = part.functionResponse ?? part.toolResult;
        const image = imageOf(part);
        if (made) call(made.name, made.args ?? made.input);
        else if (response) {
          result(response.response ?? response.content);
          images(response.content ?? response.parts);
        } else if (part.type === "tool_use") call(part.name, part.input);
        else if (part.type === "tool-call") call(part.toolName, part.input);
        else if (part.type === "tool_result" || part.type === "tool-result") {
          result(part.content ?? part.output);
          images(part.content);
        } else if (image) events.push(`image ${image}`);
        else if (typeof part.text === "string" && part.type !== "reasoning" && !part.thought) text(role, part.text);
      }
      for (const image of message.images ?? []) events.push(`image ${image}`);
      for (const { function: made } of message.tool_calls ?? message.toolCalls ?? []) call(made.name, made.arguments);
    }
  }
  return joined(events);
}

/** Joins consecutive texts of the same speaker, because formats divide them differently. @param {string[]} events */
function joined(events) {
  /** @type {string[]} */
  const all = [];
  for (const event of events) {
    const who = /^(user|assistant|system): /.exec(event)?.[0];
    if (who && all.at(-1)?.startsWith(who)) all[all.length - 1] += ` ${event.slice(who.length)}`;
    else all.push(event);
  }
  return all;
}

/** Returns the content of a request, starting with the system prompt. @param {any} body */
export function saidIn(body) {
  const system = body.system ?? body.systemInstruction?.parts ?? body.instructions ?? [];
  const texts = typeof system === "string" ? [{ text: system }] : system;
  const head = texts.map((/** @type {any} */ part) => ({ role: "system", content: part.text }));
  return said([...head, ...(body.messages ?? body.input ?? body.contents)]);
}
