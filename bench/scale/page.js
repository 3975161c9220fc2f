// Writes the tables in docs/guides/cost.md, between their marks.
const n = (x, digits = 3) => (x >= 1000 ? Math.round(Number(x.toPrecision(digits))).toLocaleString("en-US") : String(Number(x.toPrecision(digits))));
const size = (bytes) => (bytes >= 1e12 ? `${n(bytes / 1e12)} TB` : bytes >= 1e9 ? `${n(bytes / 1e9)} GB` : bytes >= 1e6 ? `${n(bytes / 1e6)} MB` : `${n(bytes / 1e3)} KB`);
const usd = (x) => (x < 1 ? `$${x.toFixed(2)}` : `$${n(x)}`);
const percent = (x) => `${n(100 * x, 2)} %`;
const total = (list) => Object.values(list).reduce((sum, x) => sum + x, 0);
const table = (head, rows) => [head, head.map((_, i) => (i ? "---:" : "---")), ...rows].map((r) => `| ${r.join(" | ")} |`).join("\n");

const SYSTEMS = { edge: "workerd with a Durable Object", proxy: "`ctxfold serve` with Redis", node: "`fit` in Node with Redis" };

const PARTS = {
  day: ({ once, tenfold }) =>
    table(
      ["", "a million a day", "ten million a day"],
      [
        ["requests a day", ...[once, tenfold].map((r) => n(r.day.requests))],
        ["requests a second, at the peak", ...[once, tenfold].map((r) => n(r.perSecond))],
        ["requests that wait for their model, at the peak", ...[once, tenfold].map((r) => n(r.waiting))],
        ["compactions a day", ...[once, tenfold].map((r) => n(r.day.compactions))],
        ["bytes of bodies a day", ...[once, tenfold].map((r) => size(r.day.bytes))],
        ["a body, on average", ...[once, tenfold].map((r) => size(r.meanBody))],
        ["the largest body that was drawn", ...[once, tenfold].map((r) => size(r.largest))],
      ],
    ),
  costs: ({ check, sample: { model } }) =>
    table(
      ["CPU", "a request", "and each 100 KB of it", "and a compaction", "kept for a compaction", "predicted / measured"],
      Object.entries(SYSTEMS).map(([name, title]) => [
        title,
        `${n(model[name].perRequest)} ms`,
        `${n(model[name].perByte * 1e5)} ms`,
        `${n(model[name].perCompaction)} ms`,
        size(model[name].storedPerCompaction),
        n(check[name]),
      ]),
    ),
  edge: ({ once, tenfold }) => {
    const rows = { requests: "requests", cpu: "CPU", objectRequests: "requests of objects", objectDuration: "duration of objects", objectRows: "rows written", objectStorage: "storage" };
    return table(
      ["a month", "a million a day", "ten million a day"],
      [
        ["cores busy, at the peak", ...[once, tenfold].map((r) => n(r.edge.busy))],
        ["kept", ...[once, tenfold].map((r) => size(r.edge.objectBytes))],
        ...Object.entries(rows).map(([name, title]) => [title, ...[once, tenfold].map((r) => usd(r.edge.usd[name]))]),
        ["**all**", ...[once, tenfold].map((r) => `**${usd(total(r.edge.usd))}**`)],
      ],
    );
  },
  replicas: ({ once, tenfold }) => {
    const columns = [once.proxy, once.node, tenfold.proxy, tenfold.node];
    const rows = { vcpu: "vCPUs", memory: "memory", storeMoved: "requests of the store", storeMemory: "memory of the store" };
    return table(
      ["a month", "proxy, a million a day", "Node, a million a day", "proxy, ten million", "Node, ten million"],
      [
        ["cores busy, at the peak", ...columns.map((c) => n(c.busy))],
        ["vCPUs to have", ...columns.map((c) => n(c.vcpu))],
        ["memory to have", ...columns.map((c) => size(c.memory))],
        ["records in the store", ...columns.map((c) => size(c.storeBytes))],
        ["cores of the store, at the peak", ...columns.map((c) => n(c.storeBusy))],
        ...Object.entries(rows).map(([name, title]) => [title, ...columns.map((c) => usd(c.usd[name]))]),
        ["**all**", ...columns.map((c) => `**${usd(total(c.usd))}**`)],
      ],
    );
  },
  breaks: ({ shares, limits }) => {
    const rows = {
      storeMemory: `memory of one node of the store (${size(limits.storeBytes)})`,
      storeCpu: `the ${limits.storeCores === 1 ? "one core" : `${limits.storeCores} cores`} of one node of the store`,
      storeLine: `the line of one node of the store (${n(limits.lineBits / 1e9)} Gbit/s)`,
      line: `the line of one balancer (${n(limits.lineBits / 1e9)} Gbit/s), in one direction`,
    };
    const order = Object.keys(rows).sort((a, b) => shares.tenfold[b] - shares.tenfold[a]);
    return table(["what is used of", "a million a day", "ten million a day"], order.map((name) => [rows[name], percent(shares.once[name]), percent(shares.tenfold[name])]));
  },
  changes: ({ once, tenfold, changed, changes, assumed, limits }) => {
    const rows = {
      short: `what nobody uses is kept for ${changes.short.keptDays} days, not ${assumed.keptDays}`,
      passed: `an object answers in ${changes.passed.objectSeconds} s, and its worker waits for the model`,
      both: "both",
    };
    const columns = ([a, b]) => [usd(total(a.edge.usd)), usd(total(a.proxy.usd)), usd(total(b.edge.usd)), usd(total(b.proxy.usd)), percent(b.proxy.storeBytes / limits.storeBytes)];
    return table(
      ["a month", "objects, a million a day", "proxy, a million a day", "objects, ten million", "proxy, ten million", "memory of one node of the store, ten million"],
      [["as above", ...columns([once, tenfold])], ...Object.entries(rows).map(([name, title]) => [title, ...columns(changed[name])])],
    );
  },
  assumed: ({ assumed: a }) =>
    table(
      ["assumed", ""],
      [
        ["conversations of agents; the others are chats", percent(a.agents)],
        ["the model's window, in tokens", n(a.window)],
        ["the peak, in the mean of the day", `${a.peak} times`],
        ["an answer of the model takes", `${a.answerSeconds} s`],
        ["what nobody uses is kept for", `${a.keptDays} days`],
        ["replicas are busy at the peak", percent(a.load)],
        ["memory of a replica for each vCPU, and for a request that waits", `${size(a.replicaBytes)}, and ${a.copies} of its bodies`],
        ["rows that a compaction writes into an object", a.rowsPerCompaction],
        ["an object in which nothing is compacted", size(a.emptyObjectBytes)],
      ],
    ),
  check: ({ check, sample: { model } }) =>
    `In the sample the simulation makes ${n(check.compactions * model.compactions)} compactions where ${model.compactions} were made.`,
  prices: ({ prices }) => table(["USD", "for a", "source", "read"], Object.values(prices).map((p) => [p.usd, p.per, p.source, p.read])).replace(/^\| --- \|.*$/m, "| ---: | --- | --- | --- |"),
  machine: ({ sample: { how, machine, model } }) =>
    `The sample: ${how.talks} conversations with ${n(model.requests)} requests and ${model.compactions} compactions, in a window of ${n(how.window)} tokens, on ${machine.cores} cores of ${machine.cpu}, ` +
    `Node ${machine.node.slice(1)}, workerd ${machine.workerd}. ${Math.max(...machine.load) > machine.cores ? `The machine was busy with other work (load ${machine.load.join(" to ")}), so CPU time is what was measured, not the time on the clock.` : "The machine did nothing else."}`,
};

/** Returns the page with its tables rewritten. */
export function page(text, results) {
  let made = text;
  for (const [name, part] of Object.entries(PARTS)) {
    const found = new RegExp(`(<!-- scale-${name} -->\n)[^]*?(\n<!-- /scale-${name} -->)`);
    if (!found.test(made)) throw new Error(`docs/guides/cost.md has no <!-- scale-${name} -->`);
    made = made.replace(found, (_, begin, end) => begin + part(results) + end);
  }
  return made;
}
