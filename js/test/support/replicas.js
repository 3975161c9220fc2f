// Runs several processes that share a store and are killed at random.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("replica.js", import.meta.url));

/** @type {import("ctxfold").Policy} */
export const POLICY = { format: "openai-chat", window: { tokens: 4000, reserve: 500 } };
const SUMMARY_MS = 20;
const SUMMARY = /Summary number (\d+) of conversation (\d+)/;

/** Returns the history at a turn. @param {number} talk @param {number} turn @returns {{role: string, content: string}[]} */
export function historyOf(talk, turn) {
  const list = [];
  for (let i = 0; i < turn; i++) {
    list.push(
      { role: "user", content: `Conversation ${talk}, request ${i}.` },
      { role: "assistant", content: `File ${i} of ${talk}. ${"It has lines and words. ".repeat(80)}` },
    );
  }
  return [...list, { role: "user", content: `Conversation ${talk}, request ${turn}.` }];
}

/** Returns a unique summary. All summaries have the same length. @param {number} number @param {number} talk */
export const summaryOf = (number, talk) =>
  `## Goal\nEvery file is to be read and counted, as the user has asked for.\n\n## Progress\nSummary number ${String(number).padStart(6, "0")} of conversation ${talk}: the files were read.`;

/** Returns the summaries in a list. @param {unknown} messages */
export const summariesIn = (messages) => JSON.stringify(messages).match(new RegExp(SUMMARY, "g")) ?? [];

/**
 * Processes that answer turns. Each turn of a conversation is requested from two of them at the same time. If a
 * process is killed meanwhile, the turn is requested again. `killEvery` is the average number of turns that are
 * answered between two kills; 0 means that none is killed. `bury` ends the leases of a killed process, whose holders
 * begin with its name; without it, the leases expire.
 * @param {{client: string, url: string, memory?: object, processes?: number, talks: number, turns: number, killEvery?: number, atOnce?: number, bury?: (name: string) => Promise<unknown>}} how
 */
export async function runReplicas(how) {
  const { client, url, memory, processes = 3, talks, turns, killEvery = 0, atOnce = 8, bury } = how;
  const args = [JSON.stringify([client, url, { policy: POLICY, memory }])];
  const counts = { turns: 0, killed: 0, summaries: 0, compactions: 0, cpu: 0 };
  /** @typedef {{name: string, child: import("node:child_process").ChildProcess, ready: Promise<void>, waiting: Map<number, (answer: any) => void>}} Replica */
  let begun = 0;
  const begin = () => {
    const name = `replica${++begun}`;
    const env = { ...process.env, REPLICA: name };
    const stdio = /** @type {any} */ (["ignore", "ignore", "inherit", "ipc"]);
    const child = fork(program, args, { serialization: "advanced", stdio, env });
    /** @type {Replica["waiting"]} */
    const waiting = new Map();
    /** @type {Replica} */
    const replica = {
      name,
      child,
      waiting,
      ready: new Promise((done) => {
        child.on("message", (/** @type {any} */ message) => {
          if (message.ready) return done();
          if (!message.summarize) return void waiting.get(message.number)?.(message);
          const text = summaryOf(++counts.summaries, message.talk);
          setTimeout(() => child.connected && child.send({ summary: message.summarize, text }, () => {}), SUMMARY_MS);
        });
        child.once("exit", () => {
          for (const answer of waiting.values()) answer(undefined);
          done();
        });
      }),
    };
    return replica;
  };
  const all = Array.from({ length: processes }, begin);
  let numbers = 0;
  /**
   * Requests a turn of a conversation, first from the process number `at`.
   * @param {number} talk
   * @param {number} turn
   * @param {number} at
   * @returns {Promise<any>}
   */
  const ask = async (talk, turn, at) => {
    for (;;) {
      const replica = /** @type {Replica} */ (all[at++ % processes]);
      await replica.ready;
      const number = ++numbers;
      const answer = await new Promise((done) => {
        replica.waiting.set(number, done);
        if (replica.child.exitCode !== null || replica.child.signalCode !== null) return done(undefined);
        replica.child.send({ number, talk, history: historyOf(talk, turn) }, (error) => error && done(undefined));
      });
      replica.waiting.delete(number);
      if (answer) return answer;
    }
  };
  /** @type {string[]} */
  const dead = [];
  let over = false;
  /**
   * Ends the leases of dead processes repeatedly, because the last call of a process may arrive at the server after
   * its death.
   */
  const burying = async () => {
    while (bury && !over) {
      for (const name of dead) await bury(name);
      await new Promise((later) => setTimeout(later, 20));
    }
  };
  const buried = burying();
  let due = killEvery;
  /**
   * Kills a process if enough turns have been answered since the last kill, so that all turns are answered even on a
   * slow machine.
   */
  const kill = async () => {
    if (killEvery === 0 || counts.turns < due) return;
    due = counts.turns + killEvery * (0.5 + Math.random());
    const at = Math.floor(Math.random() * processes);
    const { name, child, ready } = /** @type {Replica} */ (all[at]);
    await ready;
    child.kill("SIGKILL");
    dead.push(name);
    counts.killed++;
    all[at] = begin();
  };
  const talk = async (/** @type {number} */ number) => {
    /** @type {string[]} */
    const seen = [];
    for (let turn = 1; turn <= turns; turn++) {
      const [one, other] = await Promise.all([ask(number, turn, number + turn), ask(number, turn, number + turn + 1)]);
      assert.deepEqual(
        one.messages,
        other.messages,
        `conversation ${number}, turn ${turn}: two processes send different things`,
      );
      assert.deepEqual(one.messages.at(-1), historyOf(number, turn).at(-1));
      const summaries = summariesIn(one.messages);
      assert.ok(
        summaries.every((each) => each.endsWith(` ${number}`)),
        `conversation ${number} has what is of another`,
      );
      const now = summaries.join();
      if (now !== seen.at(-1) && now !== "") {
        assert.ok(!seen.includes(now), `conversation ${number}, turn ${turn}: back to an earlier compaction`);
        seen.push(now);
      }
      counts.turns++;
      await kill();
      counts.cpu += one.cpu + other.cpu;
    }
    counts.compactions += seen.length;
    return seen.length;
  };
  let next = 0;
  /** @type {number[]} */
  const made = [];
  const started = performance.now();
  try {
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (next < talks) made.push(await talk(next++));
      }),
    );
  } finally {
    over = true;
    await buried;
    for (const { child } of all) child.kill("SIGKILL");
  }
  return { ...counts, seconds: (performance.now() - started) / 1000, made };
}
