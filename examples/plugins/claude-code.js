// Claude Code, as a hook: before a compaction it reads what must stay, and after it gives that back, next to the summary of the model:
// the user's rules and requests in the user's words, errors that are open, work that still runs. What the compaction takes away is kept in
// .ctxfold of the project, where `npx ctxfold search .ctxfold QUESTION` finds it.
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

/** @type {any} what Claude Code tells its hooks */
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

/** What ctxfold would write in place of all messages but the newest. @param {string} file the session file */
async function whatMustStay(file) {
  const compactor = createCompactor({
    policy: { window: { unlimited: true }, passes: [{ pass: "fold", keep_tokens: 1 }] },
    store: directoryStore(archive),
  });
  await compactor.ready();
  const { messages, state } = await compactor.compact(compactor.open(file), { options: { force: true } });
  const digest = compactor.digests(messages, state).find(({ own }) => own);
  if (!digest) return "";
  return `From the record of this session before its compaction. Rules and open requests below still hold:\n\n${digest.text}`;
}
