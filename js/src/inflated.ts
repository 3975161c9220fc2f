/** The module that is embedded in the code. */
import { CtxfoldError } from "./errors.js";
import { gzip } from "./inline-module.js";

let own: Promise<ArrayBuffer> | undefined;

/**
 * Resolves to the module's bytes, in the same buffer each time. Rejects with `load_failed` if the platform cannot
 * decompress them.
 */
export function inflated(): Promise<ArrayBuffer> {
  own ??= inflate();
  return own;
}

async function inflate(): Promise<ArrayBuffer> {
  if (typeof DecompressionStream === "undefined") {
    throw new CtxfoldError(
      "load_failed",
      "ctxfold/inline needs DecompressionStream, which this platform does not have: import ctxfold, or give " +
        "ctxfold/core the module",
    );
  }
  const bytes = Uint8Array.from(atob(gzip), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
