// A function hook for Claude Code that replaces its compactions with ctxfold's. No model is called, so a compaction is fast and free. The
// removed messages are stored in the project's folder .ctxfold, where `npx ctxfold search .ctxfold QUESTION` finds them.
//
//   npm install ctxfold     in the folder of the plugin
//   CLAUDE_CODE_ENABLE_FUNCTION_HOOKS=1 claude --plugin-dir claude-code
//
// A function hook runs without Node, so a separate process does the work: compact.mjs gets the messages, and returns the digest and the index
// of the first message that stays.

/** @type {import("claude-code").Register} */
export const register = (on) => {
  on("session.compact", async ($, event, next) => {
    if (event.instructions) return next(event); // only a model can follow instructions for the summary
    try {
      const input = JSON.stringify({ archive: `${await $.session.root()}/.ctxfold`, messages: event.messages });
      const run = { stdin: input, timeoutMs: 120_000 };
      const { exitCode, stdout, stderr } = await $.process.run(["node", `${$.plugin.root}/compact.mjs`], run);
      if (exitCode !== 0) throw new Error(stderr.slice(-500));
      const { digest, kept } = JSON.parse(stdout);
      if (digest === undefined) return next(event);
      return { messages: [{ role: "user", text: digest, toolUses: [] }, ...event.messages.slice(kept)] };
    } catch (error) {
      $.ui.log(`${error}; Claude Code compacts by itself`);
      return next(event);
    }
  });
};
