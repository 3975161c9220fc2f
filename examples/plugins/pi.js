// An extension for pi that replaces its compaction with ctxfold's. No model is called, so a compaction is fast and free. The removed
// messages are stored in .ctxfold, where `npx ctxfold search .ctxfold QUESTION` finds them.
//
//   npm install ctxfold
//   pi --extension pi.js
import { join } from "node:path";
import { createCompactor } from "ctxfold";
import { directoryStore } from "ctxfold/directory";

/** Registers the extension. @param {any} pi its ExtensionAPI */
export default function ctxfold(pi) {
  pi.on("session_before_compact", async (/** @type {any} */ event, /** @type {any} */ context) => {
    const { preparation, branchEntries, customInstructions, signal } = event;
    if (customInstructions) return; // instructions for the summary need a model to follow them, so pi's own compaction handles them
    try {
      return { compaction: await compacted(branchEntries, preparation, context, signal) };
    } catch (error) {
      if (!signal.aborted) context.ui?.notify?.(`ctxfold: ${error}; pi compacts by itself`, "warning");
    }
  });
}

/**
 * Returns the entry that pi stores: a summary, and the first entry that is kept. It is the one that `ctxfold compact --session` would write
 * for a session file with these entries. Undefined leaves the compaction to pi.
 * @param {object[]} entries
 * @param {any} preparation
 * @param {any} context
 * @param {AbortSignal} signal
 */
async function compacted(entries, preparation, { cwd = process.cwd(), model }, signal) {
  const { tokensBefore, settings } = preparation;
  const header = { type: "session", version: 3, id: "ctxfold", timestamp: new Date().toISOString(), cwd };
  const file = [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
  const compactor = createCompactor({
    policy: {
      window: { tokens: model?.contextWindow || 200_000 },
      passes: [{ pass: "fold", keep_tokens: settings.keepRecentTokens }],
    },
    store: directoryStore(join(cwd, ".ctxfold")),
  });
  await compactor.ready();
  const done = await compactor.compact(compactor.open(file), { options: { force: true }, signal });
  const added = compactor.save(file, done).slice(file.length).trim().split("\n");
  if (!done.report.changed || added.length !== 1) return undefined; // the remaining messages were changed
  const { summary, firstKeptEntryId } = JSON.parse(added[0] ?? "");
  return { summary, firstKeptEntryId, tokensBefore, details: { by: "ctxfold", folded: done.report.folded } };
}
