// Apps that change their last message, their system prompt, or messages after the cut in each call: compactions replace
// none of these, so the changes cost nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, createCompactor, createFitter, load } from "ctxfold";
import { sharedMemory } from "ctxfold/shared";
import * as remote from "ctxfold/worker";
import { recordsOf } from "./support/records.js";
import { summary } from "./support/session.js";

const module = await load();
const TURNS = 60;
/** @type {import("ctxfold").Policy} */
const policy = { format: "openai-chat", window: { tokens: 8000, reserve: 500 } };

/** @typedef {{role: string, content: string}} Message */

/** @param {number} turn */
const asks = (turn) => ({ role: "user", content: `Question ${turn}: what is in file ${turn}?` });
/** @param {number} turn */
const tells = (turn) => ({
  role: "assistant",
  content: `Answer ${turn}. ${"The file has lines, words and letters. ".repeat(30)}`,
});
/** @param {number} call */
const found = (call) => `Context ${call}: ${"It was found. ".repeat(20 + (call % 5))}`;

/**
 * Functions that change a history that ends with the question of a turn, as some apps do before each call.
 * @type {Record<string, (list: Message[], turn: number, call: number) => Message[]>}
 */
const HABITS = {
  plain: (list) => list,
  "retrieved context in the newest message": (list, turn, call) =>
    list.with(-1, { role: "user", content: `${found(call)}\n\n${asks(turn).content}` }),
  "retrieved context in front of the newest message": (list, _, call) =>
    list.toSpliced(-1, 0, { role: "user", content: found(call) }, { role: "assistant", content: "I have read it." }),
  "a clock in the system prompt": (list, _, call) => [{ role: "system", content: `It is 10:${call}.` }, ...list],
  "a reminder that moves on with the newest message": (list, turn, call) =>
    list.with(-1, { role: "user", content: `${asks(turn).content}\n\n<reminder>Call ${call}. Be brief.</reminder>` }),
  "a reminder after the newest message": (list, _, call) => [
    ...list,
    { role: "user", content: `Reminder ${call}: be brief.` },
  ],
  "the question before is reworded": (list, turn, call) =>
    turn > 2 ? list.with(-3, { role: "user", content: `${asks(turn - 1).content} In words of call ${call}?` }) : list,
  "the turn before is deleted": (list, turn, call) => (turn > 2 && call % 2 ? list.toSpliced(-3, 2) : list),
  "the newest answer is regenerated": (list, turn, call) =>
    turn > 2 ? list.with(-2, { role: "assistant", content: `Attempt ${call}. ${tells(turn - 1).content}` }) : list,
};

/** Yields each history that an app sends, twice per turn. @param {string} habit */
function* histories(habit) {
  /** @type {Message[]} */
  const list = [];
  for (let call = 0; call < 2 * TURNS; call++) {
    const turn = call >> 1;
    if (call % 2 === 0) list.push(asks(turn));
    yield HABITS[habit]([...list], turn, call);
    if (call % 2 === 1) list.push(tells(turn));
  }
}

/** Returns the costs of fitting an app's histories. @param {string} habit @param {(options: object) => any} make */
async function costs(habit, make) {
  const made = { compactions: 0, calls: 0 };
  const fit = make({
    policy,
    summarize: () => {
      made.calls++;
      return summary;
    },
    onCompaction: () => made.compactions++,
  });
  for (const history of histories(habit)) {
    const { messages, report } = await fit(history);
    assert.ok(report.tokens.after <= report.tokens.limit);
    assert.equal(messages.at(-1), history.at(-1), "the newest message is the app's own");
    if (report.changed) assert.deepEqual(createCompactor({ module, policy }).validate(messages).violations, []);
  }
  return made;
}

/** Returns a memory on top of a map that responds asynchronously, like a database of the page. */
function slowMemory() {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    load: async (/** @type {string} */ key) => kept.get(key),
    save: async (/** @type {string} */ key, /** @type {string} */ text) => void kept.set(key, text),
  };
}

/** @type {Record<string, (options: object) => any>} */
const WAYS = {
  "in the process": (options) => createFitter({ module, ...options }),
  "a memory of the host's, and a new fitter in each call": (options) => {
    const memory = slowMemory();
    return (/** @type {any} */ history) => createFitter({ module, memory, ...options })(history);
  },
  "a store that processes share, and a new fitter in each call": (options) => {
    const { store } = recordsOf();
    return (/** @type {any} */ history) => createFitter({ module, memory: sharedMemory(store), ...options })(history);
  },
};

/** @param {Record<string, {compactions: number, calls: number}>} made */
function same(made) {
  const { plain } = made;
  assert.ok(plain.compactions >= 3 && plain.compactions <= 6, JSON.stringify(plain));
  for (const [habit, { compactions, calls }] of Object.entries(made)) {
    // Retrieved text is sent too, so the window fills up a little earlier.
    const near = Math.abs(compactions - plain.compactions) <= 1 && calls <= plain.calls + 1;
    assert.ok(near, `${habit}: ${compactions} and ${calls}, where the same words take ${JSON.stringify(plain)}`);
  }
}

for (const [name, make] of Object.entries(WAYS)) {
  test(`${TURNS} turns at 8,000 tokens, ${name}: what changes behind the cut costs nothing`, async () => {
    /** @type {Record<string, {compactions: number, calls: number}>} */
    const made = {};
    for (const habit of Object.keys(HABITS)) made[habit] = await costs(habit, make);
    same(made);
  });
}

test("in a worker it is the same", async (t) => {
  /** @type {Record<string, {compactions: number, calls: number}>} */
  const made = {};
  for (const habit of ["plain", "retrieved context in the newest message", "a reminder after the newest message"]) {
    made[habit] = await costs(habit, (options) => {
      const fit = remote.createFitter(options);
      t.after(() => fit.close());
      return fit;
    });
  }
  same(made);
});

test("a live conversation whose newest messages are replaced before each call costs no more", async () => {
  /** @type {Record<string, {compactions: number, calls: number}>} */
  const made = {};
  for (const habit of Object.keys(HABITS)) {
    const cost = { compactions: 0, calls: 0 };
    const summarize = () => {
      cost.calls++;
      return summary;
    };
    const live = new Conversation(createCompactor({ module, policy, summarize }), {});
    /** @type {Message[]} what the app keeps */
    let list = [];
    for (let call = 0; call < 2 * TURNS; call++) {
      const turn = call >> 1;
      if (call % 2 === 0) list.push(asks(turn));
      const given = HABITS[habit]([...list], turn, call);
      await live.setMessages(given);
      if ((await live.afterTurn()).changed) {
        cost.compactions++;
        // The digest is followed by the app's own messages, not by those that its habit has inserted.
        const own = new Set(list.map((each) => JSON.stringify(each)));
        const digest = /** @type {Message[]} */ (live.messages).filter((each) => !given.includes(each));
        const kept = /** @type {Message[]} */ (live.messages).filter((each) => own.has(JSON.stringify(each)));
        list = [...digest, ...kept.filter((each) => each.content !== asks(turn).content), asks(turn)];
      }
      if (call % 2 === 1) list.push(tells(turn));
    }
    made[habit] = cost;
  }
  same(made);
});
