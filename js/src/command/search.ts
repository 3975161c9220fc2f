/** `ctxfold search`: finds messages in archives and transcripts. */
import { readdir, stat } from "node:fs/promises";
import type { Compactor } from "../compactor.js";
import { directoryStore, isBodyOf } from "../directory.js";
import type { CtxfoldError } from "../errors.js";
import { createCompactor } from "../node.js";
import type { Found, Kept, Role, Search } from "../types.js";
import type { Command } from "./command.js";
import { EXIT, UsageError } from "./errors.js";
import type { Given } from "./flags.js";
import { readJson, transcriptOf } from "./input.js";
import { print } from "./output.js";
import { count, facts, plural } from "./table.js";
import { reasonOf } from "./write.js";

/** The bodies to search and their names. The body of a transcript has no handle. */
interface Searchable {
  bodies: (Omit<Kept, "handle"> & Partial<Kept>)[];
  /** The name of each body in the output. */
  names: string[];
  /** The number of archive files whose content does not match their name. */
  lost: number;
}

/** The subcommand `search`. */
export const searchCommand: Command = {
  args: "DIRECTORY|FILE|- ... QUERY",
  short: "Find messages in archives and transcripts by what they say",
  long: `search prints the messages that match a question best: by its words in any script, with neighbouring messages, and by
dates and roles in it. It searches directories filled by compact --archive, and transcripts: arrays of messages, request bodies,
session files of coding agents.

Each result has the handle of its content, or the file, and the number of the message in it.`,
  examples: [
    "ctxfold search .ctxfold 'Where does Ines keep her bees?'",
    "ctxfold search --role user --after 2025-03 .ctxfold session.json 'deadline'",
  ],
  flags: {
    after: { value: "DATE", text: "only messages of this date or later: 2025-03-14, 2025-03 or 2025" },
    before: { value: "DATE", text: "only messages of this date or earlier" },
    json: { text: "print the raw JSON answer" },
    limit: { value: "NUMBER", text: "how many results to print at most, 1 to 100 (default 10)" },
    role: {
      value: "ROLE",
      many: "listed",
      text: "only messages of this role: user, assistant, tool or system; may be given more than once",
    },
  },
  async run(given, usage) {
    const limit = given.has("limit") ? Number(given.text("limit")) : 10;
    if (!Number.isInteger(limit) || limit < 1) throw new UsageError("limit must be from 1 to 100", usage);
    const query = given.positionals.at(-1) ?? "";
    if (given.positionals.length < 2) {
      throw new UsageError("search needs at least one DIRECTORY or FILE, and the QUERY behind it", usage);
    }
    const compactor = createCompactor();
    await compactor.ready();
    const searchable: Searchable = { bodies: [], names: [], lost: 0 };
    for (const path of given.positionals.slice(0, -1)) await add(searchable, compactor, path);
    let found: Found;
    try {
      const bodies = searchable.bodies as Kept[];
      found = compactor.search({ query, limit, bodies, ...conditions(given) });
    } catch (error) {
      const { code, message } = error as CtxfoldError;
      if (code === "empty_query" || code === "out_of_range") throw new UsageError(message, usage);
      throw error;
    }
    if (given.has("json")) await print(`${JSON.stringify(found)}\n`);
    else await printFound(found, searchable);
    return EXIT.ok;
  },
};

function conditions(given: Given): Partial<Search> {
  return {
    ...(given.has("role") && { roles: given.all("role") as Role[] }),
    ...(given.has("after") && { after: given.text("after") }),
    ...(given.has("before") && { before: given.text("before") }),
  };
}

/** Adds the bodies in a directory, or the transcript in a file. Throws if it can't be read. */
async function add(searchable: Searchable, compactor: Compactor, path: string): Promise<void> {
  const unreadable = (error: unknown) => new Error(`cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  const info = await stat(path).catch((error) => {
    if (path === "-") return undefined;
    throw unreadable(error);
  });
  if (!info?.isDirectory()) return addFile(searchable, compactor, path);
  const names = await readdir(path).catch((error) => Promise.reject(unreadable(error)));
  const kept = names.filter((name) => /^[0-9a-f]{16,64}$/.test(name)).sort();
  if (kept.length === 0) throw new Error(`${path} has no archived content: compact --archive has not written to it`);
  const store = directoryStore(path);
  for (const handle of kept) {
    const body = (await store.get(handle)) ?? "";
    if (isBodyOf(handle, body)) {
      searchable.bodies.push({ handle, body });
      searchable.names.push(`handle ${handle.slice(0, 16)}`);
    } else {
      searchable.lost++;
    }
  }
}

/** Adds the transcript in a file. */
async function addFile(searchable: Searchable, compactor: Compactor, path: string): Promise<void> {
  const { source, session } = transcriptOf(compactor, await readJson(path));
  searchable.bodies.push({ body: session ? new TextDecoder().decode(session.messages) : listIn(source.text) });
  searchable.names.push(source.name);
}

/** Returns the list of messages if the transcript is a request body. Any other transcript is returned unchanged. */
function listIn(transcript: Uint8Array): string {
  const text = new TextDecoder().decode(transcript);
  try {
    const body = JSON.parse(text);
    const list = [body?.messages, body?.input, body?.contents].find(Array.isArray);
    return list ? JSON.stringify(list) : text;
  } catch {
    return text;
  }
}

/** Prints the results on standard output, each followed by its snippet, and what was searched on standard error. */
async function printFound({ results, searched }: Found, { names, lost }: Searchable): Promise<void> {
  const texts = results.map(({ body, index, role, date, snippet }) => {
    return `${names[body]} message ${index}  ${role}${date ? `  ${date}` : ""}\n  ${snippet}\n`;
  });
  await print(texts.length > 0 ? texts.join("\n") : "nothing was found\n");
  const bodies = searched.bodies === 1 ? "1 body" : `${count(searched.bodies)} bodies`;
  const { missing } = searched;
  process.stderr.write(
    facts(
      ["searched", `${plural(searched.messages, "message")} in ${bodies}, ${count(searched.bytes)} bytes`],
      ["not there", missing.length > 0 ? `${plural(missing.length, "handle")} of more removed content` : ""],
      ["corrupt in the archive", lost > 0 ? `${plural(lost, "file")}, not searched` : ""],
    ),
  );
}
