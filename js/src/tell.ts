/** Wraps callbacks so that their failures have no effect. */
import { messageOf } from "./errors.js";

/**
 * Wraps a callback so that its exceptions and rejections are logged to the console. Returns undefined for undefined.
 */
export function telling<Args extends unknown[]>(
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
