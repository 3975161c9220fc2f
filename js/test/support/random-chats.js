// Generates random conversations in the formats of chats, with images, unusual texts, and occasionally something that no provider would
// accept.

/** Returns a pseudorandom generator, which is the same for each seed. @param {number} seed */
export function dice(seed) {
  let state = seed * 2654435761 + 1;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    let x = Math.imul(state ^ (state >>> 13), 3266489917);
    x ^= x >>> 16;
    return (x >>> 0) / 2 ** 32;
  };
  /** Returns a random integer from 0 to n − 1. @param {number} n */
  const below = (n) => Math.floor(next() * n);
  return {
    below,
    /** Returns a random element of a list. @template T @param {readonly T[]} list @returns {T} */
    one: (list) => /** @type {T} */ (list[below(list.length)]),
    /** Returns true once in n times, on average. @param {number} n */
    rarely: (n) => below(n) === 0,
  };
}

/** @typedef {ReturnType<typeof dice>} Dice */

const WORDS =
  'the parser fails on line 42 漢字 größer 😀 a\\b "quoted" \u0001 \n\t </b> 0x1f 한국어 \ud800 ไทย x'.split(" ");

/** Returns a random text of fewer than `most` words. @param {Dice} d @param {number} [most] */
export const text = (d, most = 40) => Array.from({ length: d.below(most) }, () => d.one(WORDS)).join(" ");

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk";
/** Returns a random URL of an image. @param {Dice} d */
const url = (d) => d.one(["https://example.com/a.png", `data:image/png;base64,${PIXEL}`]);
/** Returns random arguments of a tool call. @param {Dice} d */
const args = (d) => ({ path: `src/${d.below(9)}.ts`, deep: { type: "image", list: [d.below(5), { a: text(d, 3) }] } });

/** Returns the messages of turn number i. @typedef {(d: Dice, i: number) => any[]} Turn */

/** @type {Record<string, Turn>} */
export const FORMATS = {
  plain: (d) => [
    { role: "user", content: text(d) },
    { role: "assistant", content: text(d) },
  ],
  "openai-chat": (d, i) => [
    d.rarely(3)
      ? {
          role: "user",
          content: [
            { type: "text", text: text(d) },
            { type: "image_url", image_url: { url: url(d) } },
          ],
        }
      : { role: d.one(["user", "developer", "system"]), content: text(d), name: "ann" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${i}`, type: "function", function: { name: "read", arguments: JSON.stringify(args(d)) } }],
    },
    { role: "tool", tool_call_id: `c${i}`, content: text(d, 200) },
    { role: "assistant", content: text(d), refusal: null },
  ],
  anthropic: (d, i) => [
    {
      role: "user",
      content: [
        { type: "text", text: text(d), cache_control: { type: "ephemeral" } },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      ].slice(0, 1 + d.below(2)),
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: text(d), signature: "c2ln" },
        { type: "tool_use", id: `t${i}`, name: "read", input: args(d) },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: `t${i}`,
          content: d.one([
            text(d, 200),
            [
              { type: "text", text: text(d) },
              { type: "image", source: { type: "url", url: url(d) } },
            ],
          ]),
        },
      ],
    },
    { role: "assistant", content: text(d) },
  ],
  "ai-sdk": (d, i) => [
    {
      role: "user",
      content: [
        { type: "text", text: text(d) },
        { type: "file", data: PIXEL, mediaType: d.one(["application/pdf", "image/png"]) },
      ].slice(0, 1 + d.below(2)),
    },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: `c${i}`, toolName: "read", input: args(d) }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: `c${i}`,
          toolName: "read",
          output: d.one([
            { type: "text", value: text(d, 200) },
            { type: "json", value: args(d) },
            { type: "content", value: [{ type: "media", data: PIXEL, mediaType: "image/png" }] },
          ]),
        },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: text(d) },
        { type: "text", text: text(d) },
      ],
    },
  ],
  "ai-sdk-ui": (d, i) => [
    {
      id: `u${i}`,
      role: "user",
      parts: [
        { type: "text", text: text(d) },
        { type: "file", mediaType: "image/png", url: url(d) },
      ].slice(0, 1 + d.below(2)),
    },
    {
      id: `a${i}`,
      role: "assistant",
      metadata: { model: "m", usage: { inputTokens: 5 } },
      parts: [
        { type: "step-start" },
        { type: "reasoning", text: text(d), state: "done" },
        {
          type: "tool-read",
          toolCallId: `c${i}`,
          state: "output-available",
          input: args(d),
          output: d.one([text(d, 200), args(d)]),
        },
        { type: "text", text: text(d), state: "done" },
      ],
    },
  ],
  "openai-responses": (d, i) => [
    {
      role: "user",
      content: d.one([
        text(d),
        [
          { type: "input_text", text: text(d) },
          { type: "input_image", image_url: url(d) },
        ],
      ]),
    },
    ...(d.rarely(3)
      ? [
          { type: "function_call", call_id: `c${i}`, name: "read", arguments: JSON.stringify(args(d)) },
          { type: "function_call_output", call_id: `c${i}`, output: text(d, 200) },
        ]
      : []),
    { role: "assistant", content: [{ type: "output_text", text: text(d) }] },
  ],
  gemini: (d) => [
    {
      role: "user",
      parts: [{ text: text(d) }, { inlineData: { mimeType: "image/png", data: PIXEL } }].slice(0, d.rarely(6) ? 2 : 1),
    },
    { role: "model", parts: [{ functionCall: { name: "read", args: args(d) } }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: { output: text(d, 200) } } }] },
    { role: "model", parts: [{ text: text(d), thought: d.rarely(3) }] },
  ],
};

/** The name of the message list in a request body. */
export const LIST = /** @type {Record<string, string>} */ ({ gemini: "contents", "openai-responses": "input" });

const ODD = [
  5,
  null,
  true,
  "x",
  [],
  {},
  [[]],
  { type: 7 },
  [{ type: "text" }],
  [{ type: "text", text: 5 }],
  [null],
  { a: { b: {} } },
];

/** Replaces a random value in the messages. @param {Dice} d @param {any[]} messages */
export function damage(d, messages) {
  let at = /** @type {any} */ (messages);
  for (let depth = 0; depth < 7; depth++) {
    const keys = Object.keys(at);
    const key = d.one(keys);
    if (key === undefined) return;
    const value = at[key];
    if (typeof value !== "object" || value === null || d.rarely(3)) {
      if (d.rarely(3)) delete at[key];
      else if (d.rarely(4) && !Array.isArray(at))
        at[d.one(["content", "parts", "type", "text", "output", "role", "extra"])] = d.one(ODD);
      else at[key] = d.one(ODD);
      return;
    }
    at = value;
  }
}
