// Runs real conversations: through the edge example in workerd with a Durable Object for each, through `ctxfold serve` with Redis, and
// through `fit` in Node with Redis. It measures the CPU time of all threads of the process, and the amount of stored data.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import seedrandom from "seedrandom";
import { freePort, start, startRedis } from "../../js/test/support/servers.js";
import { bundle, start as startWorkerd, version as workerd } from "../../js/test/support/workerd.js";
import { createFitter } from "../../js/dist/node.js";
import { redisMemory } from "../../js/dist/adapters/redis.js";
import { conversations, requests } from "./draw.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const installed = createRequire(`${root}js/fixtures/stores/package.json`);
const SUMMARY = `## Goal\nThe user has files read and tests run.\n\n## Progress\n${"The files were read, and what they say was told to the user. ".repeat(20)}`;

/** Returns the CPU time of a process in milliseconds, of all its threads or only of the first. */
function cpu(pid, all = true) {
  const threads = all ? readdirSync(`/proc/${pid}/task`) : [pid];
  return threads.reduce((sum, each) => sum + Number(readFileSync(`/proc/${pid}/task/${each}/schedstat`, "utf8").split(" ")[0]) / 1e6, 0);
}
const resident = (pid) => Number(readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s*(\d+)/)[1]) * 1024;
const size = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((sum, f) => sum + (f.isFile() ? statSync(join(f.parentPath, f.name)).size : 0), 0);

/**
 * Starts an endpoint that answers at once. Summary requests are recognized by their last message, which differs from
 * that of a client's request.
 */
async function endpoint(t) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("latin1")) body = piece.length > 1000 ? piece.slice(-1000) : (body + piece).slice(-1000);
    const isSummary = !body.endsWith('"scale":1}');
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ finish_reason: "stop", message: { role: "assistant", content: isSummary ? SUMMARY : "Well." } }] }));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

/** Sends all histories of all conversations, and returns the cost of each request. */
async function measure(talks, seed, send, now) {
  const rows = [];
  for (const [name, talk] of talks.entries()) {
    for (const messages of requests(talk, name, seedrandom(`${seed}-${name}`))) {
      const body = JSON.stringify({ model: "m", messages, scale: 1 });
      const before = now();
      const compacted = await send(body, name);
      rows.push({ name, bytes: Buffer.byteLength(body), cpu: now() - before, ...compacted });
    }
  }
  return rows;
}

export async function sample({ seed, talks: count, agents, window }) {
  const ends = [];
  const t = { after: (end) => ends.unshift(end) };
  const talks = [...conversations(seed, count, agents)];
  const address = await endpoint(t);
  const policy = { format: "openai-chat", window: { tokens: window, reserve: Math.round(window / 8) } };
  const headers = { "content-type": "application/json", authorization: "Bearer key" };
  const post = async (url, body, more) => {
    const response = await fetch(url, { method: "POST", headers: { ...headers, ...more }, body });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    await response.text();
    return response;
  };
  try {
    const folder = mkdtempSync(join(tmpdir(), "ctxfold-scale-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    await bundle({ contents: 'export * from "./src/worker.js"; export { default } from "./src/worker.js";', resolveDir: `${root}examples/edge` }, folder);
    const worker = await startWorkerd(t, folder, { UPSTREAM: address, WINDOW: window, MAX_BODY: 50_000_000 });
    const disk = join(folder, readdirSync(folder).find((f) => f.startsWith("disk-")));
    const conversation = (name) => ({ authorization: headers.authorization, "x-conversation": `c${name}` });
    const known = new Map();
    const edge = await measure(
      talks,
      seed,
      async (body, name) => {
        const before = await worker.cpu();
        const response = await worker.fetch("/v1/chat/completions", { method: "POST", headers: { ...headers, ...conversation(name) }, body });
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
        await response.text();
        const cost = (await worker.cpu()) - before;
        // Many compactions request no summary, so the conversation's own record says whether it was compacted.
        // Compaction can't be due for a history as short as this.
        if (body.length < window) return { cpu: cost, compacted: false };
        const { compactions } = await (await worker.fetch("/v1/conversation", { headers: conversation(name) })).json();
        const compacted = compactions > (known.get(name) ?? 0);
        known.set(name, compactions);
        return { cpu: cost, compacted };
      },
      () => 0,
    );
    const stored = size(disk);
    await worker.stop();

    const { createClient } = await import(installed.resolve("redis"));
    const redis = async (url) => {
      const client = await createClient({ url }).connect();
      t.after(() => client.destroy());
      const info = async () => Object.fromEntries((await client.info()).split("\r\n").map((line) => line.split(":")));
      const pid = Number((await info()).process_id);
      /**
       * Returns the resources used since the last call: bytes of memory, commands, CPU time, and bytes transferred.
       */
      const use = async () => {
        const i = await info();
        return { memory: Number(i.used_memory), keys: await client.dbSize(), cpu: cpu(pid), moved: Number(i.total_net_input_bytes) + Number(i.total_net_output_bytes) };
      };
      return { client, use };
    };
    const since = (after, before) => Object.fromEntries(Object.entries(after).map(([name, n]) => [name, n - before[name]]));

    const url = await startRedis(t);
    const binary = `${root}build/ctxfold-scale`;
    execFileSync("go", ["build", "-o", binary, "./host/cmd/ctxfold"], { cwd: root });
    const listen = await freePort();
    const args = ["serve", "--upstream", address, "--listen", `127.0.0.1:${listen}`, "--policy", JSON.stringify(policy)];
    const pid = await start(t, binary, args, "Listening", { env: { ...process.env, CTXFOLD_MEMORY: url } });
    const byProxy = await redis(url);
    const beforeProxy = await byProxy.use();
    const proxy = await measure(
      talks,
      seed,
      async (body) => {
        const response = await post(`http://127.0.0.1:${listen}/v1/chat/completions`, body);
        return { compacted: response.headers.get("ctxfold-report")?.startsWith("compacted") ?? false };
      },
      () => cpu(pid),
    );
    const proxyRedis = since(await byProxy.use(), beforeProxy);
    const proxyMemory = resident(pid);

    const byNode = await redis(await startRedis(t));
    const beforeNode = await byNode.use();
    const fit = createFitter({ policy, memory: redisMemory(byNode.client), summarize: () => SUMMARY });
    const node = await measure(
      talks,
      seed,
      async (body, name) => {
        const { report, known } = await fit(body, { id: `c${name}` });
        return { compacted: report.changed, known, tokens: report.tokens, from: Buffer.byteLength(body) };
      },
      () => cpu(process.pid),
    );
    const nodeRedis = since(await byNode.use(), beforeNode);
    return { workerd, edge: { rows: edge, stored }, proxy: { rows: proxy, redis: proxyRedis, memory: proxyMemory }, node: { rows: node, redis: nodeRedis } };
  } finally {
    for (const end of ends) await end();
  }
}
