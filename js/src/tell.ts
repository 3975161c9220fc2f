/** Callbacks that are only told something. */
import { messageOf } from "./errors.js";

/**
 * The callback, which costs nothing where it fails: what it throws, or what its promise rejects with, goes to the console. Undefined for none.
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
