import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** The module with the published systems: what CTXFOLD_FULL names, or what `make module-full` has built. */
export const full = process.env.CTXFOLD_FULL
  ? pathToFileURL(process.env.CTXFOLD_FULL)
  : new URL("../../../build/ctxfold-full.wasm", import.meta.url);

/** Why a test is skipped that wants it, or false. */
export const noFull =
  existsSync(full) || process.env.CI === "true" ? false : `no ${full.pathname}: make module-full builds it`;
