// Tests the package's command `ctxfold` as a process, with files, pipes and folders, and compares it with the Go command if Go is
// installed.
import assert from "node:assert/strict";
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createCompactor, load, restoreFrom } from "ctxfold";
import { directoryStore } from "ctxfold/directory";

const root = fileURLToPath(new URL("../..", import.meta.url));
const testdata = join(root, "testdata");
const sessions = join(testdata, "sessions");
const { version, bin } = JSON.parse(await readFile(join(root, "js/package.json"), "utf8"));
const command = [process.execPath, join(root, "js", bin.ctxfold)];

/** @typedef {{ code: number | null, out: string, err: string }} Ran */

/** Runs a program with its arguments. @param {string[]} words @param {{ cwd?: string, input?: string | Buffer }} [options] @returns {Promise<Ran>} */
function run([program = "", ...args], { cwd = root, input = "" } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "pipe"] });
    const texts = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => (texts.out += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (texts.err += text));
    child.stdin.on("error", () => {}); // the program may end without reading
    child.stdin.end(input);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...texts }));
  });
}

/** @param {string[]} args @param {{ cwd?: string, input?: string | Buffer }} [options] */
const ctxfold = (args, options) => run([...command, ...args], options);

/**
 * Runs the command in one process for all tests of this file. A process of its own for each call would start Node and compile the module
 * again, so `ctxfold` is for what needs one: each exit code, standard input as a pipe, signals, and that a process ends.
 * @type {Command}
 */
let called;
let stop = async () => {};
before(() => {
  ({ called, stop } = commandProcess());
});
after(() => stop());

/** Creates a folder that is deleted after the test. @param {import("node:test").TestContext} t */
async function folder(t) {
  const path = await mkdtemp(join(tmpdir(), "ctxfold-command-"));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A conversation far above a window of 4,000 tokens. */
const history = Array.from({ length: 40 }, (_, n) => [
  { role: "user", content: `Question ${n}: how hot was kiln ${n}? Please read its log.` },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${n}`, type: "function", function: { name: "read", arguments: `{"path":"kiln${n}.log"}` } }],
  },
  { role: "tool", tool_call_id: `c${n}`, content: `kiln ${n} was measured at ${900 + n} degrees. `.repeat(20) },
  { role: "assistant", content: `Kiln ${n} had ${900 + n} degrees.` },
]).flat();

test("it says what it is, and what there is", async () => {
  assert.deepEqual(await ctxfold(["--version"]), { code: 0, out: `ctxfold ${version}\n`, err: "" });
  for (const args of [[], ["--help"], ["help"]]) {
    const { code, out, err } = await called(args);
    assert.equal(code, 0);
    assert.equal(err, "");
    for (const name of ["compact", "open", "restore", "search", "validate"])
      assert.match(out, new RegExp(`^  ${name} `, "m"));
  }
  const { out } = await called(["compact", "--help"]);
  for (const option of ["--window TOKENS", "--archive DIRECTORY", "-o, --output FILE"]) assert.ok(out.includes(option));
});

test("compact keeps what it removes, search finds it and restore puts it back, byte for byte", async (t) => {
  const cwd = await folder(t);
  const text = JSON.stringify(history, null, 1);
  await writeFile(join(cwd, "history.json"), text);
  const compacted = await ctxfold(["compact", "--window", "4k", "--archive", "kept", "history.json"], { cwd });
  assert.equal(compacted.code, 0, compacted.err);
  assert.match(compacted.err, /^result +compacted$/m);
  assert.ok(compacted.out.length < text.length / 2);
  await writeFile(join(cwd, "short.json"), compacted.out);
  const valid = await called(["validate", "short.json"], { cwd });
  assert.match(valid.out, /^short\.json: valid \(\d+ messages, format openai-chat\)\n$/);
  const found = await called(["search", "--limit", "1", "kept", "How hot was kiln 3?"], { cwd });
  assert.match(found.out, /^handle [0-9a-f]{16} message \d+ {2}\w+\n {2}.*kiln 3/i);
  const restored = await called(["restore", "--archive", "kept", "short.json"], { cwd });
  assert.equal(restored.code, 0, restored.err);
  assert.equal(restored.out, `${text}\n`);
  const mode = (await stat(join(cwd, "kept"))).mode & 0o777;
  if (process.platform !== "win32") assert.equal(mode, 0o700);
});

test("restore says what it cannot put back, and prints the rest", async (t) => {
  const cwd = await folder(t);
  await writeFile(join(cwd, "history.json"), JSON.stringify(history));
  const { out } = await called(["compact", "--window", "4k", "--archive", "kept", "history.json"], { cwd });
  await writeFile(join(cwd, "short.json"), out);
  const empty = await called(["restore", "--archive", "empty", "short.json"], { cwd });
  assert.equal(empty.code, 1);
  assert.equal(empty.out, out);
  assert.match(empty.err, /^not in the archive +\d+ handles?$/m);
  for (const name of await readdir(join(cwd, "kept"))) {
    const file = join(cwd, "kept", name);
    await writeFile(file, `${await readFile(file, "utf8")}?`);
  }
  const corrupt = await called(["restore", "--archive", "kept", "short.json"], { cwd });
  assert.equal(corrupt.code, 1);
  assert.equal(corrupt.out, out);
  assert.match(corrupt.err, /^corrupt in the archive +\d+ handles?$/m);
  assert.match(
    (await called(["search", "kept", "kiln"], { cwd })).err,
    /^corrupt in the archive +\d+ files?, not searched$/m,
  );
});

test("a session file that its agent can resume, in place of the old one and with its mode", async (t) => {
  const cwd = await folder(t);
  const file = join(cwd, "session.jsonl");
  await copyFile(join(sessions, "claude-code.jsonl"), file);
  const policy = '{"passes":[{"pass":"fold","keep_tokens":5}]}';
  const args = ["compact", "--session", "--force", "--window", "20k", "--policy", policy];
  const before = await readFile(file, "utf8");
  await symlink(file, join(cwd, "link.jsonl"));
  const done = await called([...args, "-o", "link.jsonl", "link.jsonl"], { cwd });
  assert.equal(done.code, 0, done.err);
  assert.equal(done.out, "");
  assert.match(done.err, /^read +Claude Code session, anthropic, 10 messages$/m);
  assert.ok((await stat(join(cwd, "link.jsonl"))).isFile());
  const after = await readFile(file, "utf8");
  assert.ok(after.includes('"subtype":"compact_boundary"') && after.length > before.length);
  const opened = await called(["open", "--messages", "session.jsonl"], { cwd });
  const compactor = createCompactor({ module: await load() });
  assert.deepEqual(JSON.parse(opened.out), compactor.open(after).messages);
  assert.deepEqual(await readdir(cwd), ["link.jsonl", "session.jsonl"]);
});

test("a session that was made here is opened, with what its provider counted", async (t) => {
  const cwd = await folder(t);
  const at = (/** @type {number} */ n) => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
  const usage = { input_tokens: 700, cache_read_input_tokens: 5000, cache_creation_input_tokens: 0, output_tokens: 30 };
  const entries = Array.from({ length: 30 }, (_, n) => ({
    type: n % 2 === 0 ? "user" : "assistant",
    uuid: `u${n}`,
    parentUuid: n === 0 ? null : `u${n - 1}`,
    sessionId: "s",
    cwd: "/w",
    version: "2.1.0",
    timestamp: at(n),
    isSidechain: false,
    message:
      n % 2 === 0
        ? { role: "user", content: `Question ${n}: how hot was kiln ${n}?` }
        : { role: "assistant", model: "claude-opus-4-5", content: [{ type: "text", text: `${n} degrees` }], usage },
  }));
  await writeFile(join(cwd, "made.jsonl"), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const { code, out, err } = await called(["open", "made.jsonl"], { cwd });
  assert.equal(code, 0, err);
  assert.match(out, /^kind +claude-code\nformat +anthropic\nmodel +claude-opus-4-5\nmessages +30\n/);
  assert.match(out, /^usage +5,730 tokens up to message 29, by the provider/m);
  const validated = await called(["validate", "made.jsonl"], { cwd });
  assert.equal(validated.out, "made.jsonl (Claude Code session): valid (30 messages, format anthropic)\n");
  const found = await called(["search", "--limit", "1", "made.jsonl", "kiln 4"], { cwd });
  assert.match(found.out, /^made\.jsonl message 4 {2}user\n/);
});

test("a command of the shell writes the summary; what it breaks is told and costs nothing", async () => {
  const input = JSON.stringify(history);
  const args = (/** @type {string} */ summarizer) => ["compact", "--window", "4k", "--summarizer", `cmd:${summarizer}`];
  const written = await ctxfold(
    args('printf "## Goal\\nKnow how hot each kiln was.\\n\\n## Progress\\nAll are read.\\n"'),
    { input },
  );
  assert.match(written.err, /^summary +the summarizer's$/m);
  assert.ok(written.out.includes("Know how hot each kiln was."));
  const failed = await called(args("exit 3"), { input });
  assert.equal(failed.code, 0);
  assert.match(failed.err, /the summarizer "exit 3" failed: exit status 3/);
  assert.match(failed.err, /^summary +the local digest, because/m);
  const late = await ctxfold([...args("sleep 600 & wait"), "--summary-timeout", "50ms"], { input });
  assert.match(late.err, /^summary +the local digest, because the summarizer's was not taken: \w+$/m);
});

test("an interrupt ends a compaction, and what its summarizer has started", async (t) => {
  const cwd = await folder(t);
  const child = spawn(
    command[0] ?? "",
    [...command.slice(1), "compact", "--window", "4k", "--summarizer", "cmd:echo begun >&2; sleep 600"],
    { cwd, stdio: ["pipe", "pipe", "pipe"] },
  );
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => {
    if (!err.includes("begun") && (err + text).includes("begun")) child.kill("SIGINT");
    err += text;
  });
  child.stdin.end(JSON.stringify(history));
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 130);
  assert.equal(out, "");
  assert.match(err, /^ctxfold: interrupted; nothing was changed$/m);
});

test("bad input is said with its place, its code and what to do, and the exit code is 2", async (t) => {
  const cwd = await folder(t);
  await writeFile(join(cwd, "bad.json"), '\ufeff[{"role":"user",\n "content":"é"} {');
  /** @type {[string[], RegExp, string?][]} */
  const cases = [
    [
      ["compact", "--window", "3k", "bad.json"],
      /^ctxfold: bad\.json, line 2, column 17 \(byte 37\): .*\n {2}at {4}messages\[0\]\n {2}code {2}invalid_json\n$/,
    ],
    [["compact", "missing.json"], /^ctxfold: cannot read missing\.json: no such file or directory\n$/],
    [["compact"], /ambiguous_format\n.*--format/, '[{"role":"user","content":5}]'],
    [
      ["compact", "--format", "openai-chat"],
      /unknown_window\n {2}Set it with --window TOKENS/,
      '[{"role":"user","content":"a"}]',
    ],
    [["compact", "--policy", '{"windw":1}'], /^ctxfold: --policy: unknown key "windw"; did you mean "window"\?/, "[]"],
    [["compact", "--policy", "{"], /^ctxfold: --policy: the policy is not JSON/, "[]"],
    [["compact", "--window", "0"], /--window must be more than 0 tokens/],
    [["compact", "--windw", "3"], /unknown flag: --windw, did you mean --window\?\n {2}`ctxfold compact --help`/],
    [["compact", "--window"], /flag needs an argument: --window/],
    [["compact", "--json=no"], /--json takes no value, and "no" is one/],
    [["compact", "--redact", "("], /--redact: Invalid regular expression/],
    [["compact", "--redact", "a*"], /also matches no text at all/],
    [["compact", "--summary-timeout", "soon"], /must be a duration, such as 90s or 2m/],
    [
      ["compact", "--session"],
      /this is not a session file.*\n {2}code {2}unknown_session\n {2}open and --session are for session files/,
      "[]",
    ],
    [
      ["compact", "--window", "3k", "--format", "gemini"],
      /code {2}wrong_format\n {2}--format names the wire format\.\n$/,
      JSON.stringify(history),
    ],
    [["validate", "a", "b"], /there is one FILE too many: b/],
    [["validate"], /standard input is empty: it must hold JSON/, " \n"],
    [
      ["validate"],
      /has a message in each line: put them into a list/,
      '{"role":"user","content":"a"}\n{"role":"user","content":"b"}\n',
    ],
    [["restore", "x"], /restore needs --archive/],
    [["search", "x"], /search needs at least one DIRECTORY or FILE/],
    [["compac"], /there is no command "compac", did you mean compact\?/],
    [["batch"], /"batch" is a command of the Go program alone: go install github\.com/],
  ];
  for (const [n, [args, says, input]] of cases.entries()) {
    const { code, out, err } = await (n === 0 ? ctxfold : called)(args, { cwd, input });
    assert.equal(code, 2, `${args.join(" ")}: ${err}`);
    assert.equal(out, "");
    assert.match(err, says);
  }
});

test("a result that does not fit is printed, and the exit code is 3; one that breaks rules has 1", async () => {
  const over = await ctxfold(["compact", "--window", "3k"], {
    input: JSON.stringify([...history, { role: "user", content: "And this? ".repeat(3000) }]),
  });
  assert.equal(over.code, 3);
  assert.ok(JSON.parse(over.out).length > 0);
  assert.match(over.err, /^ctxfold: warning: /m);
  const input = '[{"role":"user","content":"a"},\n {"role":"tool","content":"x","tool_call_id":"a"}]';
  const broken = await ctxfold(["validate"], { input });
  assert.equal(broken.code, 1);
  assert.match(
    broken.out,
    /^standard input: 1 violation \(2 messages, format openai-chat\)\n.*\n.*│ 2:27 +│ messages\[1\] │/s,
  );
  const texts = '[{"role":"user","content":"a"},{"role":"user","content":"b"}]';
  const guessed = await called(["validate"], { input: texts });
  assert.match(guessed.out, /format plain\)[\s\S]*\nNo message shows its format, [^\n]+--format\.\n$/);
  const named = await called(["validate", "--format", "anthropic"], { input: texts });
  assert.equal(named.out, "standard input: valid (2 messages, format anthropic)\n");
});

test("secrets are replaced in what a compaction writes", async (t) => {
  const cwd = await folder(t);
  const secret = "sk-ABCDEFGHIJKLMNOPQRSTUV";
  const input = JSON.stringify([{ role: "user", content: `My key is ${secret}.` }, ...history]);
  const args = ["compact", "--window", "4k", "--archive", "kept", "--redact", "(?i)SK-[a-z]{20,}"];
  const { code, out } = await called(args, { cwd, input });
  assert.equal(code, 0);
  assert.ok(!out.includes(secret));
  for (const name of await readdir(join(cwd, "kept"))) {
    assert.ok(!(await readFile(join(cwd, "kept", name), "utf8")).includes(secret), name);
  }
});

test("a directory keeps bodies, for a program and the command", async (t) => {
  const path = join(await folder(t), "kept");
  await mkdir(path);
  for (const name of ["new-old", "new-now", "new.txt"]) await writeFile(join(path, name), "half");
  await utimes(join(path, "new-old"), 0, 0);
  const store = directoryStore(path);
  const policy = { window: { tokens: 4000 } };
  const compactor = createCompactor({ module: await load(), policy, store });
  const { messages } = await compactor.compact(history);
  const restored = await restoreFrom(directoryStore(path), compactor, messages);
  assert.deepEqual(restored.messages, history);
  const names = await readdir(path);
  assert.deepEqual(names.filter((name) => name.startsWith("new")).sort(), ["new-now", "new.txt"]);
  const [handle = ""] = names.filter((name) => /^[0-9a-f]{16}$/.test(name));
  const body = await readFile(join(path, handle), "utf8");
  await assert.rejects(async () => store.put(handle.padEnd(64, "0"), "another"), { code: "store_failed" });
  await writeFile(join(path, handle), "no body of its name");
  await store.put(handle.padEnd(64, "0"), body);
  assert.equal(await readFile(join(path, handle), "utf8"), body);
  assert.equal(await store.get("0".repeat(16)), undefined);
  await assert.rejects(async () => store.get("../../secret"), { code: "invalid_option" });
});

/** Calls that are made of both commands, each in its own folder. @ stands for testdata. The calls of one case run in sequence. */
const SAME = [
  ["compact --window 32000 @/sample.anthropic.json"],
  ["compact --window 32000 --json @/sample.openai.json"],
  [
    "compact --window 32000 --archive kept --state s.json -o short.json @/sample.anthropic.json",
    "restore --archive kept short.json",
    "restore --json --archive kept --state s.json short.json",
    "restore --list short.json",
    "restore --list --json short.json",
    "restore --archive none short.json",
    "search --limit 3 kept error",
    "search --json --role user kept error",
    "search kept short.json fix",
  ],
  ["compact --window 32000 --redact [A-Za-z]{9,} --archive kept @/sample.openai.json"],
  ["compact --window 1.5k @/sample.openai.json"],
  ["compact --window 32k --usage 99999 @/sample.openai.json"],
  ["compact @/sample.openai.json", "compact --windw 3", "compact --window", "compact a b", "compact -x"],
  ["restore x", "restore --handle abc x", "restore --list --handle abc x", "search kept", "search nothing q"],
];

let go = "";
before(async () => {
  const target = join(root, "build", "bin", `ctxfold-test${process.platform === "win32" ? ".exe" : ""}`);
  const built = await run(["go", "build", "-ldflags=-w", "-o", target, "./host/cmd/ctxfold"]).catch(() => undefined);
  if (built) assert.equal(built.code, 0, built.err);
  if (built) go = target;
});

/** Starts a process that runs the command for one call after another, and returns a function that ends it. */
function commandProcess() {
  const child = fork(join(root, "js/test/support/command-calls.js"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    serialization: "advanced", // input may be bytes
  });
  const died = once(child, "exit").then(([code]) => assert.fail(`the process has ended with ${code}`));
  died.catch(() => {}); // each call says so
  return {
    /** @type {Command} */
    called: async (args, { cwd = root, input } = {}) => {
      child.send({ args, cwd, input });
      return (await Promise.race([once(child, "message"), died]))[0];
    },
    stop: async () => {
      child.kill();
      await died.catch(() => {});
    },
  };
}

/** @typedef {(args: string[], options?: { cwd?: string, input?: string | Buffer }) => Promise<Ran>} Command */

/**
 * Runs calls of one command, and returns everything that it printed and wrote.
 * @param {Command} command
 * @param {string} cwd
 * @param {string[]} calls
 */
async function said(command, cwd, calls) {
  const all = [];
  for (const call of calls) {
    all.push(
      await command(
        call.split(" ").map((word) => word.replace(/^@/, testdata)),
        { cwd },
      ),
    );
  }
  const names = (await readdir(cwd, { recursive: true })).sort();
  for (const name of names) {
    if ((await stat(join(cwd, name))).isFile()) all.push([name, await readFile(join(cwd, name), "utf8")]);
  }
  return all;
}

test("it does and says what the Go command does, to the byte, and they share archives", async (t) => {
  if (!go) return t.skip("Go is not installed");
  const files = (await readdir(sessions)).filter((name) => !name.endsWith(".golden.json"));
  assert.ok(files.length >= 12);
  const opened = files.map((name) => [
    `open @/sessions/${name}`,
    `open --json @/sessions/${name}`,
    `open --messages @/sessions/${name}`,
    `validate @/sessions/${name}`,
    `compact --force --window 20000 --policy {"passes":[{"pass":"fold","keep_tokens":5}]} @/sessions/${name}`,
    `search @/sessions/${name} the`,
  ]);
  /** @type {Command} */
  const goCommand = (args, options) => run([go, ...args], options);
  for (const calls of [...SAME, ...opened]) {
    const [theirs, ours] = [await said(goCommand, await folder(t), calls), await said(called, await folder(t), calls)];
    for (const [i, call] of calls.entries()) assert.deepEqual(ours[i], theirs[i], call);
    assert.deepEqual(ours, theirs);
  }
  // Content that one command has archived can be restored by the other.
  const cwd = await folder(t);
  const text = await readFile(join(testdata, "sample.openai.json"), "utf8");
  const args = ["compact", "--window", "32000", "--archive", "kept", join(testdata, "sample.openai.json")];
  for (const [keeps, restores] of [
    [[go], command],
    [command, [go]],
  ]) {
    const { out: input } = await run([...(keeps ?? []), ...args], { cwd });
    const { out, code } = await run([...(restores ?? []), "restore", "--archive", "kept"], { cwd, input });
    assert.equal(code, 0);
    assert.equal(out.trimEnd(), text.trimEnd());
    await rm(join(cwd, "kept"), { recursive: true });
  }
});
