// React: useFit compacts before the user sends a message, and the AI SDK's transport sends the messages that fit.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { useFit } from "ctxfold/react";
import { useEffect, useRef } from "react";

/**
 * Like useChat, but compacts ahead of time and sends only the messages that fit.
 * @param {string} api
 * @param {import("ctxfold/react").UseFitOptions} options
 */
export function useChatAhead(api, options) {
  /** @type {import("react").RefObject<import("ctxfold/react").UseFit<import("ai").UIMessage>["fit"] | null>} */
  const ahead = useRef(null);
  const chat = useChat({
    transport: new DefaultChatTransport({
      api,
      prepareSendMessagesRequest: async ({ id, messages }) => {
        const fitted = await ahead.current?.(messages);
        return { body: { id, messages: fitted?.messages ?? messages } };
      },
    }),
  });
  const { fit, progress, folded, undo } = useFit(chat.messages, { format: "ai-sdk-ui", ...options });
  useEffect(() => {
    ahead.current = fit;
  }, [fit]);
  return { ...chat, progress, folded, undo };
}
