// Runs the vectors, a compaction in this thread and one in a worker, in Node, Bun and Deno. Prints the results as one
// line of JSON.
import { readFile } from "node:fs/promises";
import { createCompactor, load } from "ctxfold";
import * as inline from "ctxfold/inline";
import * as worker from "ctxfold/worker";
import { conform } from "../support/conformance.js";
import { session, tight } from "../support/session.js";

const vectors = JSON.parse(await readFile(new URL("../vectors.json", import.meta.url), "utf8"));
const messages = session(20);
const here = await createCompactor({ policy: tight }).compact(messages);
const remote = worker.createCompactor({ policy: tight });
const there = await remote.compact(messages);
remote.close();
const inside = createCompactor({ module: await inline.load() });
console.log(
  JSON.stringify({
    ...conform(await load(), vectors),
    reason: here.report.reason,
    same: JSON.stringify(here) === JSON.stringify(there) && there.messages[0] === messages[0],
    version: inside.info().version,
  }),
);
