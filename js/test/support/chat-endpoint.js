import { serve } from "./server.js";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-expose-headers": "retry-after",
};

/**
 * An OpenAI-compatible endpoint that streams. The user's message controls its behavior: "fail 429" responds with that status, "break" ends
 * without a finish reason, "too long" ends with that reason, and "hold" waits for `release` in the middle of the answer.
 */
export class Endpoint {
  url = "";
  /** The bodies of all requests. @type {any[]} */
  requests = [];
  /** @type {(string | undefined)[]} */
  keys = [];
  /** If set, summaries wait for `release`. */
  slow = false;
  /** The window in tokens, counted as a quarter of the characters; a larger request is rejected as too long. */
  window = Number.POSITIVE_INFINITY;
  cors = true;
  /** @type {(() => void)[]} */
  #held = [];

  /** Starts an endpoint, which stops when the test ends. @param {import("node:test").TestContext} t */
  static async start(t) {
    const endpoint = new Endpoint();
    endpoint.url = `${await serve(t, (request, response) => endpoint.#answer(request, response))}/v1`;
    return endpoint;
  }

  release() {
    for (const go of this.#held.splice(0)) go();
  }

  /** Waits until `release` is called. @returns {Promise<void>} */
  #wait() {
    return new Promise((go) => this.#held.push(go));
  }

  /**
   * Answers a request as the user's message demands.
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  async #answer(request, response) {
    let text = "";
    for await (const chunk of request) text += chunk;
    const headers = this.cors ? CORS : {};
    if (request.method === "OPTIONS") return response.writeHead(204, headers).end();
    const body = JSON.parse(text);
    this.requests.push(body);
    this.keys.push(request.headers.authorization);
    /** Responds with an error. @param {number} status @param {object} more @param {object} error */
    const refuse = (status, error, more = {}) =>
      response.writeHead(status, { ...headers, ...more }).end(JSON.stringify({ error }));
    if (text.length / 4 > this.window) {
      const message = `This model's maximum context length is ${this.window} tokens.`;
      return refuse(400, { message, code: "context_length_exceeded" });
    }
    const said = body.messages.at(-1).content;
    const [, status] = said.match(/^fail (\d+)$/) ?? [];
    if (status) return refuse(Number(status), { message: "because I was told to" }, { "retry-after": "7" });
    if (said === "no stream") {
      const choices = [{ message: { role: "assistant", content: "In one piece." }, finish_reason: "stop" }];
      return response
        .writeHead(200, { ...headers, "content-type": "application/json" })
        .end(JSON.stringify({ choices }));
    }
    if (said === "a web page") {
      return response.writeHead(200, { ...headers, "content-type": "text/html" }).end("<h1>Hello</h1>");
    }
    const summary = body.messages[0].role === "system";
    const pieces = summary
      ? [
          "# What was said\n",
          "- The user speaks of ",
          "subjects, and wants to go on with them.\n- They never want plastic pots.\n",
        ]
      : ["You said ", `“${said}”, `, `and ${body.model} `, "answers **that**."];
    response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
    for (const [i, content] of pieces.entries()) {
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
      if (i === 1 && (said === "hold" || (summary && this.slow))) await this.#wait();
      if (i === 1 && said === "break") return response.end();
    }
    const finish_reason = said === "too long" ? "length" : "stop";
    response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason }] })}\n\ndata: [DONE]\n\n`);
  }
}
