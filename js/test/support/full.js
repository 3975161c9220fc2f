import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** The module with the published systems: the file named by CTXFOLD_FULL, or the one built by `make module-full`. */
export const full = process.env.CTXFOLD_FULL
  ? pathToFileURL(process.env.CTXFOLD_FULL)
  : new URL("../../../build/ctxfold-full.wasm", import.meta.url);

/** The reason to skip a test that needs this module, or false. */
export const noFull =
  existsSync(full) || process.env.CI === "true" ? false : `no ${full.pathname}: make module-full builds it`;
