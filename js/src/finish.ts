/** Why a model ended, where its SDK always says so. */

/**
 * The reason that an SDK has given, or `incomplete` where it gave none: then the connection was cut, and the text is half a
 * summary, which is asked for once more.
 */
export function finished(reason: unknown): string {
  return typeof reason === "string" && reason !== "" ? reason : "incomplete";
}

/**
 * The body of a request after the conversation, which has to be one: to another model it would be new, and a list does not say what is sent
 * next to it. An error is answered by a request with a record.
 */
export function behindOf(conversation: object, model: string): object {
  const of = (conversation as { model?: unknown }).model;
  if (of === model) return conversation;
  throw new Error(`${model} has nothing of the conversation with ${String(of)} in its prompt cache`);
}
