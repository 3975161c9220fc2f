/** Serves the APIs of three providers on 127.0.0.1 with scripted answers, and records the requests. */
import { createServer } from "node:http";

/** A request that was received. @typedef {{ url: string, body: any }} Sent */

/**
 * Starts a server. `answer` returns the model's answer to the texts of a request; `sent` contains all requests so
 * far.
 * @param {(texts: string) => string} answer
 */
export async function scripted(answer) {
  /** @type {Sent[]} */
  const sent = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const url = request.url ?? "";
    /** @type {any} */
    let body;
    try {
      body = JSON.parse(text);
    } catch {
      body = {};
    }
    sent.push({ url, body });
    const say = () => answer(text);
    const input = Math.ceil(text.length / 4);
    const events = (/** @type {any[]} */ list, named = true) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of list)
        response.write(`${named ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
      response.end();
    };
    const json = (/** @type {any} */ value, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    if (/\/messages(\?|$)/.test(url))
      return body.stream ? events(messages(body, say(), input)) : json(message(body, say(), input));
    if (/count_tokens/.test(url)) return json({ input_tokens: input });
    if (/\/responses$/.test(url) && request.method === "POST") return events(responses(body, say(), input));
    if (/streamGenerateContent/.test(url)) return events([generated(say(), input)], false);
    if (/countTokens/.test(url)) return json({ totalTokens: input });
    if (/generateContent/.test(url)) return json(generated(say(), input));
    return json({ error: { type: "not_found_error", message: "there is nothing here" } }, 404);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    end: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a response of Anthropic's API. @param {any} body @param {string} text @param {number} input */
function message(body, text, input) {
  const usage = { input_tokens: input, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 40 };
  const content = [{ type: "text", text }];
  const rest = { model: body.model, stop_reason: "end_turn", stop_sequence: null, usage };
  return { id: `msg_${input}`, type: "message", role: "assistant", content, ...rest };
}

/** Returns the same response as a stream. @param {any} body @param {string} text @param {number} input */
function messages(body, text, input) {
  const whole = message(body, text, input);
  return [
    { type: "message_start", message: { ...whole, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 40 } },
    { type: "message_stop" },
  ];
}

/** Returns a response of OpenAI's Responses API. @param {any} body @param {string} text @param {number} input */
function responses(body, text, input) {
  const id = `msg_${input}`;
  const content = [{ type: "output_text", text, annotations: [] }];
  const item = { id, type: "message", role: "assistant", status: "completed", content };
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 40,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + 40,
  };
  const response = { id: `resp_${input}`, object: "response", created_at: 1, status: "completed", model: body.model };
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    { type: "response.output_text.delta", item_id: id, output_index: 0, content_index: 0, delta: text },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, output: [item], usage } },
  ];
}

/** Returns a response of Gemini's API. @param {string} text @param {number} input */
function generated(text, input) {
  return {
    candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: 40, totalTokenCount: input + 40 },
    modelVersion: "scripted",
  };
}
