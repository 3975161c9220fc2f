/**
 * The entry `ctxfold/transformers`: a summarizer that uses a text-generation pipeline of Transformers.js
 * (`@huggingface/transformers`).
 */
import type { Summarize } from "ctxfold";
import { checkOptions, type Names } from "../options.js";
import { type LocalModel, localModel, windowOf } from "./local-model.js";

export type { LocalModel } from "./local-model.js";

/** The members of a `TextGenerationPipeline` that this adapter uses. */
interface Generator {
  // biome-ignore lint/suspicious/noExplicitAny: the pipeline is generic over what it is given
  (messages: any, options?: any): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: the package's own type, which the streamer expects
  tokenizer: any;
  // biome-ignore lint/suspicious/noExplicitAny: the configuration is the model's own
  model: { config?: any };
}

/**
 * The classes of the package that are needed to stream and to abort. Without them a summary arrives in one piece and
 * can't be aborted.
 */
export interface Library {
  /** Passes on the text while it is written. */
  TextStreamer?: Streamer;
  /** Interrupts the model when the signal aborts. */
  InterruptableStoppingCriteria?: new () => { interrupt(): void };
}

const TRANSFORMERS_OPTIONS: Names<Library & { contextWindow?: number }> = {
  TextStreamer: true,
  InterruptableStoppingCriteria: true,
  contextWindow: true,
};

// biome-ignore lint/suspicious/noExplicitAny: the tokenizer's type, and the options, are the package's own
type Streamer = new (tokenizer: any, options?: any) => object;

/** The size of the context window, in tokens, to assume if neither the model nor its tokenizer reports one. */
const USUAL_WINDOW = 4096;

/**
 * Returns a summarizer that uses a loaded pipeline: `transformers(await pipeline("text-generation", model), {
 * TextStreamer, InterruptableStoppingCriteria })`. The context window is the smaller of the values in the
 * configurations of the model and its tokenizer. Pass `contextWindow` (in tokens) if the device's memory is too small
 * for that.
 */
export function transformers(generator: Generator, options: Library & { contextWindow?: number } = {}): LocalModel {
  checkOptions(options, TRANSFORMERS_OPTIONS, "transformers");
  const { TextStreamer, InterruptableStoppingCriteria, contextWindow } = options;
  const summarize: Summarize = async ({ system, prompt, max_output_tokens }, { signal, onDelta }) => {
    const stopping = InterruptableStoppingCriteria && new InterruptableStoppingCriteria();
    const stop = () => stopping?.interrupt();
    signal.addEventListener("abort", stop);
    const streamer =
      TextStreamer &&
      onDelta &&
      new TextStreamer(generator.tokenizer, {
        skip_prompt: true,
        skip_special_tokens: true,
        callback_function: onDelta,
      });
    try {
      const messages = [
        { role: "system", content: system },
        { role: "user", content: prompt },
      ];
      const [answer] = await generator(messages, {
        max_new_tokens: max_output_tokens,
        do_sample: false,
        ...(streamer && { streamer }),
        ...(stopping && { stopping_criteria: stopping }),
      });
      signal.throwIfAborted();
      return answer?.generated_text?.at(-1)?.content ?? "";
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
  return localModel(summarize, contextWindow ?? windowOfModel(generator) ?? USUAL_WINDOW);
}

function windowOfModel({ model, tokenizer }: Generator): number | undefined {
  const { config } = model;
  const positions = windowOf(
    config?.max_position_embeddings,
    config?.text_config?.max_position_embeddings,
    config?.n_positions,
  );
  const written = windowOf(tokenizer?.model_max_length);
  return positions && written ? Math.min(positions, written) : (positions ?? written);
}
