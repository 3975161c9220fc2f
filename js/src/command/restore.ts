/** `ctxfold restore`: restores content that compactions removed. */
import { restoreFrom } from "../archive.js";
import { createCompactor } from "../node.js";
import type { Marker, Messages, Restored } from "../types.js";
import { archiveOf, notedState } from "./archive.js";
import type { Command } from "./command.js";
import { readState } from "./compact.js";
import { EXIT, UsageError } from "./errors.js";
import { fileArgument, located, type Read, readFact, readJson, transcriptOf } from "./input.js";
import { print } from "./output.js";
import { POLICY_FLAGS, policyOf } from "./policy.js";
import { count, facts, plural, table } from "./table.js";

const PARTIAL = "not everything was restored";
/** How many digits of a handle a marker shows. */
const DIGITS = 16;

/** The subcommand `restore`. */
export const restoreCommand: Command = {
  args: "--archive DIRECTORY [FILE|-]",
  short: "Restore what compactions removed from a transcript",
  long: `restore returns the original content that compact --archive stored, byte for byte: everything in the directory, from
the last compaction back to the first, or only the handles that you give with --handle. Markers and digests in the transcript
name the handles of what they replace. The transcript goes to standard output, and a list of what was restored to standard error.

What the directory does not have stays as it is. The transcript is printed all the same, and the exit code is 1 if anything that you
asked for did not come back.

Some removals leave no marker, for example reasoning. The state finds those. The directory has the state of a transcript that is
exactly what compact printed. If messages were added since and nothing was folded, pass the file that compact --state wrote with
--state; it isn't changed.

With --list, restore changes nothing: it lists the handles that the transcript names, and needs no --archive.`,
  examples: [
    "ctxfold restore --archive .ctxfold session.json > longer.json",
    "ctxfold restore --archive .ctxfold --handle 49bd29b43f1c2f5a session.json",
    "ctxfold restore --list session.json",
  ],
  flags: {
    ...POLICY_FLAGS,
    archive: { value: "DIRECTORY", text: "the directory that compact --archive has filled" },
    handle: {
      value: "HANDLE",
      many: "listed",
      text: "the handle of a body to put back, 16 digits or more; may be given more than once",
    },
    json: { text: "print the raw JSON answer" },
    list: { text: "only list the handles that the transcript names" },
    state: { value: "FILE", text: "the file with the state of the conversation, as written by compact --state" },
  },
  async run(given, usage) {
    const [store, handles, list] = [archiveOf(given), given.all("handle"), given.has("list")];
    if (list && handles.length > 0) throw new UsageError("--list and --handle are two questions: ask one", usage);
    if (!store && handles.length > 0) {
      throw new UsageError("--handle needs --archive, the directory that has the bodies", usage);
    }
    if (!store && !list) {
      const needs = "restore needs --archive, the directory that has the content";
      throw new UsageError(`${needs}; --list shows what the transcript names`, usage);
    }
    const policy = await policyOf(given, usage);
    const state = await readState(given.text("state"));
    const source = await readJson(fileArgument(given, usage));
    const compactor = createCompactor({ policy });
    await compactor.ready();
    const read = transcriptOf(compactor, source);
    const messages = read.messages as Messages;
    const known = given.has("state") ? state : await notedState(given, source.text);
    try {
      if (list || !store) {
        await print(markersText(compactor.restore(messages, [], known).markers, given.has("json")));
        return EXIT.ok;
      }
      const named = handles.length > 0 ? handles : undefined;
      const restored = (await restoreFrom(store, compactor, messages, named, known)) as Restored<Uint8Array>;
      const missing = wanted(restored.markers, handles);
      const partial = missing.length > 0 || (handles.length > 0 && restored.report.restored === 0);
      if (!given.has("json")) process.stderr.write(restoredText(restored, missing, partial, read));
      await printRestored(restored, given.has("json"));
      return partial ? EXIT.partial : EXIT.ok;
    } catch (error) {
      throw located(error, read, given);
    }
  },
};

async function printRestored({ messages, ...rest }: Restored<Uint8Array>, json: boolean): Promise<void> {
  if (json) await print(`${JSON.stringify(rest).slice(0, -1)},"messages":`);
  await print(messages);
  await print(json ? "}\n" : "\n");
}

/** Returns the markers that should have been restored: those with the given handles, or all if none are given. */
function wanted(markers: readonly Marker[], handles: readonly string[]): readonly Marker[] {
  if (handles.length === 0) return markers;
  const digits = new Set(handles.map((handle) => handle.toLowerCase().slice(0, DIGITS)));
  return markers.filter(({ handle }) => digits.has(handle.toLowerCase().slice(0, DIGITS)));
}

/**
 * Describes what was restored, and what should have been restored but could not be. `missing` are
 * the markers whose content is still missing. `partial` means that some of the requested content
 * was not restored.
 */
function restoredText(
  { report, valid }: Restored<Uint8Array>,
  missing: readonly Marker[],
  partial: boolean,
  read: Read,
): string {
  const left = (why: Marker["why"] | undefined) => {
    const n = missing.filter((marker) => (marker.why || undefined) === why).length;
    return n === 0 ? "" : plural(n, "handle");
  };
  const changed =
    "what a compaction removed without a marker: the transcript has changed since, or belongs to another state";
  const { restored, messages, tokens } = report;
  const said = facts(
    readFact(read),
    ["put back", restored === 1 ? "1 body" : `${count(restored)} bodies`],
    ["not in the transcript", partial && missing.length === 0 ? "what --handle names" : ""],
    ["not in the archive", left(undefined)],
    ["corrupt in the archive", left("corrupt")],
    ["not taken back", left("changed") && changed],
    ["messages", `${count(messages.before)} → ${count(messages.after)}`],
    ["tokens", `${count(tokens.before)} → ${count(tokens.after)}`],
  );
  const broken = valid ? "" : "the transcript breaks rules of its format (validate lists them)\n";
  return said + broken + (partial ? `ctxfold: warning: ${PARTIAL}\n` : "");
}

function markersText(markers: readonly Marker[], json: boolean): string {
  if (json) return `${JSON.stringify(markers)}\n`;
  if (markers.length === 0) return "the transcript names no handle\n";
  const rows = markers.map(({ handle, what, message }) => [
    handle.slice(0, DIGITS),
    what,
    message < 0 ? "" : count(message), // -1 is the state
  ]);
  return table(["handle", "of", "#message"], rows);
}
