/** Makes failures of callbacks harmless. */
import { messageOf } from "./errors.js";

/**
 * Returns a callback whose exceptions and rejections are logged to the console, or undefined if there is no callback.
 */
export function loggingFailures<Args extends unknown[]>(
  name: string,
  callback: ((...args: Args) => unknown) | undefined,
): ((...args: Args) => void | Promise<void>) | undefined {
  if (callback === undefined) return undefined;
  const failed = (thrown: unknown) => console.warn(`ctxfold: ${name} failed: ${messageOf(thrown)}`);
  return (...args) => {
    try {
      const answer = callback(...args);
      if (isPromise(answer)) return Promise.resolve(answer).then(() => {}, failed);
    } catch (thrown) {
      failed(thrown);
    }
  };
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | undefined | null)?.then === "function";
}
