// The proxy as a plain server for Deno, Bun and Node, with conversations in memory and settings from the environment.
import process from "node:process";
import { Conversation } from "./conversation.js";
import { admit, policyFor, serve } from "./proxy.js";

const { PORT = "8787", UPSTREAM = "https://api.openai.com", WINDOW = "128000", MAX_BODY } = process.env;

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
  const admitted = await admit(request, MAX_BODY);
  if (admitted instanceof Response) return admitted;
  const { name } = admitted;
  const conversation = conversations.get(name) ?? new Conversation(memoryStorage(), policyFor(WINDOW));
  conversations.set(name, conversation);
  return serve(request, admitted, conversation, UPSTREAM);
}

const { Deno, Bun } = /** @type {any} */ (globalThis);
const port = Number(PORT);
const hostname = "127.0.0.1";
if (Deno) Deno.serve({ port, hostname }, handle);
else if (Bun) Bun.serve({ port, hostname, fetch: handle });
else {
  const { createServer } = await import("node:http");
  const { Readable } = await import("node:stream");
  const { pipeline } = await import("node:stream/promises");
  createServer(async (incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    // A client that sends too much reads the refusal only after the rest of its request has been consumed.
    outgoing.once("finish", () => incoming.resume());
    const chunks = incoming.iterator({ destroyOnReturn: false });
    const body = method === "GET" ? undefined : ReadableStream.from(chunks);
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort(new Error("the client has gone")));
    const request = new Request(
      `http://${hostname}${url}`,
      /** @type {any} */ ({ method, headers, body, duplex: "half", signal: gone.signal }),
    );
    try {
      const response = await handle(request);
      const answered = Object.fromEntries(response.headers);
      // fetch has already decompressed the body.
      for (const name of ["content-encoding", "content-length", "transfer-encoding"]) delete answered[name];
      outgoing.writeHead(response.status, answered);
      await pipeline(Readable.fromWeb(/** @type {any} */ (response.body ?? new Blob().stream())), outgoing);
    } catch (error) {
      if (!outgoing.headersSent) outgoing.writeHead(500, { "content-type": "text/plain" });
      outgoing.end(gone.signal.aborted ? undefined : String(error));
    }
  }).listen(port, hostname);
}
