/**
 * Runs the command many times in one process that compiles the module only once; in a separate
 * process each call would take half a second of CPU time. The parent sends {args, cwd, input} and gets
 * the result of a process: {code, out, err}.
 */
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const main = new URL("../../dist/command/main.js", import.meta.url).href;
let calls = 0;

/** @typedef {{args: string[], cwd: string, input?: string | Uint8Array}} Call */

process.on("message", async (/** @type {Call} */ { args, cwd, input = "" }) => {
  const texts = { out: "", err: "" };
  const streams = /** @type {const} */ ([
    [process.stdout, "out"],
    [process.stderr, "err"],
  ]);
  for (const [stream, name] of streams) {
    stream.write = /** @type {any} */ (
      (/** @type {string | Uint8Array} */ text, /** @type {(() => void) | undefined} */ done) => {
        texts[name] += typeof text === "string" ? text : new TextDecoder().decode(text);
        done?.();
        return true;
      }
    );
  }
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.chdir(cwd);
  process.argv = [process.execPath, fileURLToPath(main), ...args];
  process.exitCode = undefined;
  await import(`${main}?call=${++calls}`); // only this file is loaded again
  for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
  process.stdout.removeAllListeners("error");
  process.send?.({ code: Number(process.exitCode ?? 0), ...texts });
});
