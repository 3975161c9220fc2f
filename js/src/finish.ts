/** Finish reasons, for SDKs that always report one. */

/**
 * Returns the SDK's finish reason, or `incomplete` if there is none: the connection was cut, and the summary must be
 * requested again.
 */
export function finished(reason: unknown): string {
  return typeof reason === "string" && reason !== "" ? reason : "incomplete";
}

/**
 * Returns the request body of a conversation that a summary request continues. It throws if `conversation` is not a
 * request body for the same model, because another model has no cached prefix, and a bare list lacks the other
 * members of the request. The summary is then requested with a transcript in the prompt instead.
 */
export function behindOf(conversation: object, model: string): object {
  const of = (conversation as { model?: unknown }).model;
  if (of === model) return conversation;
  throw new Error(`${model} has nothing of the conversation with ${String(of)} in its prompt cache`);
}
