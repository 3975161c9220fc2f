// AI SDK: useChat keeps the list that is shown, and its transport sends what fits.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { fit } from "ctxfold";
import { useState } from "react";

/** @param {{api: string, fetch?: typeof fetch} & import("ctxfold").FitOptions} where the server is, and the options of fit */
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
