/** Reads the errors of failed model calls. */
import type { Engine } from "./engine.js";
import { messageOf } from "./errors.js";
import type { Failure } from "./types.js";

/**
 * Returns what the module needs to classify an error: the HTTP status, if there is one, and the body. It knows the
 * errors of the providers' SDKs; for any other value the body is its text.
 */
export function failureOf(error: unknown): Failure {
  if (error !== Object(error)) return { body: String(error) };
  const e = error as Record<string, unknown>;
  const status = [e.status, e.statusCode].find((each) => Number.isInteger(each)) as number | undefined;
  const body = typeof e.responseBody === "string" && e.responseBody ? e.responseBody : messageOf(error);
  const more = [e.code, e.error === Object(e.error) ? JSON.stringify(e.error) : undefined];
  const all = [body, ...more.filter((each) => typeof each === "string")].join("\n");
  return { body: all, ...(status !== undefined && { status }) };
}

/**
 * Resolves to the failure of an error, or of its cause, that means that the conversation doesn't fit; undefined if there
 * is none. `engine` must be ready.
 */
export async function overflowOf(error: unknown, engine: Engine): Promise<Failure | undefined> {
  const { valuesOf } = await import("./envelope.js");
  for (const failure of failuresOf(error)) {
    const { overflow } = valuesOf(await engine.runOperation({ op: "classify_error", head: { arguments: failure } }));
    if (overflow) return failure;
  }
  return undefined;
}

/** Returns the failures of an error, of its cause, and so on, except those without a status. */
export function failuresOf(error: unknown): Failure[] {
  const failures: Failure[] = [];
  const seen = new Set<unknown>();
  for (let at = error; typeof at === "object" && at !== null && !seen.has(at); at = (at as { cause?: unknown }).cause) {
    seen.add(at);
    const failure = failureOf(at);
    if (failure.status !== undefined) failures.push(failure);
  }
  return failures;
}
