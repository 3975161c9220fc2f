/** Why a model ended, where its SDK always says so. */

/**
 * The reason that an SDK has given, or `incomplete` where it gave none: then the connection was cut, and the text is half a
 * summary, which is asked for once more.
 */
export function finished(reason: unknown): string {
  return typeof reason === "string" && reason !== "" ? reason : "incomplete";
}
