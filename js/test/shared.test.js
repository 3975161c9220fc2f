// Tests memories that processes share: with real servers and each client, from several processes, and together with the Go proxy.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Conversation, createCompactor, createFitter, load } from "ctxfold";
import { sharedMemory, sharedStates } from "ctxfold/shared";
import { CLIENTS, leasesOf, versionOf } from "./support/clients.js";
import { recordsOf } from "./support/records.js";
import { historyOf, POLICY, runReplicas, summariesIn, summaryOf } from "./support/replicas.js";
import { freePort, lineTo, noServers, start, startPostgres, startRedis } from "./support/servers.js";
import { updating, write } from "./support/tested-on.js";

const module = await load();
const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const long = Number(process.env.TALKS ?? 0);

/** @type {(() => unknown)[]} */
const ends = [];
const all = { after: (/** @type {() => unknown} */ work) => ends.unshift(work) };
/** @type {Record<string, string>} */
const urls = {};
before(async () => {
  if (!noServers) Object.assign(urls, { redis: await startRedis(all), postgres: await startPostgres(all) });
});
after(async () => {
  for (const end of ends) await end();
});

/**
 * Returns a fitter for one process, with counters for its costs.
 * @param {import("ctxfold").SharedMemory | undefined} memory
 * @param {object} [more]
 */
function replica(memory, more = {}) {
  const counts = { calls: 0, compactions: 0 };
  const fit = createFitter({
    module,
    policy: POLICY,
    ...(memory && { memory }),
    onCompaction: () => counts.compactions++,
    summarize: async () => {
      await setTimeout(20);
      return summaryOf(++calls, ++counts.calls);
    },
    ...more,
  });
  return Object.assign(fit, { counts });
}
let calls = 0;
let names = 0;
/** Time limits that no call to a real server reaches, however busy the machine is. */
const PATIENT = { leaseMs: 3_600_000, timeoutMs: 3_600_000 };
/** Returns a prefix or schema that nobody else uses. @param {string} store */
const place = (store) => ({
  ...PATIENT,
  ...(store === "redis" ? { prefix: `test${++names}:` } : { schema: `Test "${++names}"` }),
});

/**
 * Advances the fake time, and lets everything that is due happen.
 * @param {import("node:test").TestContext} t
 * @param {number} ms
 */
async function pass(t, ms) {
  for (let passed = 0; passed < ms; passed += 10) {
    t.mock.timers.tick(10);
    for (let i = 0; i < 5; i++) await setImmediate();
  }
}

const TURNS = 30;

/** The number of compactions that one process makes in these turns. It is computed once. @type {Promise<number> | undefined} */
let counted;
function alone() {
  counted ??= (async () => {
    const fit = replica(undefined);
    for (let turn = 1; turn <= TURNS; turn++) await fit(historyOf(0, turn));
    return fit.counts.compactions;
  })();
  return counted;
}

for (const [name, { store, open }] of Object.entries(CLIENTS)) {
  test(`${name}: whoever asks, each compaction is made once`, { skip: noServers }, async (t) => {
    const at = place(store);
    const opened = await Promise.all([1, 2, 3].map(() => open(urls[store], at)));
    t.after(() => opened.map(({ close }) => close()));
    const fits = opened.map(({ memory }) => replica(memory));
    const made = () => fits.reduce((sum, { counts }) => sum + counts.compactions, 0);
    const want = await alone();
    assert.ok(want >= 3);
    for (let turn = 1; turn <= TURNS; turn++) {
      const sent = await Promise.all(fits.map(async (fit) => (await fit(historyOf(0, turn))).messages));
      for (const each of sent) assert.deepEqual(each, sent[0], `turn ${turn}`);
    }
    assert.equal(made(), want);
    const { report, known } = await fits[0](historyOf(0, TURNS), { id: "somebody else" });
    assert.deepEqual([known, report.changed], [false, true], "another id gets what is not its own");
    if (updating) await write("sdks", name.replace("-5", " (5)"), versionOf(name), "a memory that processes share");
  });
}

/** Runs a conversation of 20 turns in one process. @param {import("ctxfold").StateStore} states @param {() => unknown} asked */
function conversation(states, asked) {
  const summarize = async () => {
    asked();
    await setTimeout(50);
    return summaryOf(1, 1);
  };
  return new Conversation(createCompactor({ module, policy: POLICY, summarize }), {
    id: "c",
    states,
    messages: historyOf(1, 20),
  });
}

for (const [name, { store, open }] of Object.entries(CLIENTS)) {
  test(`${name}: a conversation in two processes is compacted by one of them`, { skip: noServers }, async (t) => {
    const at = place(store);
    const opened = await Promise.all([1, 2].map(() => open(urls[store], at)));
    t.after(() => opened.map(({ close }) => close()));
    const asked = [0, 0];
    const talks = opened.map(({ states }, i) => conversation(states, () => asked[i]++));
    await Promise.all(talks.map((talk) => talk.check())); // both have read that there is no state
    const ended = await Promise.allSettled(talks.map((talk) => talk.afterTurn()));
    const [won, lost] = ended[0].status === "fulfilled" ? talks : talks.toReversed();
    const reasons = ended.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : [each.value.reason]));
    assert.deepEqual(reasons.sort(), ["compacted", "conflict"]);
    assert.deepEqual(asked.map(Boolean).sort(), [false, true], "both have asked for summaries");
    await lost.setMessages(won.messages);
    assert.deepEqual(lost.state, won.state);
    await lost.append(...historyOf(2, 20));
    assert.equal((await lost.afterTurn()).changed, true);
    await won.append(...historyOf(2, 20));
    await assert.rejects(won.afterTurn(), { code: "conflict" });
  });
}

test("a conversation goes on where its store fails", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const { store } = recordsOf();
  let down = true;
  /** @type {any} */
  const flaky = Object.fromEntries(
    Object.entries(store).map(([name, call]) => [
      name,
      async (/** @type {any[]} */ ...args) => {
        if (down) throw new Error("down");
        return /** @type {any} */ (call)(...args);
      },
    ]),
  );
  const talk = conversation(sharedStates(flaky), () => {});
  assert.equal((await talk.afterTurn()).changed, true);
  await talk.append(...historyOf(2, 20));
  assert.equal((await talk.afterTurn()).changed, true);
  down = false;
  t.mock.timers.tick(3100);
  await talk.append(...historyOf(3, 20));
  assert.equal((await talk.afterTurn()).changed, true);
  assert.deepEqual(await sharedStates(store).loadState("c"), talk.state);
});

describe("a store that fails costs a compaction more, and no request", { skip: noServers }, () => {
  for (const [name, { store, open }] of Object.entries(CLIENTS)) {
    test(name, async (t) => {
      const at = place(store);
      let errors = 0;
      // Calls have a time limit of an hour while the store works, and a short one while it is down.
      let down = false;
      const { setTimeout: start } = globalThis;
      t.mock.method(
        globalThis,
        "setTimeout",
        (/** @type {() => void} */ work, /** @type {number} */ ms, /** @type {any[]} */ ...args) =>
          start(work, down && ms === PATIENT.timeoutMs ? 50 : ms, ...args),
      );
      let passed = 0;
      const { now } = Date;
      t.mock.method(Date, "now", () => now() + passed);
      const line = await lineTo(t, urls[store]);
      const { memory, close } = await open(line.url, { ...at, onError: () => errors++ });
      t.after(close);
      const fit = replica(memory);
      const turn = async (/** @type {number} */ talk, changed = false) =>
        assert.equal((await fit(historyOf(talk, 20))).report.changed, changed, `conversation ${talk}`);
      await turn(1, true);
      line.cut();
      down = true;
      await turn(1);
      await turn(2, true);
      await turn(2);
      down = false;
      assert.ok(errors > 0, "nobody is told");
      line.mend();
      // The process is left alone for a while and then called again. A client may need several attempts to connect.
      for (let before = -1; before < errors; ) {
        before = errors;
        passed += 3200;
        await turn(2);
      }
      const other = await open(urls[store], at);
      t.after(other.close);
      const { report, known } = await replica(other.memory)(historyOf(2, 20));
      assert.deepEqual([known, report.changed], [true, false], "what was made meanwhile is not in the store");
      line.hang();
      const before = errors;
      down = true;
      await turn(1);
      assert.ok(errors > before, "a store that hangs is no failure");
      line.mend();
    });
  }
});

test("a process that was suspended for longer than its lease sends what another has made", async () => {
  const { store } = recordsOf();
  const slow = sharedMemory({ ...store, renew: async () => true }, { leaseMs: 50 });
  let asked = () => {};
  const begun = new Promise((done) => {
    asked = () => done(undefined);
  });
  let goOn = () => {};
  const continued = new Promise((done) => {
    goOn = () => done(undefined);
  });
  const suspended = replica(slow, {
    summarize: async () => {
      asked();
      await continued;
      return summaryOf(1, 1);
    },
  });
  const late = suspended(historyOf(1, 20));
  await begun;
  const first = await replica(sharedMemory(store))(historyOf(1, 20));
  goOn();
  const second = await late;
  assert.deepEqual([first.report.changed, second.report.changed, second.known], [true, false, true]);
  assert.deepEqual(first.messages, second.messages);
});

test("a lease is renewed while a summary is written, given back, and waited for no longer than the signal says", async (t) => {
  t.mock.timers.enable({ apis: ["Date", "setTimeout", "setInterval"], now: Date.now() });
  const { store, leases } = recordsOf();
  let let_ = () => {};
  const written = new Promise((done) => {
    let_ = () => done(undefined);
  });
  const one = replica(sharedMemory(store, { leaseMs: 600 }), {
    summarize: async () => {
      await written;
      return summaryOf(1, 1);
    },
  });
  const other = replica(sharedMemory(store));
  const first = one(historyOf(1, 20));
  await pass(t, 1500);
  const impatient = assert.rejects(other(historyOf(1, 20), { timeoutMs: 50 }), { name: "TimeoutError" });
  await pass(t, 100);
  await impatient;
  const second = other(historyOf(1, 21)); // continues from the compacted messages
  await pass(t, 100);
  assert.equal(other.counts.calls, 0, "it does not wait");
  let_();
  assert.equal((await first).report.changed, true);
  await pass(t, 400);
  assert.equal((await second).known, true);
  assert.equal(leases.size, 0, "a lease is left");
});

test("a lease that is granted when nobody waits for it any more is given back", async () => {
  const { store, leases } = recordsOf();
  let grant = () => {};
  const granted = new Promise((done) => {
    grant = () => done(undefined);
  });
  const late = {
    ...store,
    lease: async (/** @type {any[]} */ ...args) => {
      await granted;
      const answer = await store.lease(.../** @type {[any, any, any]} */ (args));
      assert.equal(leases.size, 1);
      return answer;
    },
  };
  const fit = replica(sharedMemory(late, { timeoutMs: 30 }));
  assert.equal((await fit(historyOf(1, 20))).report.changed, true);
  grant();
  for (let i = 0; i < 10; i++) await setImmediate();
  assert.equal(leases.size, 0);
});

test("a release without an answer does not keep a process running", async () => {
  const program = `
    import { createFitter } from "ctxfold";
    import { sharedMemory } from "ctxfold/shared";
    import { recordsOf } from ${JSON.stringify(new URL("support/records.js", import.meta.url).href)};
    import { historyOf, POLICY } from ${JSON.stringify(new URL("support/replicas.js", import.meta.url).href)};
    const store = { ...recordsOf().store, release: () => new Promise(() => {}) };
    const fit = createFitter({ policy: POLICY, memory: sharedMemory(store, { timeoutMs: 3_600_000 }), summarize: () => "## Goal" });
    console.log((await fit(historyOf(1, 20))).report.changed);
    fit.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    cwd: `${root}js`,
  });
  assert.equal(stdout.trim(), "true");
});

test("what is made where the model fails is made anew by any process; other records cost a compaction", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const { store, records } = recordsOf();
  let fails = true;
  const summarize = async () => {
    if (fails) throw new Error("busy");
    return summaryOf(1, 1);
  };
  const [one, other] = [1, 2].map(() => replica(sharedMemory(store), { summarize }));
  const turn = async (/** @type {typeof one} */ fit) => (await fit(historyOf(1, 20))).report.changed;
  assert.equal(await turn(one), true);
  const [record] = [...records.values()].map((each) => JSON.parse(each));
  const { version, entries } = record;
  assert.deepEqual([version, entries[0].tries, Object.keys(entries[0].entry).includes("tries")], [3, 1, false]);
  assert.equal(await turn(other), false);
  fails = false;
  t.mock.timers.tick(67_000); // a minute, and up to a tenth of that
  const { messages, report } = await other(historyOf(1, 20));
  assert.deepEqual([report.changed, summariesIn(messages).length], [true, 1]);
  assert.equal(JSON.parse([...records.values()][0]).entries[0].tries, undefined);
  assert.equal(await turn(replica(sharedMemory(store))), false);
  for (const broken of ["", "{", `{"version":1,"entry":{}}`, `{"version":2,"degraded":{"tries":1,"again":9}}`]) {
    for (const key of records.keys()) records.set(key, broken);
    assert.equal(await turn(replica(sharedMemory(store), { summarize })), true, broken);
  }
});

test("what runs in the background in one process is not made by another", async () => {
  const { store } = recordsOf();
  const policy = { ...POLICY, gate: { start: 0.9 } };
  const fits = [1, 2].map(() => replica(sharedMemory(store), { policy }));
  for (let turn = 1; turn <= TURNS; turn++) {
    const sent = await Promise.all(fits.map((fit) => fit(historyOf(1, turn))));
    await Promise.all(sent.map(({ background }) => background));
  }
  const own = replica(undefined, { policy });
  for (let turn = 1; turn <= TURNS; turn++) await (await own(historyOf(1, turn))).background;
  assert.equal(fits[0].counts.compactions + fits[1].counts.compactions, own.counts.compactions);
});

for (const client of ["redis", "postgres"]) {
  test(`processes that are killed by chance, over ${client}`, { skip: noServers }, async () => {
    const fit = replica(undefined);
    const turns = 20;
    for (let turn = 1; turn <= turns; turn++) await fit(historyOf(0, turn));
    const { store } = CLIENTS[client];
    const memory = long ? { ...place(store), leaseMs: 1500, timeoutMs: 2000 } : place(store);
    const leases = await leasesOf(store, urls[store], memory);
    const bury = long ? undefined : leases.end;
    const how = { client, url: urls[store], memory, talks: long || 4, turns, killEvery: 20, ...(bury && { bury }) };
    const { made, ...counts } = await runReplicas(how).finally(leases.close);
    assert.deepEqual(made, Array(how.talks).fill(fit.counts.compactions), JSON.stringify(counts));
    assert.equal(counts.turns, how.talks * turns);
    assert.ok(counts.killed > 0);
    if (long) console.log(client, counts);
  });
}

/** A program for each client. The marked lines must be rejected. */
const PROGRAM = `
import { createClient, createCluster } from "redis";
import { createClient as createClient5 } from "redis-5";
import { Cluster, Redis } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import pg from "pg";
import postgres from "postgres";
import { postgresMemory, postgresStates } from "../../../dist/adapters/postgres.js";
import { redisMemory, redisStates } from "../../../dist/adapters/redis.js";
import type { StateStore } from "../../../dist/index.js";
import type { SharedMemory } from "../../../dist/shared.js";

export const memories: SharedMemory[] = [
  redisMemory(createClient()),
  redisMemory(createCluster({ rootNodes: [] }), { prefix: "{ctxfold}:", maxAgeMs: 1, leaseMs: 1, timeoutMs: 1, onError: console.error }),
  redisMemory(createClient5()),
  redisMemory(new Redis()),
  redisMemory(new Redis5()),
  redisMemory(new Cluster([])),
  postgresMemory(new pg.Pool(), { schema: "app", maxAgeMs: 1, leaseMs: 1, timeoutMs: 1, onError: console.error }),
  postgresMemory(postgres("postgres://localhost/app")),
];
export const states: StateStore[] = [redisStates(createClient()), postgresStates(new pg.Pool(), { schema: "app" })];
// @ts-expect-error a client of the other store
redisMemory(new pg.Pool());
// @ts-expect-error there is no such option
postgresMemory(new pg.Pool(), { prefix: "x" });
`;

test("types in a strict program: each client", async (t) => {
  const folder = await mkdtemp(`${root}js/fixtures/stores/build-types-`);
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(`${folder}/program.ts`, PROGRAM);
  const strict =
    "--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --types node --target es2022 --module nodenext";
  const args = [`${root}js/node_modules/typescript/bin/tsc`, ...strict.split(" "), "program.ts"];
  await run(process.execPath, args, { cwd: folder }).catch((error) => assert.fail(error.stdout || error));
});

test("the scripts and tables are those of the Go modules", async () => {
  const plain = (/** @type {string} */ text) => text.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim();
  for (const [entry, files] of /** @type {const} */ ([
    ["redis", ["find.lua", "keep.lua", "lease.lua", "renew.lua", "release.lua"]],
    ["postgres", ["schema.sql"]],
  ])) {
    const built = plain(await readFile(`${root}js/dist/adapters/${entry}.js`, "utf8"));
    for (const file of files) {
      assert.ok(built.includes(plain(await readFile(`${root}host/${entry}/${file}`, "utf8"))), `${entry}: ${file}`);
    }
  }
});

for (const client of ["redis", "pg"]) {
  test(`a Go proxy and a Node server share ${CLIENTS[client].store}`, {
    skip: noServers,
  }, async (t) => {
    const binary = await built();
    /** @type {any[]} */
    const got = [];
    const endpoint = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
      const body = JSON.parse(await text(request));
      const isSummary = !body.user; // only the clients' requests have a user
      if (!isSummary) got.push(body.messages);
      const content = isSummary ? summaryOf(++calls, 1) : "Done.";
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ finish_reason: "stop", message: { role: "assistant", content } }] }));
    });
    await new Promise((done) => endpoint.listen(0, "127.0.0.1", () => done(undefined)));
    t.after(() => endpoint.close());
    const { port } = /** @type {import("node:net").AddressInfo} */ (endpoint.address());
    const listen = await freePort();
    const { store, open } = CLIENTS[client];
    const url = store === "redis" ? urls.redis : `${urls.postgres}?sslmode=disable`;
    const args = [
      "serve",
      "--upstream",
      `http://127.0.0.1:${port}`,
      "--listen",
      `127.0.0.1:${listen}`,
      "--policy",
      JSON.stringify(POLICY),
    ];
    await start(t, binary, args, "Listening", { env: { ...process.env, CTXFOLD_MEMORY: url } });
    const { memory, close } = await open(urls[store], PATIENT);
    t.after(close);
    const node = replica(memory);
    const proxy = async (/** @type {number} */ turn) => {
      const answer = await fetch(`http://127.0.0.1:${listen}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: "Bearer key", "content-type": "application/json", "ctxfold-conversation": "shared" },
        body: JSON.stringify({ model: "m", user: "u", messages: historyOf(1, turn) }),
      });
      assert.equal(answer.status, 200);
      return { sent: got.at(-1), changed: answer.headers.get("ctxfold-report")?.startsWith("compacted") ?? false };
    };
    let [byGo, byNode] = [0, 0];
    for (let turn = 1; turn <= TURNS; turn++) {
      // The first one makes the compaction, and the other sends the same messages.
      const first = turn % 20 < 10;
      const go = first ? await proxy(turn) : undefined;
      const { messages, report } = await node(historyOf(1, turn), { id: `${OWNER}\0shared` });
      const { sent, changed } = go ?? (await proxy(turn));
      assert.deepEqual(messages, sent, `turn ${turn}`);
      if (changed) byGo++;
      if (report.changed) byNode++;
    }
    assert.ok(byGo > 0 && byNode > 0, `${byGo} by Go, ${byNode} by Node`);
    assert.equal(byGo + byNode, await alone());
  });
}

/** Builds the command once, in the variant for tests, which waits for its memory without a time limit. @returns {Promise<string>} */
function built() {
  const binary = `${root}build/shared/ctxfold-replica`;
  building ??= run("go", ["test", "-vet=off", "-ldflags=-w", "-c", "-o", binary, "./host/cmd/ctxfold"], {
    cwd: root,
  }).then(() => binary);
  return building;
}
/** @type {Promise<string> | undefined} */
let building;

/** @param {string[]} lines */
const sha = (lines) =>
  createHash("sha256")
    .update(lines.map((line) => `${line}\n`).join(""))
    .digest("hex");

/**
 * The owner that the proxy determines for these requests, which name their conversation: hashes of the credentials and of the user in the
 * body.
 */
const OWNER =
  sha(['Authorization ["Bearer key"]']) + sha(['user "\\"u\\""', 'safety_identifier ""', 'metadata.user_id ""']);

/** @param {import("node:http").IncomingMessage} request */
async function text(request) {
  let all = "";
  for await (const piece of request) all += piece;
  return all;
}
