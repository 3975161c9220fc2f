/** Finish reasons, for SDKs that always report one. */

/**
 * The SDK's finish reason, or `incomplete` if there is none: then the connection was cut and the text is half a
 * summary, so it is requested again.
 */
export function finished(reason: unknown): string {
  return typeof reason === "string" && reason !== "" ? reason : "incomplete";
}

/**
 * The body of a request that extends the conversation. The conversation must be a request body for the same model:
 * another model has no cached prefix of it, and a bare list lacks the other members of the request. If this throws, the
 * summary is requested from a transcript instead.
 */
export function behindOf(conversation: object, model: string): object {
  const of = (conversation as { model?: unknown }).model;
  if (of === model) return conversation;
  throw new Error(`${model} has nothing of the conversation with ${String(of)} in its prompt cache`);
}
