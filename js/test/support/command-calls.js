/**
 * Runs the command many times in one process that compiles the module only once; in a separate
 * process each call would take half a second of CPU time. The parent sends {args, cwd} and gets the
 * result of a process: {code, out, err}.
 */
import { fileURLToPath } from "node:url";

const main = new URL("../../dist/command/main.js", import.meta.url).href;
let calls = 0;

process.on("message", async (/** @type {{args: string[], cwd: string}} */ { args, cwd }) => {
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
  process.chdir(cwd);
  process.argv = [process.execPath, fileURLToPath(main), ...args];
  process.exitCode = undefined;
  await import(`${main}?call=${++calls}`); // only this file is loaded again
  for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
  process.stdout.removeAllListeners("error");
  process.send?.({ code: Number(process.exitCode ?? 0), ...texts });
});
