// The same proxy in Deno, Bun and Node, with conversations in memory. PORT, UPSTREAM and WINDOW come from the environment.
import process from "node:process";
import { Conversation } from "./conversation.js";
import { admit, policyFor, serve } from "./proxy.js";

const { PORT = "8787", UPSTREAM = "https://api.openai.com", WINDOW = "128000" } = process.env;

/** @returns {import("./conversation.js").Storage} */
function memoryStorage() {
  /** @type {Map<string, unknown>} */
  const records = new Map();
  const keys = (/** @type {string} */ prefix) => [...records.keys()].filter((key) => key.startsWith(prefix));
  return {
    get: (key) => records.get(key),
    list: (prefix) => keys(prefix).map((key) => records.get(key)),
    write: ({ remove = [], set = {} }) => {
      for (const key of remove.flatMap(keys)) records.delete(key);
      for (const [key, value] of Object.entries(set)) records.set(key, value);
    },
  };
}

/** @type {Map<string, Conversation>} */
const conversations = new Map();

/** @param {Request} request */
async function handle(request) {
  const admitted = await admit(request);
  if (admitted instanceof Response) return admitted;
  const { name, body } = admitted;
  const conversation = conversations.get(name) ?? new Conversation(memoryStorage(), policyFor(WINDOW));
  conversations.set(name, conversation);
  return serve(request, body, conversation, UPSTREAM);
}

const { Deno, Bun } = /** @type {any} */ (globalThis);
const port = Number(PORT);
const hostname = "127.0.0.1";
if (Deno) Deno.serve({ port, hostname }, handle);
else if (Bun) Bun.serve({ port, hostname, fetch: handle });
else {
  const { createServer } = await import("node:http");
  const { Readable } = await import("node:stream");
  createServer(async (incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const body = method === "GET" ? undefined : Readable.toWeb(incoming);
    const request = new Request(
      `http://${hostname}${url}`,
      /** @type {any} */ ({ method, headers, body, duplex: "half" }),
    );
    const response = await handle(request).catch((error) => new Response(String(error), { status: 500 }));
    outgoing.writeHead(response.status, { "content-type": response.headers.get("content-type") ?? "text/plain" });
    for await (const chunk of /** @type {any} */ (response.body ?? [])) outgoing.write(chunk);
    outgoing.end();
  }).listen(port, hostname);
}
