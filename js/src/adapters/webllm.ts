/** The entry `ctxfold/webllm`: a summarizer that uses a WebLLM model (`@mlc-ai/web-llm`). */
import type { Summarize } from "ctxfold";
import { finished } from "../finish.js";
import { checkOptions } from "../options.js";
import { type LocalModel, localModel, windowOf } from "./local-model.js";

export type { LocalModel } from "./local-model.js";

/** The members of `MLCEngine`, `WebWorkerMLCEngine` and `ServiceWorkerMLCEngine` that this adapter uses. */
interface Engine {
  chat: {
    completions: {
      // biome-ignore lint/suspicious/noExplicitAny: the engine's own overloads differ from version to version
      create(request: any): any;
    };
  };
  interruptGenerate(): unknown;
}

interface Chunk {
  choices: { delta?: { content?: string | null }; finish_reason?: string | null }[];
}

interface ChatConfig {
  context_window_size?: number;
  sliding_window_size?: number;
}

/** The context window of nearly all models in WebLLM's list, in tokens. */
const USUAL_WINDOW = 4096;

/**
 * Returns a summarizer that uses a loaded engine and its context window. An engine in a worker reports its window only if
 * it was loaded with `chatOpts` that set `context_window_size`; otherwise pass `contextWindow` (in tokens), or 4,096
 * tokens are assumed. `model` is the id of the model to use, for an engine that has loaded several.
 *
 * An engine caches a single conversation. If the chat uses the same engine, a summary evicts the chat from the cache,
 * and the model's next response has to read the whole conversation again.
 */
export function webllm(engine: Engine, options: { model?: string; contextWindow?: number } = {}): LocalModel {
  checkOptions(options, { model: true, contextWindow: true }, "webllm");
  const { model, contextWindow } = options;
  const summarize: Summarize = async ({ system, prompt, max_output_tokens, temperature = 0 }, { signal, onDelta }) => {
    const stop = () => void engine.interruptGenerate();
    signal.addEventListener("abort", stop);
    try {
      const chunks: AsyncIterable<Chunk> = await engine.chat.completions.create({
        messages: [
          { role: "system", content: system },
          { role: "user", content: prompt },
        ],
        max_tokens: max_output_tokens,
        temperature,
        stream: true,
        ...(model !== undefined && { model }),
      });
      let text = "";
      let reason: string | null | undefined;
      for await (const { choices } of chunks) {
        const piece = choices[0]?.delta?.content ?? "";
        reason = choices[0]?.finish_reason ?? reason;
        text += piece;
        onDelta?.(piece);
      }
      return { text, finish_reason: finished(reason) };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
  return localModel(summarize, windowOf(contextWindow, ...configured(engine, model)) ?? USUAL_WINDOW);
}

/**
 * Returns the window sizes in an engine's configurations, in tokens: those of the loaded model, and those in the
 * options of an engine in a worker. Sizes that are not set are undefined.
 */
function configured(engine: object, model?: string): unknown[] {
  const {
    loadedModelIdToChatConfig: loaded,
    modelId,
    chatOpts,
  } = engine as {
    loadedModelIdToChatConfig?: Map<string, ChatConfig>;
    modelId?: string[];
    chatOpts?: ChatConfig[];
  };
  const config = model === undefined ? loaded?.values().next().value : loaded?.get(model);
  const options = chatOpts?.[model === undefined ? 0 : (modelId?.indexOf(model) ?? 0)];
  return [config, options].flatMap((c) => [c?.context_window_size, c?.sliding_window_size]);
}
