import { existsSync } from "node:fs";

/** The slim module, as `make module-slim` has built it. */
export const slim = new URL("../../ctxfold-slim.wasm", import.meta.url);

/** Why a test is skipped that wants it, or false. */
export const noSlim =
  existsSync(slim) || process.env.CI === "true" ? false : `no ${slim.pathname}: make module-slim builds it`;
