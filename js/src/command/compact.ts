/** `ctxfold compact`: shortens a transcript. */
import { readFile } from "node:fs/promises";
import type { CtxfoldError } from "../errors.js";
import { createCompactor } from "../node.js";
import type { FindSecrets } from "../redact.js";
import type { Done, Messages, State } from "../types.js";
import { archiveOf, noteState } from "./archive.js";
import type { Command } from "./command.js";
import { EXIT, InputError, UsageError } from "./errors.js";
import type { Given } from "./flags.js";
import { fileArgument, located, type Read, readFact, readJson, transcriptOf, where } from "./input.js";
import { print } from "./output.js";
import { POLICY_FLAGS, policyOf, usageOf } from "./policy.js";
import { reportText, warnings } from "./report.js";
import { durationOf, summarizerOf } from "./summarizer.js";
import { reasonOf, writeText } from "./write.js";

/** The subcommand `compact`. */
export const compactCommand: Command = {
  args: "[FILE|-]",
  short: "Make a transcript shorter",
  long: `compact makes a transcript shorter if it has more tokens than the policy allows in the window. It prints the
transcript on standard output, in the same shape as the input, and a summary of what it did on standard error.

--summarizer chooses who writes the summary of folded messages. "none" makes a digest without a model. With "cmd:COMMAND" the
shell runs COMMAND once per summary: the prompt is its standard input, the environment variable CTXFOLD_SYSTEM holds the system
prompt and CTXFOLD_MAX_OUTPUT_TOKENS the limit, and its standard output is the summary. If the command fails nothing is lost: a
digest made without a model replaces the summary.

With --session, FILE is the session file of a coding agent and so is the output: the agent resumes it with the shorter
conversation (docs/guides/sessions.md).

A result over the limit is still printed, with a warning that says what takes the room; the exit code is then 3.`,
  examples: [
    "ctxfold compact --window 200000 session.json > shorter.json",
    "ctxfold compact --window 32000 --archive .ctxfold session.json > shorter.json",
    "ctxfold compact --session ~/.claude/projects/-home-me-app/0b1c.jsonl > shorter.jsonl",
  ],
  flags: {
    ...POLICY_FLAGS,
    archive: { value: "DIRECTORY", text: "the directory that stores removed content, for restore" },
    force: { text: "compact even if it is not due" },
    json: { text: "print one object with the report, the state and the messages" },
    output: { value: "FILE", short: "o", text: "write to this file instead of standard output; it may be the input" },
    redact: {
      value: "REGEXP",
      many: "repeated",
      text: "what summaries, digests and archives must not have, such as 'sk-[A-Za-z0-9]{20,}'; may be repeated",
    },
    session: { text: "write a session file that its agent can resume; FILE must be one" },
    state: { value: "FILE", text: "keeps the state of the conversation from one compaction to the next" },
    summarizer: { value: "COMMAND", text: "who writes summaries: none or cmd:COMMAND" },
    "summary-timeout": { value: "DURATION", text: "how long one summary may take (default 2m)" },
    usage: {
      value: "TOKENS",
      text: "what the provider counted for the last call: tokens up to the last message, or JSON (docs/reference/abi.md)",
    },
  },
  async run(given, usage, signal) {
    const session = given.has("session");
    if (session && given.has("json")) throw new UsageError("--session and --json are two answers: ask for one", usage);
    const summarize = summarizerOf(given.text("summarizer"));
    const summaryTimeoutMs = durationOf(given.text("summary-timeout"), usage);
    const policy = await policyOf(given, usage);
    const [counted, redact, store] = [usageOf(given, usage), redactionsOf(given, usage), archiveOf(given)];
    const state = await readState(given.text("state"));
    const source = await readJson(fileArgument(given, usage));
    const compactor = createCompactor({
      policy,
      state,
      ...(store && { store }),
      ...(redact && { redact }),
      ...(summarize && { summarize }),
      ...(summaryTimeoutMs && { summaryTimeoutMs }),
    });
    await compactor.ready();
    const read = transcriptOf(compactor, source);
    if (session && !read.session) throw new InputError(read.noSession as CtxfoldError, where(source, 0));
    const options = { signal, options: { force: given.has("force") }, ...(counted && { usage: counted }) };
    let done: Done<Uint8Array>;
    let text: Uint8Array;
    try {
      done = (await compactor.compact(read.messages as Messages, options)) as Done<Uint8Array>;
      text = session ? compactor.save(source.text, done) : done.messages;
    } catch (error) {
      throw located(error, read, given);
    }
    if (done.report.changed) await noteState(given, done.messages, done.state);
    await give(given, read, done, session ? text : undefined);
    if (given.has("state")) await writeText(given.text("state"), `${JSON.stringify(done.state)}\n`);
    process.stderr.write(warnings(done.report).rest);
    return done.report.over ? EXIT.over : EXIT.ok;
  },
};

/** Writes the result to standard output or to a file, and the report to standard error. */
async function give(given: Given, read: Read, done: Done<Uint8Array>, file: Uint8Array | undefined): Promise<void> {
  process.stderr.write(warnings(done.report).left);
  if (!given.has("json")) process.stderr.write(reportText(done.report, readFact(read)));
  const head = `{"report":${JSON.stringify(done.report)},"state":${JSON.stringify(done.state)},"messages":`;
  const parts = given.has("json") ? [head, done.messages, "}\n"] : file ? [file] : [done.messages, "\n"];
  const text = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  if (given.has("output")) await writeText(given.text("output"), text);
  else await print(text);
}

/**
 * Reads the state from a file. Returns null if the file doesn't exist yet, as is the case before a conversation's first
 * compaction. Throws if it can't be read or isn't JSON.
 */
export async function readState(file: string): Promise<State | null> {
  if (file === "") return null;
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Error(`cannot read ${file}: ${reasonOf(error)}`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file}: the state is not JSON: ${(error as Error).message}`);
  }
}

/**
 * Returns a function that finds everything that matches one of the --redact patterns; undefined if
 * there are none. Flags at the start of a pattern, as in (?i), apply to the whole pattern. Throws a
 * `UsageError` for a pattern that is invalid or also matches the empty string.
 */
function redactionsOf(given: Given, usage: string): FindSecrets | undefined {
  const patterns = given.all("redact").map((pattern) => {
    const [, flags = "", rest = ""] = /^(?:\(\?([ims]+)\))?(.*)$/s.exec(pattern) ?? [];
    let compiled: RegExp;
    try {
      compiled = new RegExp(rest, `gu${flags}`);
    } catch (error) {
      throw new UsageError(`--redact: ${(error as Error).message}`, usage);
    }
    if (compiled.exec("")) throw new UsageError(`--redact: "${pattern}" also matches no text at all`, usage);
    return compiled;
  });
  if (patterns.length === 0) return undefined;
  return (text) => patterns.flatMap((pattern) => text.match(pattern) ?? []);
}
