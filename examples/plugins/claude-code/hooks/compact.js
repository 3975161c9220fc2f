// Claude Code, as a function hook: its compactions are ctxfold's. No model is called, so that a compaction takes no time and costs nothing, and
// what is removed is kept in .ctxfold of the project, where `npx ctxfold search .ctxfold QUESTION` finds it.
//
//   npm install ctxfold     in the folder of the plugin
//   CLAUDE_CODE_ENABLE_FUNCTION_HOOKS=1 claude --plugin-dir claude-code
//
// A hook runs without Node, so that the work is done by a process: compact.mjs gets the messages and says which of them stay.

/** @type {import("claude-code").Register} */
export const register = (on) => {
  on("session.compact", async ($, event, next) => {
    if (event.instructions) return next(event); // what the user wants of a summary is for a model to read
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
