// assistant-ui: the thread is whole, and the model adapter sends what fits.
import { useLocalRuntime } from "@assistant-ui/react";
import { fit } from "ctxfold";

/**
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
