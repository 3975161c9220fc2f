/** The worker's side of `ctxfold/worker`: compactors that a page calls by messages. */
import type { Compactor, CompactorOptions, CreateCompactor } from "./compactor.js";
import { errorOf, type Port, type Result, type ToPage, type ToWorker, thrown } from "./protocol.js";
import { Crossing } from "./transcript.js";

type Method = (...args: unknown[]) => unknown;

/** Serves the compactors of one page. */
export function serve(port: Port<ToWorker, ToPage>, createCompactor: CreateCompactor): void {
  const compactors = new Map<number, Compactor>();
  const calls = new Map<number, AbortController>();
  const questions = new Map<number, (result: Result) => void>();
  let asked = 0;

  /** Calls a function of the page. An options argument with a signal crosses as a later `forget`. */
  const ask = (compactor: number, name: string, args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const question = asked++;
      const last = args.at(-1) as { signal?: AbortSignal } | undefined;
      const signal = last?.signal;
      const forget = () => {
        questions.delete(question);
        port.post({ kind: "forget", question, reason: thrown(signal?.reason) });
        reject(signal?.reason);
      };
      questions.set(question, (result) => {
        questions.delete(question);
        signal?.removeEventListener("abort", forget);
        if ("value" in result) resolve(result.value);
        else reject(errorOf(result.thrown));
      });
      signal?.addEventListener("abort", forget, { once: true });
      port.post({ kind: "question", question, compactor, name, args: signal ? args.slice(0, -1) : args });
    });

  const run = async ({ compactor, call, method, source, args }: ToWorker & { kind: "call" }): Promise<unknown> => {
    const target = compactors.get(compactor) as unknown as Record<string, Method>;
    await (target as unknown as Compactor).ready();
    const messages = source && new Crossing(source.piece, source.answer);
    // Only `function` has its messages inside of a request.
    if (messages && method === "function") return target.function?.(args[0], { ...(args[1] as object), messages });
    const given = messages ? [messages, ...args] : args;
    if (method !== "compact") return target[method]?.(...given);
    const controller = new AbortController();
    calls.set(call, controller);
    try {
      return await target.compact?.(...given, { signal: controller.signal });
    } finally {
      calls.delete(call);
    }
  };

  port.listen((message) => {
    switch (message.kind) {
      case "create": {
        const { compactor, functions } = message;
        const options: Record<string, unknown> = { ...message.options };
        for (const name of functions) options[name] = (...args: unknown[]) => ask(compactor, name, args);
        compactors.set(compactor, createCompactor(options as CompactorOptions));
        return;
      }
      case "close":
        compactors.delete(message.compactor);
        return;
      case "abort":
        calls.get(message.call)?.abort(errorOf(message.reason));
        return;
      case "answer":
        questions.get(message.question)?.(message.result);
        return;
      case "call":
        run(message).then(
          (value) => port.post({ kind: "result", call: message.call, result: { value } }, buffersOf(value)),
          (error) => port.post({ kind: "result", call: message.call, result: { thrown: thrown(error) } }),
        );
    }
  });
}

/** The buffers of an answer's messages: they are copies of the module's memory, so the worker can give them away. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const { messages } = (value ?? {}) as { messages?: unknown };
  return messages instanceof Uint8Array ? [messages.buffer as ArrayBuffer] : [];
}
