/**
 * The entry `ctxfold/langchain`: compaction for LangChain, as middleware of an agent (`compactionMiddleware`) or as a
 * runnable in front of a model (`compactMessages`).
 */
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  isAIMessage,
  isToolMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import type { Summarize } from "ctxfold";
import { finished } from "../finish.js";
import { type AdapterOptions, Conversations, isOverflow } from "./conversations.js";

export { type AdapterOptions, isOverflow } from "./conversations.js";

/** A message in the wire format openai-chat, with its index in the caller's list. */
interface Wire {
  /** The author: system, user, assistant or tool. */
  role: string;
  /** The text, or a list of parts. */
  content: unknown;
  /** The tool calls of an assistant message. */
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  /** For a tool message, the id of the call that it answers. */
  tool_call_id?: string;
  /** The index of the message in the caller's list. */
  ctxfold_index?: number;
}

const ROLES: Record<string, string> = { system: "system", human: "user", ai: "assistant", tool: "tool" };

function toWire(message: BaseMessage, index: number): Wire {
  const wire: Wire = { role: ROLES[message.getType()] ?? "user", content: message.content, ctxfold_index: index };
  if (isToolMessage(message)) wire.tool_call_id = message.tool_call_id;
  if (isAIMessage(message) && message.tool_calls?.length) {
    wire.tool_calls = message.tool_calls.map(({ id = "", name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
  }
  return wire;
}

/**
 * Reports whether a wire message may be a changed version of a sent message. Equal indexes are not enough, because
 * indexes in remembered messages refer to an older list.
 */
const isOf = (wire: Wire, sent: Wire | undefined): boolean =>
  sent !== undefined && wire.role === sent.role && wire.tool_call_id === sent.tool_call_id;

/**
 * Converts a wire message back to a LangChain message, or returns the caller's own message if nothing was changed.
 */
function fromWire(wire: Wire, messages: readonly BaseMessage[], sent: readonly Wire[]): BaseMessage {
  const { ctxfold_index: index = -1, role, tool_calls = [], tool_call_id = "" } = wire;
  const original = isOf(wire, sent[index]) ? messages[index] : undefined;
  if (original && JSON.stringify(wire) === JSON.stringify(sent[index])) return original;
  const fields = { ...(original?.lc_kwargs ?? {}), content: (wire.content ?? "") as string };
  if (role === "tool") return new ToolMessage({ ...fields, tool_call_id });
  if (role === "system") return new SystemMessage(fields);
  if (role !== "assistant") return new HumanMessage(fields);
  const calls = tool_calls.map(({ id, function: { name, arguments: args } }) => ({ id, name, args: JSON.parse(args) }));
  return new AIMessage({ ...fields, tool_calls: calls });
}

/**
 * Returns the model that will be called, and its provider. The model's name is in `model` or `modelName`. The
 * provider is known from the class name in `lc_id`, the id that LangChain uses for serialization and tracing.
 */
function nextOf(of: unknown): { model?: string; provider?: string } {
  const { model, modelName } = (of ?? {}) as { model?: unknown; modelName?: unknown };
  const name = [model, modelName].find((each) => typeof each === "string");
  const { lc_id } = (of ?? {}) as { lc_id?: unknown };
  const provider = Array.isArray(lc_id) ? lc_id.at(-1) : undefined;
  return {
    ...(typeof name === "string" && { model: name }),
    ...(typeof provider === "string" && { provider }),
  };
}

class Histories {
  readonly #conversations: Conversations;

  constructor(options: AdapterOptions, of: string) {
    this.#conversations = new Conversations(options, "openai-chat", of);
  }

  async fit(
    messages: readonly BaseMessage[],
    { refused, signal, model }: { refused?: unknown; signal?: AbortSignal | undefined; model?: unknown } = {},
  ): Promise<BaseMessage[]> {
    const wire = messages.map(toWire);
    const fitted = await this.#conversations.fit(wire, { refused, signal, next: nextOf(model) });
    if (fitted !== wire) return fitted.map((each) => fromWire(each, messages, wire));
    if (refused !== undefined) throw refused;
    return [...messages];
  }
}

/**
 * Returns middleware for `createAgent`. Every model call gets messages that fit. A call that the provider rejects as too
 * long is compacted further and retried once. The agent's state and its checkpoints keep the whole history.
 */
export function compactionMiddleware(options: AdapterOptions = {}): {
  name: string;
  wrapModelCall<Q extends { messages: BaseMessage[] }, R>(
    request: Q,
    handler: (request: Q) => R | Promise<R>,
  ): Promise<R>;
} {
  const histories = new Histories(options, "compactionMiddleware");
  return {
    name: "ctxfold",
    async wrapModelCall(request, handler) {
      const { runtime, model } = request as { runtime?: { signal?: AbortSignal }; model?: unknown };
      const of = { signal: runtime?.signal, model };
      try {
        return await handler({ ...request, messages: await histories.fit(request.messages, of) });
      } catch (error) {
        if (!(await isOverflow(error, options.module))) throw error;
        return handler({ ...request, messages: await histories.fit(request.messages, { ...of, refused: error }) });
      }
    },
  };
}

/** Returns a runnable that compacts messages so that they fit, for use as `compactMessages(options).pipe(model)`. */
export function compactMessages(options: AdapterOptions = {}): RunnableLambda<BaseMessage[], BaseMessage[]> {
  const histories = new Histories(options, "compactMessages");
  return RunnableLambda.from((messages: BaseMessage[], config) => histories.fit(messages, { signal: config?.signal }));
}

interface Model {
  // biome-ignore lint/suspicious/noExplicitAny: models differ in what they accept and return
  invoke(messages: any, options?: any): Promise<any>;
}

/** Returns a summarizer that calls `model`, which may be any chat model. It rejects as `model.invoke` does. */
export function summarizeWith(model: Model): Summarize {
  return async ({ system, prompt }, { signal }) => {
    const answer = await model.invoke([new SystemMessage(system), new HumanMessage(prompt)], { signal });
    const metadata: Record<string, unknown> = answer.response_metadata ?? {};
    const key = REASONS.find((name) => metadata[name] !== undefined);
    // A model without a provider, such as a test model or one in the page, may never report a finish reason.
    const silent = !key && metadata.model_provider === undefined;
    return { text: answer.text, finish_reason: silent ? null : finished(key && metadata[key]) };
  };
}

/** The metadata keys under which LangChain's provider packages report the finish reason. */
const REASONS = ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"];
