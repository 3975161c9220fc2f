/** `ctxfold open`: shows what a session file contains. */
import { CtxfoldError } from "../errors.js";
import { createCompactor } from "../node.js";
import type { Session } from "../types.js";
import type { Command } from "./command.js";
import { EXIT, InputError, UsageError } from "./errors.js";
import { fileArgument, messageCount, readJson, where } from "./input.js";
import { print } from "./output.js";
import { count, facts, plural } from "./table.js";

/** The subcommand `open`. */
export const openCommand: Command = {
  args: "[FILE|-]",
  short: "Show the conversation in the session file of a coding agent",
  long: `open reads the session file of Claude Code, Cline, Codex, Gemini CLI, Goose, opencode, OpenHands, pi or Roo Code, or a conversation that
LibreChat, Open WebUI, LlamaIndex, Semantic Kernel, Letta or GitHub Copilot has stored, and finds the messages of the next request: one
branch, after the last compaction and with its summary. It shows what the file holds; --messages prints the messages instead, as a list
in the wire format shown.

All commands that take a transcript open session files. The file's model, its system prompt and the provider's counts apply
unless the policy sets them. compact --session writes a session file.`,
  examples: [
    "ctxfold open ~/.claude/projects/-home-me-app/0b1c.jsonl",
    "ctxfold open --messages rollout.jsonl > transcript.json",
  ],
  flags: {
    json: { text: "print the raw JSON answer" },
    messages: { text: "print only the list of messages" },
  },
  async run(given, usage) {
    if (given.has("messages") && given.has("json")) {
      throw new UsageError("--messages and --json are two answers: ask for one", usage);
    }
    const source = await readJson(fileArgument(given, usage));
    const compactor = createCompactor();
    await compactor.ready();
    let session: Session<Uint8Array>;
    try {
      session = compactor.open(source.text);
    } catch (error) {
      throw error instanceof CtxfoldError ? new InputError(error, where(source, error.offset)) : error;
    }
    const { messages, ...rest } = session;
    if (given.has("messages")) {
      await print(messages);
      await print("\n");
    } else if (given.has("json")) {
      await print(`${JSON.stringify(rest).slice(0, -1)},"messages":${new TextDecoder().decode(messages)}}\n`);
    } else {
      await print(
        facts(
          ["kind", session.kind],
          ["format", session.format],
          ["model", session.model ?? ""],
          ["messages", count(messageCount(session))],
          ["system", session.system ? `a prompt of ${plural(Buffer.byteLength(session.system), "byte")}` : ""],
          ["usage", whatWasUsed(session)],
          ["skipped", whatWasSkipped(session)],
        ),
      );
    }
    return EXIT.ok;
  },
};

function whatWasUsed({ usage }: Session<unknown>): string {
  if (!usage) return "not known";
  const { total_tokens, message, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens } = usage;
  return [
    `${count(total_tokens)} tokens up to message ${count(message)}, by the provider: input ${count(input_tokens)}`,
    `cache read ${count(cache_read_tokens)}, cache write ${count(cache_write_tokens)}, output ${count(output_tokens)}`,
  ].join(", ");
}

function whatWasSkipped({ skipped = [] }: Session<unknown>): string {
  if (skipped.length === 0) return "nothing";
  return skipped.map((each) => `${count(each.count)} ${each.what.replaceAll("_", " ")}`).join(", ");
}
