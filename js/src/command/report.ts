/** Formats the report of a compaction as text. */
import type { Action, Report } from "../types.js";
import { change, count, facts, plural, table } from "./table.js";

const REASONS: Record<string, string> = {
  compacted: "compacted",
  under_budget: "unchanged: the transcript is below the limit",
  over_limit: "the transcript is above the limit",
  unlimited: "unchanged: the policy has no limit",
  no_progress: "unchanged: nothing could be gained",
};

/** Returns a table of what a compaction did. `read` is a row about how the input was read. */
export function reportText(report: Report, read: readonly [string, string]): string {
  const { messages, tokens, changed } = report;
  const row = (name: string, { before, after }: { before: number; after: number }) => [
    name,
    count(before),
    count(after),
    change(before, after),
  ];
  const list: [string, string][] = [["result", REASONS[report.reason] ?? report.reason]];
  if (tokens.window > 0) {
    list.push(["window", `${count(tokens.window)} tokens, compaction is due above ${count(tokens.limit)}`]);
  }
  if (changed) {
    list.push(["cleared", whatWasCleared(report)], ["folded", whatWasFolded(report)]);
    list.push(["restored", whatWasRestored(report)], ...whatElse(report));
    list.push([
      "repaired",
      report.repaired ? `${plural(report.repaired, "place")} that the provider would refuse` : "",
    ]);
    list.push(["summary", whereTheSummaryIsFrom(report)], ["unchanged", whatIsUnchanged(report)]);
  }
  const { estimator, preset, format } = report;
  const by = `preset ${preset}, format ${format}, estimator ${estimator}, ${tokens.source} within ${tokens.bound} %`;
  const sizes = table(["", "#before", "#after", "#change"], [row("messages", messages), row("tokens", tokens)]);
  return sizes + facts(...list, ["by", by], read as [string, string]);
}

/** Returns the warnings about a usable result: `left` is about messages that the provider would refuse. */
export function warnings({ thrashing, over, left = [] }: Report): { left: string; rest: string } {
  const repeated = thrashing && `compacted ${thrashing.compactions} times in a row: ${thrashing.text}`;
  return {
    left: left
      .map(
        ({ message, text, rule }) =>
          `warning: the provider would refuse message ${message}, and only you can fix it: ${text} (${rule})\n`,
      )
      .join(""),
    rest: [repeated, over?.text].map((text) => (text ? `ctxfold: warning: ${text}\n` : "")).join(""),
  };
}

function whatWasCleared(report: Report): string {
  if (report.cleared === 0) return "nothing";
  const tools = tally(report, "clear", ({ tool }) => tool);
  return `${plural(report.cleared, "tool result")}, saves ${count(saved(report, "clear"))} tokens (${tools})`;
}

function whatWasFolded(report: Report): string {
  if (report.folded === 0) return "nothing";
  return `${plural(report.folded, "message")} into one digest, saves ${count(saved(report, "fold"))} tokens`;
}

function whatWasRestored(report: Report): string {
  if (report.restored === 0) return "nothing";
  const paths = tally(report, "rehydrate", ({ path }) => path);
  return `${plural(report.restored, "file")}, costs ${count(-saved(report, "rehydrate"))} tokens (${paths})`;
}

/** Returns one line for each pass that the other lines of the report don't cover. */
function whatElse(report: Report): [string, string][] {
  const named = ["clear", "fold", "rehydrate", "repair"];
  const others = new Set(report.actions.map(({ pass }) => pass as string).filter((pass) => !named.includes(pass)));
  return [...others].map((pass) => [pass, `saves ${count(saved(report, pass))} tokens`]);
}

function whereTheSummaryIsFrom({ summary }: Report): string {
  if (summary.source === "none") return "none was needed";
  if (summary.source === "model") return "the summarizer's";
  return summary.why ? `the local digest, because the summarizer's was not taken: ${summary.why}` : "the local digest";
}

function whatIsUnchanged({ stable_prefix: { messages, tokens } }: Report): string {
  if (messages === 0) return "nothing at the front, so a prompt cache starts over";
  return `the first ${plural(messages, "message")} (${count(tokens)} tokens), which a prompt cache can still use`;
}

/** Returns the number of tokens that a pass saved. */
function saved({ actions }: Report, pass: string): number {
  return actions.reduce((sum, action) => (action.pass === pass ? sum + action.tokens : sum), 0);
}

/**
 * Counts a pass's actions by name and lists the names, the most frequent first: "4 Read, 2 Bash", or "a.go, b.go" if
 * no name occurs twice.
 */
function tally({ actions }: Report, pass: string, nameOf: (action: Action) => string | undefined): string {
  const counts = new Map<string, number>();
  for (const action of actions) {
    const name = action.pass === pass && nameOf(action);
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const list = [...counts].sort(([, a], [, b]) => b - a);
  if ((list[0]?.[1] ?? 1) === 1) return list.map(([name]) => name).join(", ");
  return list.map(([name, n]) => `${count(n)} ${name}`).join(", ");
}
