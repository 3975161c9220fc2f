import { createCompactor, load, memoryStore, restoreFrom } from "ctxfold";
import { answers, tokens } from "./protocol.js";

const module = await load();
const format = /** @type {const} */ ("openai-chat");
const { version } = createCompactor({ module }).info();
const store = memoryStore();
/** @type {any} */
let state = null;

answers(
  { name: "ctxfold", version, format, promises: ["valid", "fits", "newest", "rules", "unchanged", "restores"] },
  {
    async compact(messages, limit) {
      const countTokens = (/** @type {any} */ given) => tokens(given);
      const policy = { format, window: { tokens: limit, reserve: 0 }, gate: { ratio: 1 } };
      const done = await createCompactor({ module, policy, store, countTokens }).compact(messages);
      state = done.state;
      return done.messages;
    },
    async restore(messages) {
      const compactor = createCompactor({ module, policy: { format }, state });
      return (await restoreFrom(store, compactor, messages)).messages;
    },
  },
);
