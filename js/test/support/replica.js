// One of several processes of a server. It fits the histories that it receives, with a store that it shares with the
// others. Its parent acts as the model.
const { createFitter } = await import("ctxfold");
const { CLIENTS } = await import("./clients.js");

const [client, url, options] = JSON.parse(process.argv[2] ?? "[]");
const { records } = (await CLIENTS[client].open(url, options.memory)).memory;

/** Adds the process's name to a lease holder's name, so that the parent can end its leases after killing it. @param {string} [holder] */
const named = (holder) => `${process.env.REPLICA}-${holder}`;
/** @type {import("ctxfold").SharedMemory} */
const memory = {
  records: {
    settings: records.settings,
    load: (keys) => records.load(keys),
    save: (effect) => records.save(effect.holder ? { ...effect, holder: named(effect.holder) } : effect),
    lease: (keys, holder, ttl) => records.lease(keys, named(holder), ttl),
    release: (key, holder) => records.release(key, named(holder)),
    ended: (key) => records.ended(key),
  },
};

/** Functions that pass on the parent's summary, by request. @type {Map<number, (text: string) => void>} */
const asked = new Map();
let requests = 0;
const say = (/** @type {object} */ message) => /** @type {any} */ (process).send(message);

const fit = createFitter({
  policy: options.policy,
  memory,
  summarize: ({ prompt }) =>
    new Promise((done) => {
      asked.set(++requests, done);
      say({ summarize: requests, talk: Number(prompt.match(/onversation (\d+)/)?.[1]) });
    }),
});

process.on("message", async (/** @type {any} */ { number, talk, history, summary, text }) => {
  if (summary) return asked.get(summary)?.(text);
  const before = process.cpuUsage();
  const { messages, report } = await fit(history, { id: `talk${talk}` });
  const { user, system } = process.cpuUsage(before);
  say({ number, messages, changed: report.changed, cpu: user + system });
});
process.on("disconnect", () => process.exit());
say({ ready: true });
