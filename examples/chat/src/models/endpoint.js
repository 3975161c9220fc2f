// Any endpoint with OpenAI's Chat Completions API, streamed.
import { EventSourceParserStream } from "eventsource-parser/stream";
import { brokenOff, notAnEndpoint, refused, unreachable } from "../problems.js";
import { pieces } from "./model.js";

/**
 * Returns a model that is called at an endpoint.
 * @param {{url: string, model: string, key: string}} settings
 * @returns {import("./model.js").Model}
 */
export function endpoint({ url, model, key }) {
  const address = `${url.replace(/\/+$/, "")}/chat/completions`;

  /**
   * Sends messages to the endpoint and returns its response.
   * @param {readonly object[]} messages
   * @param {AbortSignal} signal
   */
  async function post(messages, signal) {
    const request = {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, messages, stream: true }),
      signal,
    };
    const response = await fetch(address, request).catch((error) => {
      signal.throwIfAborted();
      throw unreachable(url, error);
    });
    if (!response.ok) throw refused(response, await response.text(), { url, model, key });
    return response;
  }

  /** @type {import("./model.js").Model["answer"]} */
  async function answer(messages, { signal, onText }) {
    const response = await post(messages, signal);
    let reason;
    try {
      for await (const { error, choices } of chunks(response)) {
        if (error) throw brokenOff(error.message);
        const [choice] = choices ?? [];
        const text = choice?.delta?.content ?? choice?.message?.content;
        if (text) onText(text);
        reason = choice?.finish_reason ?? reason;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SyntaxError) throw notAnEndpoint(url);
      throw error instanceof TypeError ? brokenOff() : error;
    }
    if (!reason) throw brokenOff();
    return reason;
  }

  return {
    answer,
    concurrency: 1, // A server on the user's own machine usually writes one answer at a time.
    async summarize({ system, prompt }, { signal }) {
      const messages = [
        { role: "system", content: system },
        { role: "user", content: prompt },
      ];
      let text = "";
      const finish_reason = await answer(/** @type {any} */ (messages), { signal, onText: (piece) => (text += piece) });
      return { text, finish_reason: String(finish_reason) };
    },
  };
}

/**
 * Yields the parts of a response: the events of a stream, or the body of a server that does not stream.
 * @param {Response} response
 */
async function* chunks(response) {
  if (!response.headers.get("content-type")?.includes("event-stream")) {
    yield JSON.parse(await response.text());
    return;
  }
  const body = /** @type {ReadableStream<any>} */ (response.body);
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of pieces(events)) if (data !== "[DONE]") yield JSON.parse(data);
}
