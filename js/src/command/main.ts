#!/usr/bin/env node
/**
 * `npx ctxfold`: compacts and examines transcripts in files and pipes. It needs no dependencies besides the module.
 * It is a subset of the Go command, with the same names, options, output and exit codes (docs/start/command.md).
 */
import { readFile } from "node:fs/promises";
import type { Command } from "./command.js";
import { COMMANDS, ELSEWHERE } from "./commands.js";
import { EXIT, errorText, UsageError } from "./errors.js";
import { helpOf, nearest, parse } from "./flags.js";
import { print } from "./output.js";

const stop = new AbortController();
process.once("SIGINT", () => stop.abort()).once("SIGTERM", () => stop.abort());
process.stdout.on("error", ({ code }) => process.exit(code === "EPIPE" ? EXIT.ok : EXIT.bad)); // the reader has closed the pipe

process.exitCode = await main(process.argv.slice(2), stop.signal);

async function main([name = "", ...args]: string[], signal: AbortSignal): Promise<number> {
  try {
    if (["", "-h", "--help", "help"].includes(name)) return await printed(overview());
    if (name === "--version") return await printed(`ctxfold ${await version()}\n`);
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) throw unknown(name);
    if (args.includes("--help") || args.includes("-h")) return await printed(help(name, command));
    const usage = `ctxfold ${name}`;
    return await command.run(parse(args, command.flags, usage), usage, signal);
  } catch (error) {
    process.stderr.write(signal.aborted ? "ctxfold: interrupted; nothing was changed\n" : errorText(error));
    return signal.aborted ? EXIT.interrupted : EXIT.bad;
  }
}

async function printed(text: string): Promise<number> {
  await print(text);
  return EXIT.ok;
}

function unknown(name: string): UsageError {
  if (name.startsWith("-")) return new UsageError(`unknown flag: ${name}`, "ctxfold");
  if (ELSEWHERE.includes(name)) {
    return new UsageError(
      `"${name}" is a command of the Go program alone: go install github.com/ctxfold/ctxfold/host/cmd/ctxfold@latest`,
    );
  }
  return new UsageError(`there is no command "${name}"${nearest(name, Object.keys(COMMANDS))}`, "ctxfold");
}

async function version(): Promise<string> {
  return JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")).version;
}

function overview(): string {
  const commands = Object.entries(COMMANDS).map(([name, { short }]) => `  ${name.padEnd(10)} ${short}\n`);
  return `ctxfold makes the transcript of an LLM conversation shorter and keeps it valid for the provider: it clears old tool
results, folds older turns into a digest, and restores files that are still needed.

FILE is an array of messages, a whole request body in one of the wire formats, or the session file of a coding agent. Without FILE,
or with -, ctxfold reads standard input.

Commands:
${commands.join("")}
\`ctxfold COMMAND --help\` shows the options of a command. The Go program has more commands:
https://github.com/ctxfold/ctxfold/blob/main/docs/start/command.md

Exit codes: 0 success, 1 validate found violations or restore did not restore everything, 2 bad input or usage, 3 the result does not
fit into the window's limit, 130 interrupted.
`;
}

function help(name: string, { args, long, examples, flags }: Command): string {
  const lines = examples.map((example) => `  ${example}\n`).join("");
  return `${long}\n\nUsage:\n  ctxfold ${name} [OPTIONS] ${args}\n\nExamples:\n${lines}\nOptions:\n${helpOf(flags)}`;
}
