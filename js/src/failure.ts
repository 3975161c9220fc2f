/** Reads the errors of failed model calls. */
import { messageOf } from "./errors.js";
import type { Failure } from "./types.js";

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
