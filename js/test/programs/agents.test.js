/**
 * Runs coding agents from npm, which write a session, resume the file that `save` has made from it, and continue. They have their own home
 * directory and talk to nothing but a scripted API on 127.0.0.1. make test-agents installs them.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createCompactor, load } from "ctxfold";
import { scripted } from "./api.js";

const programs = fileURLToPath(new URL("../../fixtures/programs/node_modules", import.meta.url));
const module = await load();

/** What a home has: its folder, the project in it, and the address of the API. @typedef {{ home: string, project: string, url: string }} Home */
/** A call of a program. @typedef {{ command: string, args: string[], env?: Record<string, string> }} Call */

/**
 * @typedef {object} Agent
 * @property {string} name
 * @property {string} file of the program, in node_modules
 * @property {string} kind of its session files
 * @property {RegExp} sessions what the path of a session file looks like
 * @property {(at: Home) => Promise<void>} [prepare]
 * @property {(at: Home, prompt: string, session: string | undefined) => Call} call the first one has no session
 * @property {RegExp} asks the path of the requests that ask its model
 * @property {(body: any) => any[]} messages those of such a request
 */

/** @param {string} name @param {string} file @param {string} [command] @returns {Agent} */
const claude = (name, file, command = process.execPath) => ({
  name: `Claude Code ${name}`,
  file,
  kind: "claude-code",
  sessions: /\.claude\/projects\/[^/]+\/[0-9a-f-]{36}\.jsonl$/,
  call: (at, prompt, session) => ({
    command: command === process.execPath ? command : join(programs, file),
    args: [
      ...(command === process.execPath ? [join(programs, file)] : []),
      ...["-p", ...(session ? ["--resume", idOf(session)] : []), prompt],
    ],
    env: {
      ANTHROPIC_BASE_URL: at.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
    },
  }),
  asks: /^\/v1\/messages(\?|$)/,
  messages: (body) => body.messages,
});

/** Returns the UUID in the name of a session file. @param {string} file */
const idOf = (file) => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(file.slice(file.lastIndexOf("/")))?.[0] ?? "";

/** @type {Agent[]} */
const AGENTS = [
  claude("1.0.128", "claude-code-1.0/cli.js"),
  claude("2.1.32", "claude-code-2.1/cli.js"),
  claude("2.1.332", "claude-code/bin/claude.exe", "itself"),
  {
    name: "Codex 0.171.0",
    file: "@openai/codex/bin/codex.js",
    kind: "codex",
    sessions: /\.codex\/sessions\/.*rollout-.*\.jsonl$/,
    prepare: async ({ home, url }) => {
      await mkdir(join(home, ".codex"));
      const lines = [
        'model = "gpt-5.3-codex"',
        'model_provider = "scripted"',
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        "[model_providers.scripted]",
        'name = "Scripted"',
        `base_url = "${url}/v1"`,
        'env_key = "SCRIPTED_KEY"',
        'wire_api = "responses"',
      ];
      await writeFile(join(home, ".codex", "config.toml"), `${lines.join("\n")}\n`);
    },
    call: (_, prompt, session) => ({
      command: process.execPath,
      args: [
        ...[join(programs, "@openai/codex/bin/codex.js"), "exec"],
        ...(session ? ["resume", "--skip-git-repo-check", idOf(session), prompt] : ["--skip-git-repo-check", prompt]),
      ],
      env: { SCRIPTED_KEY: "none" },
    }),
    asks: /\/responses$/,
    messages: (body) => body.input,
  },
  {
    name: "pi 0.73.1",
    file: "@mariozechner/pi-coding-agent/dist/cli.js",
    kind: "pi",
    sessions: /\.pi\/agent\/sessions\/.*\.jsonl$/,
    prepare: async ({ home, url }) => {
      await mkdir(join(home, ".pi", "agent"), { recursive: true });
      const model = { id: "m", name: "m", reasoning: false, input: ["text"], contextWindow: 200_000, maxTokens: 8000 };
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
      const provider = { baseUrl: url, api: "anthropic-messages", apiKey: "none", models: [{ ...model, cost }] };
      await writeFile(join(home, ".pi", "agent", "models.json"), JSON.stringify({ providers: { scripted: provider } }));
    },
    call: (_, prompt, session) => ({
      command: process.execPath,
      args: [
        ...[join(programs, "@mariozechner/pi-coding-agent/dist/cli.js"), "-p", "--offline"],
        ...["--provider", "scripted", "--model", "m", ...(session ? ["--session", session] : []), prompt],
      ],
      env: { PI_OFFLINE: "1", PI_TELEMETRY: "0" },
    }),
    asks: /\/messages(\?|$)/,
    messages: (body) => body.messages,
  },
  {
    name: "Gemini CLI 0.61.0",
    file: "@google/gemini-cli/package.json",
    kind: "gemini-cli",
    sessions: /\.gemini\/tmp\/.*\/chats\/session-.*\.jsonl?$/,
    prepare: async ({ home }) => {
      await mkdir(join(home, ".gemini"));
      const settings = {
        general: { disableAutoUpdate: true, enableAutoUpdate: false, disableUpdateNag: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      };
      await writeFile(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    },
    call: (at, prompt, session) => ({
      command: join(programs, ".bin", "gemini"),
      args: ["--skip-trust", "-m", "gemini-2.5-pro", ...(session ? ["--resume", "latest"] : []), "-p", prompt],
      env: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: at.url, GEMINI_TELEMETRY_ENABLED: "false" },
    }),
    asks: /enerateContent/,
    messages: (body) => body.contents,
  },
];

/** Runs a program and returns its output. Rejects if the program fails. @param {Call} call @param {Home} at */
async function run({ command, args, env }, at) {
  const { PATH = "" } = process.env;
  const options = { cwd: at.project, env: { PATH, HOME: at.home, TMPDIR: at.home, NO_PROXY: "127.0.0.1", ...env } };
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (/** @type {Buffer} */ chunk) => (text += chunk));
  const [code] = await new Promise((resolve) => child.on("close", (...ended) => resolve(ended)));
  assert.equal(code, 0, `${command} ${args.join(" ")}\n${text.slice(-3000)}`);
  return text;
}

/**
 * Returns the session file that a run has written, which contains the question.
 * @param {string} home
 * @param {Agent} agent
 * @param {number} turn
 */
async function written(home, agent, turn) {
  const files = (await readdir(home, { recursive: true }))
    .map((file) => join(home, file))
    .filter((file) => agent.sessions.test(file));
  const texts = await Promise.all(
    files.map(async (file) => /** @type {const} */ ([file, await readFile(file, "utf8")])),
  );
  const having = texts.filter(([, text]) => text.includes(`Question ${turn}: how hot`));
  assert.equal(having.length, 1, `files with question ${turn}: ${having.map(([file]) => file)}, of ${files}`);
  return /** @type {readonly [string, string]} */ (having[0]);
}

const TURNS = 6;
const WORDS =
  "amber basin cedar delta ember flint grove heath inlet jetty knoll larch marsh north ocean plain quarry ridge slope tundra".split(
    " ",
  );
/**
 * Returns a text that is too long for a digest. No word occurs twice, because an agent would take repetition for a loop.
 * @param {string} who
 * @param {number} turn
 */
function long(who, turn) {
  let seed = turn * 7919 + who.length * 104_729;
  const word = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return WORDS[(seed >> 8) % WORDS.length];
  };
  return Array.from({ length: 150 }, word).join(" ");
}
/** @param {number} turn */
const question = (turn) => `Question ${turn}: how hot was kiln ${turn}? Notes: ${long("question", turn)}.`;
/** @param {number} turn */
const reply = (turn) => `Kiln ${turn} had ${900 + turn} degrees. Notes: ${long("answer", turn)}.`;

/** Returns the answer to the newest question. @param {string} texts */
function answer(texts) {
  const turn = [...texts.matchAll(/Question (\d+): how hot/g)].reduce(
    (newest, [, n]) => Math.max(newest, Number(n)),
    0,
  );
  return turn > 0 ? reply(turn) : "Nothing.";
}

for (const agent of AGENTS) {
  const { name, file } = agent;
  const skip = !process.env.CTXFOLD_AGENTS && "make test-agents installs and runs the programs";
  test(`${name} resumes what save has written`, { skip }, async () => {
    assert.ok(existsSync(join(programs, file)), `${file} is missing`);
    const home = await mkdtemp(`${tmpdir()}/ctxfold-agent-`);
    const api = await scripted(answer);
    try {
      const at = { home, project: join(home, "project"), url: api.url };
      await mkdir(at.project);
      await agent.prepare?.(at);
      /** Returns the requests of a run that contain its question. @param {number} turn @param {string} [session] */
      const turned = async (turn, session) => {
        const from = api.sent.length;
        const printed = await run(agent.call(at, question(turn), session), at);
        assert.ok(printed.includes(`Kiln ${turn} had`), `it printed ${printed.slice(0, 500)}`);
        const asked = api.sent.slice(from).filter(({ url, body }) => agent.asks.test(url) && agent.messages(body));
        const texts = asked.map(({ body }) => JSON.stringify(agent.messages(body)));
        const all = texts.filter((text) => text.includes(`Question ${turn}: how hot`));
        assert.ok(all.length > 0, `turn ${turn} is asked in none of ${api.sent.slice(from).map(({ url }) => url)}`);
        return /** @type {string} */ (all.sort((a, b) => b.length - a.length)[0]);
      };
      let session = "";
      for (let turn = 1; turn <= TURNS; turn++) {
        const sent = await turned(turn, session || undefined);
        for (let earlier = 1; earlier < turn; earlier++)
          assert.ok(sent.includes(long("answer", earlier)), `turn ${turn} sends answer ${earlier}`);
        [session] = await written(home, agent, turn);
      }
      const before = await readFile(session, "utf8");
      const compactor = createCompactor({ module });
      const opened = compactor.open(before);
      assert.equal(opened.kind, agent.kind);
      const passes = [{ pass: "fold", keep_tokens: 1500 }];
      /** @type {any} */
      const policy = { window: { tokens: 100_000 }, passes, summary: { mode: "local" } };
      const done = await createCompactor({ module, policy }).compact(opened, { options: { force: true } });
      assert.ok(done.report.changed, JSON.stringify(done.report));
      const text = compactor.save(before, done);
      await writeFile(session, text);

      const sent = await turned(TURNS + 1, session);
      assert.ok(sent.includes("[session digest"), `the digest is sent: ${sent.slice(0, 2000)}`);
      for (let turn = 1; turn <= TURNS; turn++) {
        const kept = JSON.stringify(done.messages).includes(long("answer", turn));
        if (turn === 1 || turn === TURNS) assert.equal(kept, turn === TURNS, `answer ${turn} is kept: ${kept}`);
        assert.equal(sent.includes(long("answer", turn)), kept, `answer ${turn} is sent: ${sent.slice(0, 3000)}`);
        assert.equal(sent.includes(long("question", turn)), kept, `question ${turn} is sent`);
        assert.equal(sent.split(long("question", turn)).length, kept ? 2 : 1, `question ${turn} is sent once`);
      }
      const [continued, after] = await written(home, agent, TURNS + 1);
      assert.ok(after.startsWith(text), "the program appends to the file");
      const again = JSON.stringify(compactor.open(after).messages);
      for (const part of ["[session digest", long("answer", TURNS), long("question", TURNS + 1), reply(TURNS + 1)])
        assert.ok(
          again.includes(part.trim()),
          `open reads ${part.slice(0, 60)} in the file that the program has continued`,
        );
      assert.ok(!again.includes(long("answer", 1)));
      // Continues once more, as an agent does that runs all day.
      const next = await turned(TURNS + 2, continued);
      assert.ok(next.includes("[session digest") && next.includes(long("answer", TURNS + 1)), "it goes on");
      assert.ok(!next.includes(long("answer", 1)));
    } finally {
      await api.end();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    }
  });
}
