import { existsSync } from "node:fs";

/** The slim module built by `make module-slim`. */
export const slim = new URL("../../ctxfold-slim.wasm", import.meta.url);

/** The reason to skip a test that needs it, or false. */
export const noSlim =
  existsSync(slim) || process.env.CI === "true" ? false : `no ${slim.pathname}: make module-slim builds it`;
