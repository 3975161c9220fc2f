/** Reads the errors of failed model calls, and returns options to compact messages that were rejected as too long. */
import { messageOf } from "./errors.js";
import type { CallOptions, Failure } from "./types.js";

/** Reads errors of the providers' SDKs, which have a `status` or `statusCode`, and a body as text or JSON. */
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
 * Returns options to compact messages that a provider rejected as too long although they fit in the known window.
 * With them, the window is assumed to be 0.7 times the estimated tokens.
 */
export function refused(tokens: number): CallOptions {
  return { force: true, window: Math.max(1, Math.floor(tokens * 0.7)), no_reserve: true };
}
