/** A summarizer that gets its summaries from a shell command. */
import { spawn } from "node:child_process";
import type { Summarize } from "../summarize.js";
import { UsageError } from "./errors.js";

/**
 * Returns the summarizer that --summarizer names, or undefined if digests should be written locally. Throws a
 * `UsageError` if the flag names no command.
 */
export function summarizerOf(flag: string): Summarize | undefined {
  if (flag === "" || flag === "none") return undefined;
  const [, command = ""] = /^cmd:(.*)$/s.exec(flag) ?? [];
  if (command.trim() === "") throw new UsageError(`--summarizer "${flag}" is neither none nor cmd:COMMAND`);
  return async (request, { signal }) => {
    try {
      return await outputOf(command, request, signal);
    } catch (error) {
      // The message is printed because the report contains only an error code.
      process.stderr.write(`ctxfold: the summarizer "${command}" failed: ${(error as Error).message}\n`);
      throw error;
    }
  };
}

/**
 * Parses a duration such as 90s, 2m or 1m30s into milliseconds. Returns undefined, the default, for "" and for 0.
 * Throws a `UsageError` for any other text.
 */
export function durationOf(text: string, command: string): number | undefined {
  const units = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.map(([part]) => part).join("") !== text) {
    throw new UsageError(`--summary-timeout must be a duration, such as 90s or 2m: it is "${text}"`, command);
  }
  const sum = parts.reduce((sum, [, n, unit]) => sum + Number(n) * units[unit as keyof typeof units], 0);
  return sum > 0 ? sum : undefined;
}

/**
 * Runs the command with the prompt on its standard input and returns its standard output without
 * surrounding white space. If the signal is aborted, the command is killed and, except on Windows,
 * all processes that it has started. Rejects if the command can't be run or exits with a status
 * other than 0.
 */
function outputOf(
  command: string,
  { prompt, system, scope, max_output_tokens }: Parameters<Summarize>[0],
  signal: AbortSignal,
): Promise<string> {
  const windows = process.platform === "win32";
  const env = {
    ...process.env,
    CTXFOLD_SYSTEM: system,
    CTXFOLD_SCOPE: scope,
    CTXFOLD_MAX_OUTPUT_TOKENS: String(max_output_tokens),
  };
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, env, detached: !windows, stdio: ["pipe", "pipe", "inherit"] });
    const end = () => {
      reject(signal.reason);
      if (windows || child.pid === undefined) return child.kill("SIGKILL");
      try {
        return process.kill(-child.pid, "SIGKILL");
      } catch {
        return false; // it has just ended
      }
    };
    signal.addEventListener("abort", end, { once: true });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    child.stdin.on("error", () => {}); // a command may exit without reading its input
    child.stdin.end(prompt);
    child.on("error", reject);
    child.on("close", (code, killed) => {
      signal.removeEventListener("abort", end);
      if (code === 0) resolve(text.trim());
      else reject(new Error(killed ? `signal: ${killed}` : `exit status ${code}`));
    });
  });
}
