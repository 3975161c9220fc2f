// assistant-ui: the thread keeps the whole history, and the model adapter sends the messages that
// fit.
import { useLocalRuntime } from "@assistant-ui/react";
import { fit } from "ctxfold";

/**
 * Returns a runtime for a thread whose model gets only the messages that fit.
 * @param {(messages: readonly object[], signal: AbortSignal) => Promise<string>} askMyModel
 * @param {import("ctxfold").FitOptions} options
 */
export function useFittedRuntime(askMyModel, options) {
  return useLocalRuntime({
    async run({ messages, abortSignal }) {
      const fitted = await fit(messages, { format: "assistant-ui", ...options, signal: abortSignal });
      return { content: [{ type: "text", text: await askMyModel(fitted.messages, abortSignal) }] };
    },
  });
}
