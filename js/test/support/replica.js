// A process of a server with several: it fits what it is told to, over a store that it shares with the others. Its model is the parent.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

// Its leases have its name, by which the parent ends them if it kills the process.
const { randomUUID } = crypto;
crypto.randomUUID = () => /** @type {any} */ (`${process.env.REPLICA}-${randomUUID()}`);
syncBuiltinESMExports();

const { createFitter } = await import("ctxfold");
const { CLIENTS } = await import("./clients.js");

const [client, url, options] = JSON.parse(process.argv[2] ?? "[]");
const { memory } = await CLIENTS[client].open(url, options.memory);

/** @type {Map<number, (text: string) => void>} */
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
