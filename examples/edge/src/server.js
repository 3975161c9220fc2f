// The same proxy in Deno, Bun and Node, with conversations in memory. PORT, UPSTREAM and WINDOW come from the environment.
import process from "node:process";
import { Conversation, nameOf, policyFor, serve } from "./conversation.js";

const { PORT = "8787", UPSTREAM = "https://api.openai.com", WINDOW = "128000" } = process.env;

/** @returns {import("./conversation.js").Storage} */
function memoryStorage() {
  const records = new Map();
  const archive = new Map();
  return {
    get: (key) => records.get(key),
    write: ({ set = {}, remove = [], archive: added = [] }) => {
      for (const [key, value] of Object.entries(set)) records.set(key, value);
      for (const key of remove) records.delete(key);
      for (const [place, message] of added) if (!archive.has(place)) archive.set(place, message);
    },
    archived: () => [...archive].sort(([a], [b]) => a - b),
  };
}

/** @type {Map<string, Conversation>} */
const conversations = new Map();

/** @param {Request} request */
function handle(request) {
  const name = nameOf(request);
  const conversation = conversations.get(name) ?? new Conversation(memoryStorage(), policyFor(WINDOW));
  conversations.set(name, conversation);
  return serve(request, conversation, UPSTREAM);
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
