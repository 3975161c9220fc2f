// Runs random apps whose users do everything that users do. SEED=n repeats one of them, SEEDS=n sets their number.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createCompactor, createFitter, load, memoryStore, restoreFrom } from "ctxfold";
import { sharedMemory } from "ctxfold/shared";
import { recordsOf } from "./support/records.js";
import { summary } from "./support/session.js";

const module = await load();
const FIRST = Number(process.env.SEED ?? 0);
const SEEDS = Number(process.env.SEEDS ?? (process.env.SEED ? 1 : process.env.CTXFOLD_LONG ? 200 : 3));
const DEEDS = 60;

/** @typedef {{role: string, content: any, tool_calls?: any, tool_call_id?: string}} Message */
/** @typedef {{kind: string, at: number, seed: number}} Deed */

/** Returns a generator of numbers below `most`, which is the same for each seed. @param {string | number} seed */
function drawing(seed) {
  let n = 0;
  return (/** @type {number} */ most) => createHash("sha256").update(`${seed} ${n++}`).digest().readUInt32LE() % most;
}

const KINDS = [
  ...Array(5).fill("append"),
  ...["edit", "delete", "regenerate", "branch", "back", "volatile", "remind", "mark", "reload", "other writer"],
  ...["at once", "model", "undo", "look back", "go on"],
];

/** @param {number} seed @returns {Deed[]} */
function deedsOf(seed) {
  const draw = drawing(`deeds ${seed}`);
  return Array.from({ length: DEEDS }, () => ({
    kind: KINDS[draw(KINDS.length)],
    at: draw(6) === 0 ? draw(30) : draw(3),
    seed: draw(1 << 30),
  }));
}

const WORDS = ["the", "file", "src/limit.ts", "has", "a bucket", "of 40", "tokens", "größer", "and", "nobody", "reads"];

class App {
  /** @type {"openai-chat" | "anthropic"} */
  format;
  #words = 0;
  #marks = false;
  /** @type {Message[][]} */
  #talk = [];
  /** @type {Message[][][]} */
  #shelved = [];
  /** @type {Message | undefined} */
  #asked;
  /** The messages that were sent last, if the app continues from them. @type {Message[] | undefined} */
  #sent;
  /** The replaced messages as JSON, and how many of them are still sent. @type {{words: string[], kept: number}[]} */
  #made = [];
  /** The number of messages that the newest stored entry replaces. */
  #replaced = 0;
  #store = memoryStore();
  /** @type {() => import("ctxfold").FitMemory | import("ctxfold").SharedMemory} */
  #memory;
  calls = 0;
  compactions = 0;
  /** @type {import("ctxfold").Fitter[]} */
  #fits = [];

  /** @param {number} seed */
  constructor(seed) {
    this.format = seed % 2 ? "anthropic" : "openai-chat";
    if (seed % 4 < 2) {
      /** @type {Map<string, string>} */
      const kept = new Map();
      const later = () => new Promise((done) => setImmediate(done));
      const memory = {
        load: async (/** @type {string} */ key) => {
          await later();
          return kept.get(key);
        },
        save: async (/** @type {string} */ key, /** @type {string} */ text) => {
          await later();
          this.#replaced = JSON.parse(text).entries.at(-1).entry.messages;
          kept.set(key, text);
        },
      };
      this.#memory = () => memory;
    } else {
      const { store } = recordsOf((record) => {
        this.#replaced = JSON.parse(record).entries[0].entry.messages;
      });
      this.#memory = () => sharedMemory(store);
    }
    this.#start();
  }

  /** Starts two processes or tabs without any state. */
  #start() {
    this.#fits = [0, 1].map(() =>
      createFitter({
        module,
        memory: this.#memory(),
        store: this.#store,
        summarize: async () => {
          this.calls++;
          return summary;
        },
      }),
    );
  }

  /** @param {number} window @returns {import("ctxfold").Policy} */
  #policy(window) {
    return { format: this.format, window: { tokens: window, reserve: 200 }, archive: "places" };
  }

  /** @param {(most: number) => number} draw @param {number} most */
  #text(draw, most) {
    const words = Array.from({ length: 1 + draw(most) }, () => WORDS[draw(WORDS.length)]);
    return `Words ${++this.#words}: ${words.join(" ")}.`;
  }

  /** @param {(most: number) => number} draw @returns {Message} */
  #user(draw) {
    return { role: "user", content: this.#text(draw, 40) };
  }

  /** @param {(most: number) => number} draw @returns {Message[]} */
  #rest(draw) {
    /** @type {Message[]} */
    const list = [];
    for (let steps = draw(3); steps > 0; steps--) {
      const [id, path, out] = [`c${this.#words}`, `f${this.#words}.ts`, this.#text(draw, 300)];
      if (this.format === "anthropic") {
        list.push(
          { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { path } }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: out }] },
        );
      } else {
        const call = { id, type: "function", function: { name: "read", arguments: JSON.stringify({ path }) } };
        list.push(
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: id, content: out },
        );
      }
    }
    return [...list, { role: "assistant", content: this.#text(draw, 200) }];
  }

  /** Performs an action, and returns the history to send afterwards. @param {Deed} deed @returns {Message[]} */
  #do({ kind, at: back, seed }) {
    const draw = drawing(seed);
    if (this.#asked) {
      const rest = this.#rest(draw);
      this.#talk = [...this.#talk, [this.#asked, ...rest]];
      this.#sent?.push(...rest);
    }
    let asked = this.#user(draw);
    if (kind !== "go on") this.#sent = undefined;
    const at = this.#talk.length - 1 - back;
    if (at >= 0) {
      const turn = /** @type {Message[]} */ (this.#talk[at]);
      if (kind === "edit") this.#talk = this.#talk.with(at, [this.#user(draw), ...turn.slice(1)]);
      if (kind === "regenerate") {
        this.#talk = this.#talk.with(at, [/** @type {Message} */ (turn[0]), ...this.#rest(draw)]);
      }
      if (kind === "delete") this.#talk = this.#talk.toSpliced(at, 1);
      if (kind === "branch") {
        this.#shelved.push(this.#talk);
        this.#talk = this.#talk.slice(0, at);
      }
      if (kind === "back" && this.#shelved.length > 0) {
        const n = seed % this.#shelved.length;
        const there = /** @type {Message[][]} */ (this.#shelved[n]);
        this.#shelved[n] = this.#talk;
        this.#talk = there;
      }
      if (kind === "undo") {
        asked = /** @type {Message} */ (this.#talk.at(-1)?.[0]);
        this.#talk = this.#talk.slice(0, -1);
      }
    }
    if (kind === "mark") this.#marks = !this.#marks;
    if (kind === "reload") this.#start();
    this.#asked = asked;
    // The user goes back to an answer, before saying anything new.
    if (kind === "look back" && at >= 0) return structuredClone(this.#talk.slice(0, at + 1).flat());
    const given = this.#sent ? [...this.#sent] : this.#talk.flat();
    if (kind === "volatile") asked = { role: "user", content: `Retrieved: ${this.#text(draw, 60)}` };
    if (kind === "remind") {
      given.push(asked);
      if (this.format === "anthropic") given.push({ role: "assistant", content: "I am listening." });
      asked = { role: "user", content: `Reminder: ${this.#text(draw, 10)}` };
    }
    if (this.#marks && this.format === "anthropic") {
      const mark = { cache_control: { type: "ephemeral" } };
      asked = { role: "user", content: [{ type: "text", text: asked.content, ...mark }] };
    }
    return structuredClone([...given, asked]);
  }

  /** @param {Deed} deed */
  async live(deed) {
    const history = this.#do(deed);
    const goes = this.#sent !== undefined;
    const window = deed.kind === "model" ? 2200 : 3000;
    const policy = this.#policy(window);
    const words = history.map((each) => JSON.stringify(each));
    const [one, two] = /** @type {[any, any]} */ (this.#fits);
    const asking = { "at once": [one, two], "other writer": [two] }[deed.kind] ?? [one];
    const before = this.calls;
    const all = await Promise.all(asking.map((fit) => fit(history, { policy })));
    const changed = all.filter(({ report }) => report.changed);
    for (const { messages } of all) assert.deepEqual(messages, all[0].messages, "two who ask at once send the same");
    const { messages, report } = changed[0] ?? all[0];
    assert.ok(changed.length <= 1, `${changed.length} compactions by two who asked at once`);
    const most = changed.length * (2 + report.tokens.before / 1000);
    assert.ok(this.calls - before <= most, `${this.calls - before} calls of the model`);
    assert.ok(report.tokens.after <= report.tokens.limit || report.over, `${report.tokens.after} tokens are sent`);
    assert.equal(messages.at(-1), history.at(-1), "the newest message is the app's own");
    assert.deepEqual(createCompactor({ module, policy }).validate(messages).violations, []);
    const restored = await restoreFrom(this.#store, createCompactor({ module, policy }), messages);
    if (!goes) {
      assert.deepEqual(restored.messages, history, "the history comes back");
      this.#remembers(history, words, messages, changed.length > 0, all[0].known, deed.kind === "look back");
    }
    const changing = ["volatile", "remind"].includes(deed.kind) || this.#marks;
    this.#sent = deed.seed % 3 === 0 && !changing ? [...messages] : undefined;
  }

  /** What was replaced before is not sent again, and not made again. @param {Message[]} history @param {string[]} words @param {Message[]} sent @param {boolean} changed @param {boolean} known @param {boolean} back where nothing that was said is behind, an older one is taken */
  #remembers(history, words, sent, changed, known, back) {
    const kept = (/** @type {number} */ n) => history.slice(0, n).filter((each) => sent.includes(each)).length;
    for (const made of this.#made) {
      const n = made.words.length;
      if (n > words.length || made.words.some((each, i) => each !== words[i])) continue;
      if (back) continue;
      assert.ok(changed || known, "nothing is known of a beginning that was compacted");
      assert.ok(kept(n) <= made.kept, `${kept(n)} of ${n} messages are sent that were compacted`);
    }
    if (!changed) return;
    const n = this.#replaced;
    const replaced = words.slice(0, n);
    const before = this.#made.find(
      (each) => each.words.length === n && each.words.every((word, i) => word === replaced[i]),
    );
    assert.ok(!before || back, `the first ${n} messages were compacted a second time`);
    // The newest message of the user is kept then, and what was made takes the place of what was there.
    if (before) before.kept = Math.max(before.kept, kept(n));
    else this.#made.push({ words: replaced, kept: kept(n) });
    this.compactions++;
  }
}

/** Returns the first action that fails a check, with the reason. @param {number} seed @param {Deed[]} deeds */
async function lived(seed, deeds) {
  const app = new App(seed);
  for (const [i, deed] of deeds.entries()) {
    try {
      await app.live(deed);
    } catch (error) {
      return { app, wrong: `deed ${i} (${Object.values(deed).join(" ")}): ${/** @type {Error} */ (error).message}` };
    }
  }
  return { app };
}

test("random apps: what is sent is valid, fits and comes back, and nothing is compacted twice", async () => {
  let compactions = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    let deeds = deedsOf(seed);
    let { app, wrong } = await lived(seed, deeds);
    compactions += app.compactions;
    if (!wrong) continue;
    for (let i = deeds.length - 1; i >= 0; i--) {
      const still = await lived(seed, deeds.toSpliced(i, 1));
      if (still.wrong) [deeds, wrong] = [deeds.toSpliced(i, 1), still.wrong];
    }
    const list = deeds.map((each) => Object.values(each).join(" ")).join(", ");
    assert.fail(`SEED=${seed}, ${app.format}: ${wrong}\nafter ${list}`);
  }
  assert.ok(compactions >= 5 * SEEDS, `${compactions} compactions in ${SEEDS} apps`);
});
