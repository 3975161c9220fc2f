// AI SDK: useChat keeps the displayed list, and its transport sends the messages that fit.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { fit } from "ctxfold";
import { useState } from "react";

/**
 * Like useChat, but sends only the messages that fit.
 * @param {{api: string, fetch?: typeof fetch} & import("ctxfold").FitOptions} options the server's URL, and the
 *   options of fit
 */
export function useFittedChat({ api, fetch: send = fetch, ...options }) {
  const [transport] = useState(
    () =>
      new DefaultChatTransport({
        api,
        fetch: send,
        prepareSendMessagesRequest: async ({ id, messages }) => {
          const fitted = await fit(messages, { format: "ai-sdk-ui", ...options, id });
          return { body: { id, messages: fitted.messages } };
        },
      }),
  );
  return useChat({ transport });
}
