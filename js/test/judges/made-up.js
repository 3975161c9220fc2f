/** Made-up conversations in the wire formats of providers: tools, parallel calls, images, reasoning. */

const long = "long ".repeat(400);
const png = "iVBORw0KGgo=";
const turns = 12;

/** @typedef {(n: number, ids: [string, string]) => any[]} Turn */

/** One turn of each format: a question with an image, reasoning, two calls at once, their results, an answer. @type {Record<string, Turn>} */
const turn = {
  "openai-chat": (n, ids) => [
    {
      role: "user",
      content: [
        { type: "text", text: `Question ${n}` },
        { type: "image_url", image_url: { url: `data:image/png;base64,${png}`, detail: "low" } },
      ],
    },
    {
      role: "assistant",
      content: n % 2 === 0 ? null : "I look it up.",
      tool_calls: ids.map((id) => ({
        id,
        type: "function",
        function: { name: "read", arguments: `{"path":"${id}"}` },
      })),
    },
    { role: "tool", tool_call_id: ids[1], content: [{ type: "text", text: long }] },
    { role: "tool", tool_call_id: ids[0], content: long },
    n % 3 === 0 ? { role: "assistant", content: null, refusal: long } : { role: "assistant", content: long },
  ],
  "openai-responses": (n, ids) => [
    {
      role: "user",
      content: [
        { type: "input_text", text: `Question ${n}` },
        { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${png}` },
      ],
    },
    { type: "reasoning", id: `rs_${n}`, summary: [{ type: "summary_text", text: "think" }], encrypted_content: "gAAA" },
    { type: "function_call", id: `fc_${n}`, call_id: ids[0], name: "read", arguments: "{}", status: "completed" },
    { type: "custom_tool_call", call_id: ids[1], name: "py", input: "print(1)" },
    { type: "custom_tool_call_output", call_id: ids[1], output: long },
    {
      type: "function_call_output",
      call_id: ids[0],
      output: [
        { type: "input_text", text: long },
        { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${png}` },
      ],
    },
    {
      type: "message",
      id: `msg_${n}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: long, annotations: [] }],
    },
  ],
  anthropic: (n, ids) => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
    return [
      { role: "user", content: [{ type: "text", text: `Question ${n}`, cache_control: { type: "ephemeral" } }, image] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "think", signature: "EqQB" },
          { type: "redacted_thinking", data: "EmwK" },
          ...ids.map((id) => ({ type: "tool_use", id, name: "read", input: { path: id } })),
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: ids[1], is_error: true, content: [{ type: "text", text: long }, image] },
          { type: "tool_result", tool_use_id: ids[0], content: long },
        ],
      },
      { role: "assistant", content: n % 2 === 0 ? long : [{ type: "text", text: long }] },
    ];
  },
  gemini: (n, ids) => [
    { role: "user", parts: [{ text: `Question ${n}` }, { inlineData: { mimeType: "image/png", data: png } }] },
    {
      role: "model",
      parts: [
        { text: "think", thought: true },
        { functionCall: { id: ids[0], name: "read", args: { path: "a" } }, thoughtSignature: "CiQB" },
        { functionCall: { id: ids[1], name: "read", args: { path: "b" } } },
      ],
    },
    {
      role: "user",
      parts: ids.map((id) => ({ functionResponse: { id, name: "read", response: { output: long } } })),
    },
    { role: "model", parts: [{ text: long, thoughtSignature: "CiQB" }] },
  ],
  "gemini-interactions": (n, ids) => [
    {
      type: "user_input",
      content: [
        { type: "text", text: `Question ${n}` },
        { type: "image", mime_type: "image/png", data: png },
      ],
    },
    { type: "thought", signature: "CiQB", summary: [{ type: "text", text: "think" }] },
    ...ids.map((id) => ({ type: "function_call", id, name: "read", arguments: { path: id } })),
    { type: "function_result", call_id: ids[1], name: "read", is_error: true, result: [{ type: "text", text: long }] },
    { type: "function_result", call_id: ids[0], name: "read", result: long },
    { type: "google_search_call", id: `s${n}`, arguments: { queries: ["q"] }, signature: "CiQB" },
    { type: "google_search_result", call_id: `s${n}`, result: [{ search_suggestions: "x" }], signature: "CiQB" },
    { type: "model_output", content: [{ type: "text", text: long }] },
  ],
  ollama: (n, ids) => [
    { role: "user", content: `Question ${n}`, images: [png] },
    {
      role: "assistant",
      content: "",
      thinking: "think",
      tool_calls: ids.map((path) => ({ function: { name: "read", arguments: { path } } })),
    },
    { role: "tool", tool_name: "read", content: long },
    { role: "tool", content: long },
    { role: "assistant", content: long },
  ],
  mistral: (n, ids) => {
    const [first, second] = ids.map((id) => id.replace("call_", "Call").padEnd(9, "0"));
    const image = { type: "image_url", imageUrl: { url: `data:image/png;base64,${png}` } };
    return [
      { role: "user", content: [{ type: "text", text: `Question ${n}` }, image] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "think" }] },
          { type: "text", text: "I look." },
        ],
        toolCalls: [
          { id: first, type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
          { id: second, function: { name: "read", arguments: { path: "b" } } },
        ],
      },
      { role: "tool", toolCallId: second, name: "read", content: long },
      { role: "tool", toolCallId: first, content: [{ type: "text", text: long }, image] },
      { role: "assistant", content: long, prefix: false },
    ];
  },
  "ag-ui": (n, ids) => {
    const image = { type: "image", source: { type: "data", value: png, mimeType: "image/png" } };
    const [a, b] = ids.map((id) => ({
      id,
      type: "function",
      function: { name: "read", arguments: `{"path":"${id}"}` },
    }));
    return [
      { id: `u${n}`, role: "user", content: [{ type: "text", text: `Question ${n}` }, image] },
      { id: `r${n}`, role: "reasoning", content: "think", encryptedValue: "EqQB" },
      ...(n % 2 === 0
        ? [{ id: `a${n}`, role: "assistant", content: "I look.", toolCalls: [a, { ...b, encryptedValue: "EqQB" }] }]
        : [a, b].map((call) => ({ id: call.id, role: "assistant", toolCalls: [call] }))),
      { id: `p${n}`, role: "activity", activityType: "PLAN", content: { steps: [long] } },
      { id: `t${n}`, role: "tool", toolCallId: ids[1], content: [{ type: "text", text: long }, image] },
      { id: `s${n}`, role: "tool", toolCallId: ids[0], content: long, error: "exit 1" },
      { id: `d${n}`, role: "assistant", content: long },
    ];
  },
  genkit: (n, ids) => [
    {
      role: "user",
      content: [
        { text: `Question ${n}` },
        { media: { contentType: "image/png", url: `data:image/png;base64,${png}` } },
      ],
    },
    {
      role: "model",
      content: [
        { reasoning: "think", metadata: { thoughtSignature: "CiQB" } },
        ...ids.map((ref) => ({ toolRequest: { ref, name: "read", input: { path: ref } } })),
      ],
    },
    {
      role: "tool",
      content: [
        { toolResponse: { ref: ids[1], name: "read", output: long } },
        { toolResponse: { ref: ids[0], name: "read", output: { text: long }, content: [{ text: long }] } },
      ],
    },
    { role: "model", content: [{ text: long }] },
  ],
  adk: (n, ids) => {
    const actions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
    /** Returns an event of ADK. @param {string} id @param {number} m @param {string} author @param {any} [content] */
    const event = (id, m, author, content) => ({
      id: `${id}${n}`,
      invocationId: `i${n}`,
      author,
      timestamp: n * 10 + m,
      actions,
      ...(content && { content }),
    });
    const [a, b] = ids.map((id) => ({ functionCall: { id: `adk-${id}`, name: "read", args: { path: id } } }));
    const [forA, forB] = ids.map((id) => ({
      functionResponse: { id: `adk-${id}`, name: "read", response: { output: long } },
    }));
    const pending = { functionResponse: { id: `adk-${ids[0]}`, name: "read", response: { status: "pending" } } };
    return [
      event("u", 1, "user", {
        role: "user",
        parts: [{ text: `Question ${n}` }, { inlineData: { mimeType: "image/png", data: png } }],
      }),
      event("s", 2, "coder"),
      {
        ...event("a", 3, "coder", {
          role: "model",
          parts: [{ text: "think", thought: true }, { ...a, thoughtSignature: "CiQB" }, b],
        }),
        longRunningToolIds: [`adk-${ids[0]}`],
      },
      ...(n % 2 === 0
        ? [
            event("p", 4, "coder", { role: "user", parts: [pending, forB] }),
            event("q", 5, "coder", { role: "user", parts: [forA] }),
          ]
        : [event("r", 5, "coder", { role: "user", parts: [forA, forB] })]),
      event("d", 6, "coder", { role: "model", parts: [{ text: long, thoughtSignature: "CiQB" }] }),
    ];
  },
  mastra: (n, ids) => {
    const createdAt = (/** @type {number} */ m) => new Date(Date.UTC(2026, 0, 1, n, m)).toISOString();
    const [a, b] = ids.map((id) => ({ toolCallId: id, toolName: "read", args: { path: id } }));
    const calls = [
      { state: "result", ...a, result: { text: long } },
      { state: "result", ...b, result: long },
    ];
    const url = `data:image/png;base64,${png}`;
    const beside = {
      toolInvocations: calls,
      content: long,
      reasoning: "think",
    };
    return [
      {
        id: `u${n}`,
        role: "user",
        createdAt: createdAt(0),
        threadId: "t",
        content: {
          format: 2,
          parts: [
            { type: "text", text: `Question ${n}` },
            { type: "file", data: url, mimeType: "image/png" },
          ],
          ...(n % 2 === 0 && {
            content: `Question ${n}`,
            experimental_attachments: [{ url, contentType: "image/png" }],
          }),
        },
      },
      {
        id: `a${n}`,
        role: "assistant",
        createdAt: createdAt(1),
        threadId: "t",
        content: {
          format: 2,
          parts: [
            { type: "reasoning", reasoning: "think", details: [{ type: "text", text: "think" }], createdAt: n },
            ...calls.map((toolInvocation) => ({ type: "tool-invocation", toolInvocation, createdAt: n })),
            { type: "source", source: { sourceType: "url", id: "s", url: "https://example.com" } },
            { type: "text", text: long, createdAt: n },
          ],
          ...(n % 2 === 0 && beside),
        },
      },
    ];
  },
  "assistant-ui": (n, ids) => {
    const image = { type: "image", image: `data:image/png;base64,${png}` };
    const [a, b] = ids.map((id) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: "read",
      args: { path: id },
      argsText: `{"path":"${id}"}`,
    }));
    const text = { type: "text", text: "a file" };
    const file = { id: "f", type: "document", name: "a.txt", status: { type: "complete" }, content: [text] };
    const metadata = { custom: {} };
    return [
      {
        id: `u${n}`,
        role: "user",
        content: [{ type: "text", text: `Question ${n}` }, image],
        attachments: [file],
        metadata,
      },
      {
        id: `a${n}`,
        role: "assistant",
        content: [
          { type: "reasoning", text: "think" },
          { ...a, result: { text: long } },
          { ...b, result: long, isError: true },
          { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
          { type: "text", text: long },
        ],
        status: { type: "complete", reason: "stop" },
        metadata,
      },
    ];
  },
  tanstack: (n, ids) => {
    const image = { type: "image", source: { type: "data", value: png, mimeType: "image/png" } };
    const [a, b] = ids.map((id) => ({
      type: "tool-call",
      id,
      name: "read",
      arguments: `{"path":"${id}"}`,
      input: { path: id },
      state: "input-complete",
    }));
    const results = [
      { type: "tool-result", toolCallId: ids[0], content: [{ type: "text", content: long }, image], state: "complete" },
      { type: "tool-result", toolCallId: ids[1], content: long, state: "error", error: "exit 1" },
    ];
    return [
      { id: `u${n}`, role: "user", parts: [{ type: "text", content: `Question ${n}` }, image] },
      {
        id: `a${n}`,
        role: "assistant",
        parts: [
          { type: "thinking", content: "think", signature: "EqQB" },
          ...(n % 2 === 0
            ? [a, b, ...results]
            : [a, { ...b, state: "complete", output: { text: long } }, ...results.slice(0, 1)]),
          ...(n % 2 === 0 ? [{ type: "text", content: long }] : []),
        ],
      },
    ];
  },
  "openai-agents": (n, ids) => [
    {
      role: "user",
      content: [
        { type: "input_text", text: `Question ${n}` },
        { type: "input_image", image: `data:image/png;base64,${png}` },
      ],
    },
    {
      type: "reasoning",
      id: `rs_${n}`,
      content: [{ type: "input_text", text: "think" }],
      providerData: { encryptedContent: "gAAA" },
    },
    { type: "hosted_tool_call", id: `ws_${n}`, name: "web_search_call", status: "completed", providerData: {} },
    { type: "function_call", id: `fc_${n}`, callId: ids[0], name: "read", arguments: "{}", status: "completed" },
    { type: "shell_call", id: `sh_${n}`, callId: ids[1], status: "completed", action: { commands: ["ls"] } },
    {
      type: "shell_call_output",
      callId: ids[1],
      output: [{ stdout: long, stderr: "", outcome: { type: "exit", exitCode: 0 } }],
    },
    {
      type: "function_call_result",
      name: "read",
      callId: ids[0],
      status: "completed",
      output: n % 2 === 0 ? { type: "text", text: long } : [{ type: "input_text", text: long }],
    },
    {
      type: "message",
      id: `msg_${n}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: long }],
    },
  ],
  pi: (n, ids) => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
    const by = { api: "anthropic-messages", provider: "anthropic", model: "m", usage, timestamp: n };
    const image = { type: "image", data: png, mimeType: "image/png" };
    /** Returns a tool result of pi. @param {string} toolCallId @param {any[]} content */
    const result = (toolCallId, ...content) => {
      return { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp: n };
    };
    return [
      { role: "user", content: [{ type: "text", text: `Question ${n}` }, image], timestamp: n },
      {
        role: "assistant",
        content: [{ type: "toolCall", id: "x", name: "read", arguments: {} }],
        stopReason: "aborted",
        ...by,
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "think", thinkingSignature: "EqQB" },
          { type: "thinking", thinking: "", thinkingSignature: "EmwK", redacted: true },
          ...ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: { path: id } })),
        ],
        stopReason: "toolUse",
        ...by,
      },
      { role: "system", content: "", sections: { mode: `<mode>${n}</mode>` }, timestamp: n },
      result(ids[1], { type: "text", text: long }, image),
      result(ids[0], { type: "text", text: long }),
      { role: "assistant", content: [{ type: "text", text: long, textSignature: "msg_1" }], stopReason: "stop", ...by },
    ];
  },
  "bedrock-converse": (n, ids) => {
    const image = { image: { format: "png", source: { s3Location: { uri: "s3://bucket/a.png" } } } };
    return [
      { role: "user", content: [{ text: `Question ${n}` }, { guardContent: { text: { text: "and?" } } }, image] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "think", signature: "EqQB" } } },
          ...ids.map((id) => ({ toolUse: { toolUseId: id, name: "read", input: { path: id } } })),
        ],
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: ids[1], status: "error", content: [{ text: long }, image] } },
          { toolResult: { toolUseId: ids[0], content: [{ json: { out: long } }] } },
          { cachePoint: { type: "default" } },
        ],
      },
      {
        role: "assistant",
        content:
          n % 2 === 0
            ? [{ text: long }]
            : [{ citationsContent: { content: [{ text: long }], citations: [{ title: "a" }] } }],
      },
    ];
  },
  langchain: (n, ids) => [
    {
      type: "human",
      content: [
        { type: "text", text: `Question ${n}` },
        { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
    {
      type: "ai",
      id: `run-${n}`,
      content:
        n % 2 === 0
          ? ""
          : [
              { type: "thinking", thinking: "think", signature: "EqQB" },
              ...ids.map((id) => ({ type: "tool_use", id, name: "read", input: { path: id } })),
            ],
      tool_calls: ids.map((id) => ({ name: "read", args: { path: id }, id, type: "tool_call" })),
      invalid_tool_calls: [],
      additional_kwargs:
        n % 2 === 0
          ? { tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })) }
          : {},
      usage_metadata: { input_tokens: 9, output_tokens: 3, total_tokens: 12 },
    },
    { type: "tool", tool_call_id: ids[1], name: "read", content: [{ type: "text", text: long }] },
    { type: "tool", tool_call_id: ids[0], content: long, status: "error", artifact: { rows: [1] } },
    {
      type: "ai",
      content:
        n % 3 === 0
          ? [
              { type: "reasoning", reasoning: "think" },
              { type: "text", text: long },
            ]
          : long,
    },
  ],
  "mcp-sampling": (n, ids) => {
    const image = { type: "image", data: png, mimeType: "image/png" };
    return [
      {
        role: "user",
        content: n % 2 === 0 ? { type: "text", text: `Question ${n}` } : [{ type: "text", text: "q" }, image],
      },
      { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "read", input: { path: id } })) },
      {
        role: "user",
        content: [
          { type: "tool_result", toolUseId: ids[1], isError: true, content: [{ type: "text", text: long }, image] },
          { type: "tool_result", toolUseId: ids[0], content: [{ type: "text", text: long }] },
        ],
      },
      { role: "assistant", content: { type: "text", text: long } },
    ];
  },
  "prompt-api": (n) => [
    {
      role: "user",
      content: [
        { type: "text", value: `Question ${n}` },
        { type: "image", value: png },
      ],
    },
    { role: "assistant", content: n % 2 === 0 ? long : [{ type: "text", value: long }] },
    { role: "user", content: long },
    { role: "assistant", content: [{ type: "text", value: long }] },
  ],
};

const classes = { human: "HumanMessage", ai: "AIMessage", tool: "ToolMessage" };

/** The ways in which LangChain stores a flat message. @type {Record<string, (message: any) => any>} */
const shapes = {
  flat: (message) => message,
  stored: ({ type, ...data }) => ({ type, data }),
  constructors: ({ type, ...kwargs }) => ({
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", Reflect.get(classes, type)],
    kwargs,
  }),
  "constructors of Python": ({ type, ...kwargs }) => ({
    lc: 1,
    type: "constructor",
    id: ["langchain", "schema", "messages", Reflect.get(classes, type)],
    kwargs: { type, ...kwargs },
  }),
};

/** Returns a conversation of twelve turns. @param {string} format @param {string} shape @returns {any[]} */
export function madeUp(format, shape = "flat") {
  const messages = Array.from({ length: turns }, (_, n) => turn[format](n, [`call_${n}a`, `call_${n}b`])).flat();
  return messages.map(shapes[shape]);
}
