/** `ctxfold validate`: finds the violations for which a provider would reject a transcript. */
import { createCompactor } from "../node.js";
import type { Validation } from "../types.js";
import type { Command } from "./command.js";
import { EXIT } from "./errors.js";
import { fileArgument, located, position, type Read, readJson, transcriptOf } from "./input.js";
import { print } from "./output.js";
import { POLICY_FLAGS, policyOf } from "./policy.js";
import { plural, table } from "./table.js";

/** The subcommand `validate`. */
export const validateCommand: Command = {
  args: "[FILE|-]",
  short: "Find what a provider would refuse in a transcript",
  long: `validate lists where a transcript breaks the rules of its wire format, for example a tool call without a result. The exit
code is 1 if the provider would refuse the transcript; violations that it tolerates are listed as advice.`,
  examples: ["ctxfold validate session.json && echo fine"],
  flags: { ...POLICY_FLAGS, json: { text: "print the raw JSON answer" } },
  async run(given, usage) {
    const policy = await policyOf(given, usage);
    const source = await readJson(fileArgument(given, usage));
    const compactor = createCompactor({ policy });
    await compactor.ready();
    const read = transcriptOf(compactor, source);
    let found: Validation;
    try {
      found = compactor.validate(read.messages);
    } catch (error) {
      throw located(error, read, given);
    }
    await print(given.has("json") ? `${JSON.stringify(found)}\n` : textOf(found, read, policy.format));
    return found.valid ? EXIT.ok : EXIT.partial;
  },
};

function textOf(
  { valid, violations, messages, format }: Validation,
  { source, name, session }: Read,
  named?: string,
): string {
  const of = `(${plural(messages, "message")}, format ${format})`;
  if (violations.length === 0) return `${name}: valid ${of}\n`;
  const says = plural(violations.length, "violation");
  const rows = violations.map(({ rule, severity, offset, path, text, repair }) => {
    const { line, column } = position(source.text, offset);
    const place = session ? "" : `${line}:${column}`;
    return [rule, severity, place, path, text, (repair ?? "").replaceAll("_", " ")];
  });
  const head = ["rule", "severity", "line:column", "path", "what is wrong", "repair"];
  const summary = valid ? `valid, with ${says} that the provider tolerates` : says;
  const guess = "No message shows its format, so the strictest rules were applied. Name yours with --format.\n";
  return `${name}: ${summary} ${of}\n${table(head, rows, { suppressEmpty: true })}${format === "plain" && !named ? guess : ""}`;
}
