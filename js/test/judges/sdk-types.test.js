/** The types of the newest SDKs list all kinds of parts and items. The core has a sample of each kind, and records how it is treated. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript-5"; // the newest version has no stable API
import { json, root } from "./ai-sessions.js";

const anthropic = "@anthropic-ai/sdk/resources";
const openai = "openai-7/resources";
const pi = "../fixtures/pi/node_modules/@earendil-works/pi-ai/dist/types.js";

/**
 * What of a type names its kinds: a member with literals ("type", "role"), the member that a union's part has ("member"), or all the members
 * ("keys"); "type of messages" is the member "type" where it is the role. What is inside another kind has its name after " in ".
 * @type {[format: string, by: string, type: string, from: string, where?: string][]}
 */
const unions = [
  ["anthropic", "type", "ContentBlockParam", `${anthropic}/messages`],
  ["anthropic", "type", "BetaContentBlockParam", `${anthropic}/beta/messages`],
  ["anthropic", "type", "Inside<ToolResultBlockParam['content']>", `${anthropic}/messages`, " in a tool_result"],
  [
    "anthropic",
    "type",
    "Inside<BetaToolResultBlockParam['content']>",
    `${anthropic}/beta/messages`,
    " in a tool_result",
  ],
  ["openai-chat", "role", "ChatCompletionMessageParam", `${openai}/chat/completions`],
  ["openai-chat", "type", "ChatCompletionContentPart", `${openai}/chat/completions`],
  ["openai-chat", "type", "Inside<ChatCompletionAssistantMessageParam['content']>", `${openai}/chat/completions`],
  ["openai-responses", "type", "ResponseInputItem", `${openai}/responses/responses`],
  ["openai-responses", "type", "BetaResponseInputItem", `${openai}/beta/responses/responses`],
  ["openai-responses", "type", "ResponseInputContent", `${openai}/responses/responses`, " in content"],
  [
    "openai-responses",
    "type",
    "Inside<ResponseOutputMessage['content']>",
    `${openai}/responses/responses`,
    " in content",
  ],
  [
    "openai-responses",
    "type",
    "Inside<BetaResponseInputItem.AgentMessage['content']>",
    `${openai}/beta/responses/responses`,
    " in content",
  ],
  ["gemini", "keys", "Part", "@google/genai-3"],
  ["adk", "keys", "Part", "../fixtures/adk/node_modules/@google/genai/dist/genai.js"],
  ["gemini-interactions", "type", "Interactions.Step", "@google/genai-3"],
  ["gemini-interactions", "type", "Interactions.Content", "@google/genai-3", " in content"],
  ["ai-sdk", "type", "Inside<ModelMessage['content']>", "ai-7"],
  ["ai-sdk-ui", "type", "Inside<UIMessage['parts']>", "ai-7"],
  ["bedrock-converse", "member", "ContentBlock", "@aws-sdk/client-bedrock-runtime"],
  ["bedrock-converse", "member", "ToolResultContentBlock", "@aws-sdk/client-bedrock-runtime", " in a toolResult"],
  ["mistral", "role", "ChatCompletionRequestMessage", "@mistralai/mistralai/models/components"],
  ["mistral", "type", "ContentChunk", "@mistralai/mistralai/models/components"],
  ["ollama", "keys", "Message", "ollama"],
  ["pi", "role", "Message", pi],
  ["pi", "type", "Inside<Message['content']>", pi],
  ["langchain", "type of messages", "BaseMessage", "@langchain/core/messages"],
  ["langchain", "type", "ContentBlock.Standard", "@langchain/core/messages"],
  ["langchain", "type", "MessageContentComplex", "@langchain/core/messages"],
  ["mastra", "type", "Inside<MastraDBMessage['content']['parts']>", "@mastra/core/agent/message-list"],
  ["openai-agents", "type", "AgentInputItem", "@openai/agents-core"],
  ["openai-agents", "type", "Inside<protocol.UserMessageItem['content']>", "@openai/agents-core", " in content"],
  ["openai-agents", "type", "Inside<protocol.AssistantMessageItem['content']>", "@openai/agents-core", " in content"],
];

/** Names that SDKs use for a kind that they do not know. */
const unknown = new Set(["$unknown", "UNKNOWN"]);

const file = fileURLToPath(new URL("../../build-judges/sdk-types.ts", import.meta.url)); // inside the package, where its dependencies are found
const source = [
  "type Inside<T> = Exclude<T, string | null | undefined> extends infer L ? (L extends readonly (infer P)[] ? P : never) : never;",
  ...unions.map(([, , type, from], i) => {
    const name = /(?:Inside<)?(\w+)/.exec(type)?.[1] ?? "";
    return `import type { ${name} as I${i} } from "${from}"; export type T${i} = ${type.replace(name, `I${i}`)};`;
  }),
].join("\n");

/** Compiles a program that consists of one file, which exists only in memory. */
function program() {
  /** @type {ts.CompilerOptions} */
  const options = {
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? source : readFile(name));
  return ts.createProgram([file], options, host);
}

/** @param {ts.TypeChecker} checker @param {ts.Type} type @returns {string[]} */
function literals(checker, type) {
  if (type.isUnion()) return type.types.flatMap((one) => literals(checker, one));
  if (type.isStringLiteral()) return [type.value];
  return type.flags & ts.TypeFlags.TemplateLiteral ? [checker.typeToString(type).slice(1, -1)] : [];
}

/**
 * Returns the names of the kinds in a union.
 * @param {ts.TypeChecker} checker
 * @param {ts.SourceFile} at
 * @param {ts.Type} union
 * @param {string} by
 */
function names(checker, at, union, by) {
  return (union.isUnion() ? union.types : [union]).flatMap((type) => {
    if (by === "keys" || by === "member") {
      return checker
        .getPropertiesOfType(type)
        .filter((key) => {
          const value = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(key, at));
          return !(value.flags & ts.TypeFlags.Never) && value.getCallSignatures().length === 0;
        })
        .map((key) => key.name);
    }
    const key = type.getProperty(by === "type of messages" ? "type" : by);
    return key === undefined ? [] : literals(checker, checker.getTypeOfSymbolAtLocation(key, at));
  });
}

const all = program();
const checker = all.getTypeChecker();
const at = all.getSourceFile(file);
/** @type {{format: string, type: string, treated: string}[]} */
const known = await json(new URL("testdata/types.json", root));

test("the compiler finds the types of the SDKs", () => {
  const errors = ts
    .getPreEmitDiagnostics(all, at)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  assert.deepEqual(errors, []);
});

for (const [i, [format, by, type, from, where = ""]] of unions.entries()) {
  test(`${format}: every ${by} of ${type} (${from}) is known`, () => {
    assert.ok(at !== undefined);
    const alias = at.statements.filter(ts.isTypeAliasDeclaration).find(({ name }) => name.text === `T${i}`);
    assert.ok(alias !== undefined);
    const prefix = by === "role" || by === "type of messages" ? "role " : "";
    const found = names(checker, at, checker.getTypeAtLocation(alias), by).filter((name) => !unknown.has(name));
    assert.ok(found.length > 1, "the union has names");
    const missing = found.filter((name) => !known.some((k) => k.format === format && k.type === prefix + name + where));
    assert.deepEqual([...new Set(missing)], [], "types.json has no sample of these");
  });
}

test("every sample says how its type is treated", () => {
  for (const { format, type, treated } of known) assert.notEqual(treated, "", `${format}, ${type}`);
});
