// A hook for Claude Code. Before a compaction it collects the user's rules and requests in the user's words, open errors, and work in
// progress. After the compaction it adds them to the model's summary. The removed messages are stored in the project's folder
// .ctxfold, where `npx ctxfold search .ctxfold QUESTION` finds them.
//
//   npm install ctxfold
//   .claude/settings.json:
//   { "hooks": {
//     "PreCompact":   [{ "hooks": [{ "type": "command", "command": "node \"$CLAUDE_PROJECT_DIR/claude-code.js\"" }] }],
//     "SessionStart": [{ "matcher": "compact", "hooks": [{ "type": "command", "command": "node \"$CLAUDE_PROJECT_DIR/claude-code.js\"" }] }] } }
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { createCompactor } from "ctxfold";
import { directoryStore } from "ctxfold/directory";

/** @type {any} the input that Claude Code passes to a hook */
const { hook_event_name, session_id, transcript_path, cwd, source } = await json(process.stdin);
const archive = join(process.env.CLAUDE_PROJECT_DIR ?? cwd, ".ctxfold");
const noted = join(archive, `${String(session_id).replace(/[^\w-]/g, "")}.txt`);

if (hook_event_name === "PreCompact") {
  const text = await whatMustStay(await readFile(transcript_path, "utf8"));
  await mkdir(archive, { recursive: true, mode: 0o700 });
  await writeFile(noted, text, { mode: 0o600 });
} else if (hook_event_name === "SessionStart" && source === "compact") {
  const additionalContext = await readFile(noted, "utf8").catch(() => "");
  if (additionalContext) {
    console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } }));
    await rm(noted, { force: true });
  }
}

/** Returns the digest that would replace all messages but the newest. @param {string} file the session file */
async function whatMustStay(file) {
  const compactor = createCompactor({
    policy: { window: { unlimited: true }, passes: [{ pass: "fold", keep_tokens: 1 }] },
    store: directoryStore(archive),
  });
  await compactor.ready();
  const session = compactor.open(file);
  const { messages, state } = await compactor.compact(session, { options: { force: true } });
  const digest = compactor.digests({ ...session, messages }, state).find(({ own }) => own);
  if (!digest) return "";
  return `From the record of this session before its compaction. Rules and open requests below still hold:\n\n${digest.text}`;
}
