// Hono: the client sends its whole list each turn, and the route passes on the messages that fit. It runs wherever Hono
// does.
import { fit } from "ctxfold";
import { Hono } from "hono";

/**
 * Returns an app with a route that passes on the messages that fit.
 * @param {(messages: object[]) => Promise<string>} askMyModel
 * @param {import("ctxfold").FitOptions} options
 */
export function chat(askMyModel, options) {
  return new Hono().post("/chat/:user", async (c) => {
    /** @type {{messages: object[]}} */
    const { messages } = await c.req.json();
    const fitted = await fit(messages, { format: "openai-chat", ...options, id: c.req.param("user") });
    return c.json({ role: "assistant", content: await askMyModel(fitted.messages) });
  });
}
