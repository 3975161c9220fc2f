// A conversation that certainly fits is answered without the module, with the same result as the module's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFitter, fit } from "ctxfold";
import { damage, dice, FORMATS, LIST, text } from "./support/random-chats.js";

const CASES = Number(process.env.CASES ?? 60);

/** An option without effect, which leaves the decision to the module. */
const asked = { options: { force: false } };

/** Returns the outcome of a call. @param {any} history @param {any} options */
async function outcome(history, options) {
  try {
    const { usage, options: own, ...rest } = options;
    const fitter = createFitter(rest); // each fitter has its own memory
    const { messages, report, known } = await fitter(history, { usage, options: own });
    return { same: messages === history, report, known };
  } catch (error) {
    const { code, path } = /** @type {import("ctxfold").CtxfoldError} */ (error);
    return { code, path };
  }
}

/** @param {import("./support/random-chats.js").Dice} d @param {string} format */
function conversation(d, format) {
  const turn = /** @type {import("./support/random-chats.js").Turn} */ (FORMATS[format]);
  const messages = Array.from({ length: d.below(7) }, (_, i) => turn(d, i)).flat();
  if (d.rarely(4)) messages.unshift({ role: "system", content: text(d) });
  if (d.rarely(4)) for (let n = 1 + d.below(2); n > 0; n--) damage(d, messages);
  const list = LIST[format] ?? "messages";
  const body = {
    model: d.one(["gpt-5", "gemini-2.5-pro", "m"]),
    system: text(d, 5),
    tools: [{ name: "read" }],
    [list]: messages,
  };
  return /** @type {any} */ (
    d.one([
      messages,
      messages,
      messages,
      body,
      JSON.stringify(messages),
      new TextEncoder().encode(JSON.stringify(messages)),
    ])
  );
}

/** @param {import("./support/random-chats.js").Dice} d @param {string} format @param {any} history */
function optionsOf(d, format, history) {
  const size = JSON.stringify(history).length;
  const window = Math.max(8, Math.floor(size * d.one([0.3, 1.3, 1.6, 3, 20, 40])));
  const gate = d.one([
    undefined,
    undefined,
    undefined,
    undefined,
    { ratio: 0.9 },
    { start: 0.7 },
    { ratio: 0.5, start: 0.65 },
    { idle: 60 },
    { max_messages: 3 },
    { ratio: 2 },
  ]);
  const policy = {
    window: { tokens: window, ...(d.rarely(3) && { reserve: Math.floor(window / 5) }) },
    ...(!d.rarely(5) && { format: d.rarely(9) ? d.one(Object.keys(FORMATS)) : format }),
    ...(gate && { gate }),
    ...(d.rarely(6) && { model: d.one(["claude-sonnet-4", "gemini-2.5-flash"]) }),
    ...(d.rarely(9) && {
      summary: d.one([{ mode: "local" }, { mode: "none" }, { instructions: "Keep names.", max_output_tokens: 500 }]),
    }),
    ...(d.rarely(9) && { archive: d.one(["bodies", "none", "all"]) }),
  };
  const n = Array.isArray(history) ? history.length : 3;
  const usage = {
    message: d.one([-1, 0, n - 2, n]),
    input_tokens: Math.floor(size * d.one([0.01, 0.1, 0.2, 0.3, 1])),
    output_tokens: d.below(50),
  };
  return { policy, ...(d.rarely(3) && { usage }), ...(d.rarely(4) && { summarize: () => "A digest." }) };
}

for (const format of Object.keys(FORMATS)) {
  test(`what certainly fits is decided as the module decides it: ${format}`, async () => {
    let certain = 0;
    for (let seed = 1; seed <= CASES; seed++) {
      const d = dice(seed * 31 + format.length);
      const history = conversation(d, format);
      for (let i = 0; i < 3; i++) {
        const options = optionsOf(d, format, history);
        const mine = await outcome(history, options);
        const its = await outcome(history, { ...options, ...asked });
        const what = `seed ${seed}: ${JSON.stringify(options)} ${history instanceof Uint8Array ? new TextDecoder().decode(history) : JSON.stringify(history)}`;
        if (mine.report?.tokens.source !== "upper_bound") {
          assert.deepEqual(mine, its, what);
          continue;
        }
        certain++;
        assert.ok(its.report, `${its.code} ${its.path}: ${what}`);
        const { tokens, stable_prefix: mineStable, ...rest } = mine.report;
        const { tokens: its_, stable_prefix: itsStable, ...others } = its.report;
        assert.deepEqual(
          { ...rest, same: mine.same, known: mine.known },
          { ...others, same: true, known: its.known },
          what,
        );
        assert.equal(its.report.reason, "under_budget", what);
        assert.ok(its_.before <= tokens.before && tokens.before <= tokens.limit, what);
        assert.deepEqual([tokens.limit, tokens.window, tokens.after], [its_.limit, its_.window, tokens.before], what);
        assert.deepEqual([mineStable.messages, mineStable.bytes], [itsStable.messages, itsStable.bytes], what);
      }
    }
    assert.ok(certain > CASES / 6, `only ${certain} were certain`);
  });
}

const CHAT = Array.from({ length: 10 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `Message ${i}.` }));
/** An invalid module: a call that needs it gets an error. */
const never = { module: new Uint8Array(1) };

test("a conversation that certainly fits needs no module", async () => {
  const { messages, report, known } = await fit(CHAT, { window: 16_000, ...never });
  assert.equal(messages, CHAT);
  assert.equal(known, false);
  assert.equal(report.reason, "under_budget");
  assert.equal(report.tokens.source, "upper_bound");
});

test("what the provider has counted sharpens the bound", async () => {
  const long = [
    ...CHAT,
    { role: "user", content: "a word. ".repeat(4000) },
    { role: "assistant", content: "Yes." },
    { role: "user", content: "And?" },
  ];
  await assert.rejects(fit(long, { window: 16_000, ...never }), { code: "invalid_module" });
  const { report } = await fit(long, { window: 16_000, ...never, usage: { message: -2, input_tokens: 8100 } });
  assert.ok(report.tokens.before < 8300 && report.tokens.before > 8100, `${report.tokens.before}`);
});

test("a conversation that was compacted before is found, however short it is now", async () => {
  const fitter = createFitter({ window: 2000, format: "plain" });
  const long = Array.from({ length: 60 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i}: ${"words and more. ".repeat(20)}`,
  }));
  assert.equal((await fitter(long)).report.reason, "compacted");
  assert.equal((await fitter(CHAT)).report.tokens.source, "estimated");
});

test("a memory that fails is told", async () => {
  const memory = { load: () => Promise.reject(new Error("no disk")), save: () => {} };
  await assert.rejects(fit(CHAT, { window: 16_000, memory }), { code: "memory_failed" });
});

test("a call that was ended before is ended, also where everything fits", async () => {
  await assert.rejects(fit(CHAT, { window: 16_000, signal: AbortSignal.abort(new Error("enough")) }), /enough/);
});
