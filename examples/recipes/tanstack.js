// TanStack AI: wraps the app's connection.
import { fit } from "ctxfold";

/**
 * Wraps a connection so that it sends only the messages that fit.
 * @param {import("@tanstack/ai-client").ConnectConnectionAdapter} connection
 * @param {import("ctxfold").FitOptions} options
 * @returns {import("@tanstack/ai-client").ConnectConnectionAdapter}
 */
export function fitted(connection, options) {
  return {
    ...connection,
    async *connect(messages, data, signal, run) {
      const { messages: sent } = await fit(messages, { format: "tanstack", ...options, signal });
      yield* connection.connect(/** @type {typeof messages} */ (sent), data, signal, run);
    },
  };
}
