// A plugin for opencode. opencode's model still writes the summary of a compaction, but its prompt lists what must be included, which
// ctxfold has found in the session: the user's rules and requests in the user's words, open errors, changed files, and work in progress.
// The removed messages are stored in .ctxfold, where `npx ctxfold search .ctxfold QUESTION` finds them.
//
//   npm install ctxfold
//   opencode.json: { "plugin": ["./opencode.js"] }
import { join } from "node:path";
import { createCompactor } from "ctxfold";
import { directoryStore } from "ctxfold/directory";

const HEAD = `Facts from the record of this session. The summary must hold each rule and each open request word for word, and must not
claim that anything was done that is not listed as done:`;

/** Creates the plugin. @param {any} input its PluginInput @returns {Promise<any>} its Hooks */
export const Ctxfold = async ({ client, directory }) => ({
  "experimental.session.compacting": async (
    /** @type {{ sessionID: string }} */ { sessionID },
    /** @type {{ context: string[] }} */ output,
  ) => {
    try {
      const path = { id: sessionID };
      const [info, messages] = await Promise.all([client.session.get({ path }), client.session.messages({ path })]);
      const facts = await factsOf({ info: info.data, messages: messages.data }, directory);
      if (facts) output.context.push(`${HEAD}\n\n${facts}`);
    } catch (error) {
      // Without the facts, opencode compacts as it would without this plugin.
      await client.app.log({ body: { service: "ctxfold", level: "warn", message: String(error) } }).catch(() => {});
    }
  },
});

/**
 * Returns the digest that would replace all messages but the newest, or undefined for an empty session.
 * @param {object} session as `opencode export` prints it
 * @param {string} directory
 */
async function factsOf(session, directory) {
  const compactor = createCompactor({
    policy: { window: { unlimited: true }, passes: [{ pass: "fold", keep_tokens: 1 }] },
    store: directoryStore(join(directory, ".ctxfold")),
  });
  await compactor.ready();
  const opened = compactor.open(JSON.stringify(session));
  const { messages, state } = await compactor.compact(opened, { options: { force: true } });
  return compactor.digests({ ...opened, messages }, state).find(({ own }) => own)?.text;
}
