// Simulates the costs of a day, with conversations that have the shapes of real ones and the costs measured in the sample.
import { linearRegression, mean, sum } from "simple-statistics";
import { conversations } from "./draw.js";

const MONTH_DAYS = 30;
const DAY_S = 86_400;

/** The number of characters of JSON around the content of each message. */
const FRAME = { user: 80, answer: 38, call: 120, result: 60 };

/**
 * Yields, for each request of a conversation, the sizes of its body and of the part that its last turn added, in
 * characters.
 */
function* bodies({ turns }) {
  let total = 0;
  for (const { user, steps } of turns) {
    total += user + FRAME.user;
    for (const { text, call, result } of steps) {
      yield total;
      total += text + FRAME.answer + (call > 0 ? call + result + FRAME.call + FRAME.result : 0);
    }
  }
}

/**
 * Estimates the costs of one system from its rows, in milliseconds: the cost of a request by the bytes of its body,
 * and the additional cost of a compaction.
 */
function costs(rows) {
  const { m, b } = linearRegression(rows.filter((r) => !r.compacted).map((r) => [r.bytes, r.cpu]));
  const [perByte, perRequest] = [Math.max(0, m), Math.max(0, b)];
  const made = rows.filter((r) => r.compacted);
  const perCompaction = Math.max(0, mean(made.map((r) => r.cpu - perRequest - perByte * r.bytes)));
  return { perRequest, perByte, perCompaction };
}

/** Reduces the sample to the few numbers that the simulation needs. */
export function calibrated({ edge, proxy, node }, how) {
  const whole = node.rows.filter((r) => !r.known && !r.compacted);
  const made = node.rows.filter((r) => r.compacted);
  const drawn = [...conversations(how.seed, how.talks, how.agents)].flatMap((talk) => [...bodies(talk)]);
  return {
    requests: node.rows.length,
    compactions: made.length,
    bytesPerCharacter: sum(node.rows.map((r) => r.bytes)) / sum(drawn),
    bytesPerToken: sum(whole.map((r) => r.bytes)) / sum(whole.map((r) => r.tokens.before)),
    /** How full the window is when a compaction is made, and afterwards. */
    full: mean(made.map((r) => r.tokens.before)) / how.window,
    left: mean(made.map((r) => r.tokens.after)) / how.window,
    edge: { ...costs(edge.rows), storedPerCompaction: edge.stored / made.length },
    proxy: { ...costs(proxy.rows), resident: proxy.memory, ...stored(proxy, made.length) },
    node: { ...costs(node.rows), ...stored(node, made.length) },
    measured: Object.fromEntries(Object.entries({ edge, proxy, node }).map(([name, { rows }]) => [name, { compactions: rows.filter((r) => r.compacted).length, cpu: sum(rows.map((r) => r.cpu)) }])),
  };
}

/** Returns how much data a compaction leaves in Redis, and what a request costs there. */
const stored = ({ rows, redis }, made) => ({
  storedPerCompaction: redis.memory / made,
  storeCpu: redis.cpu / rows.length,
  storeMoved: redis.moved / rows.length,
});

const SYSTEMS = ["edge", "proxy", "node"];

/** Returns sums over conversations: requests, bytes, compactions, and the CPU time of each system in milliseconds. */
export function totals(list, model, window) {
  const all = { conversations: 0, requests: 0, bytes: 0, compactions: 0, largest: 0, edge: 0, proxy: 0, node: 0 };
  for (const talk of list) {
    all.conversations++;
    let gone = 0;
    for (const characters of bodies(talk)) {
      const bytes = characters * model.bytesPerCharacter;
      const due = bytes / model.bytesPerToken - gone > model.full * window;
      if (due) gone = bytes / model.bytesPerToken - model.left * window;
      all.requests++;
      all.bytes += bytes;
      all.largest = Math.max(all.largest, bytes);
      if (due) all.compactions++;
      for (const name of SYSTEMS) {
        const { perRequest, perByte, perCompaction } = model[name];
        all[name] += perRequest + perByte * bytes + (due ? perCompaction : 0);
      }
    }
  }
  return all;
}

/** Returns the costs of a simulated day and month. */
export function simulate(model, prices, how, times = 1) {
  const drawn = totals(conversations(how.seed, how.drawn, how.agents), model, how.window);
  const scale = (times * how.conversations) / drawn.conversations;
  const usd = (name, amount) => amount * prices[name].usd;
  const day = Object.fromEntries(["requests", "bytes", "compactions"].map((name) => [name, drawn[name] * scale]));
  const perSecond = (day.requests / DAY_S) * how.peak;
  const waiting = perSecond * how.answerSeconds;
  const month = (n) => n * scale * MONTH_DAYS;
  const kept = day.compactions * how.keptDays;
  const meanBody = drawn.bytes / drawn.requests;

  const objectBytes = kept * model.edge.storedPerCompaction + times * how.conversations * how.keptDays * how.emptyObjectBytes;
  const edge = {
    requests: usd("requests", month(drawn.requests) / 1e6),
    cpu: usd("cpu", month(drawn.edge) / 1e6),
    objectRequests: usd("objectRequests", month(drawn.requests) / 1e6),
    objectDuration: usd("objectDuration", (month(drawn.requests) * (how.objectSeconds ?? how.answerSeconds) * 0.128) / 1e6),
    objectRows: usd("objectRows", (month(drawn.compactions) * how.rowsPerCompaction) / 1e6),
    objectStorage: usd("objectStorage", objectBytes / 1e9),
  };
  const replicas = (name) => {
    const { storedPerCompaction, storeMoved, storeCpu, resident } = model[name];
    const busy = ((drawn[name] * scale) / 1000 / DAY_S) * how.peak;
    const vcpu = Math.max(how.leastReplicas, busy / how.load);
    const memory = vcpu * Math.max(resident ?? 0, how.replicaBytes) + waiting * meanBody * how.copies;
    const storeBytes = kept * storedPerCompaction;
    const hours = MONTH_DAYS * 24;
    return {
      busy,
      vcpu,
      memory,
      storeBytes,
      storeBusy: (storeCpu / 1000) * perSecond,
      storeBits: storeMoved * perSecond * 8,
      usd: {
        vcpu: usd("vcpu", vcpu * hours),
        memory: usd("memory", (memory / 1e9) * hours),
        storeMoved: usd("storeMoved", (month(drawn.requests) * storeMoved) / 1e3 / 1e6),
        storeMemory: usd("storeMemory", (storeBytes / 1e9) * hours),
      },
    };
  };
  return {
    day,
    perSecond,
    waiting,
    meanBody,
    largest: drawn.largest,
    bits: perSecond * meanBody * 8,
    edge: { busy: ((drawn.edge * scale) / 1000 / DAY_S) * how.peak, objectBytes, usd: edge },
    proxy: replicas("proxy"),
    node: replicas("node"),
  };
}

/** Checks the model against the sample. Returns each predicted cost divided by the measured one. */
export function checked(model, how) {
  const all = totals(conversations(how.seed, how.talks, how.agents), model, how.window);
  return {
    compactions: all.compactions / model.compactions,
    ...Object.fromEntries(SYSTEMS.map((name) => [name, all[name] / model.measured[name].cpu])),
  };
}

/** Returns the share of each limit that the simulated load uses. */
export const shares = ({ proxy, bits }, limits) => ({
  storeMemory: proxy.storeBytes / limits.storeBytes,
  storeCpu: proxy.storeBusy / limits.storeCores,
  storeLine: proxy.storeBits / limits.lineBits,
  line: bits / limits.lineBits,
});
