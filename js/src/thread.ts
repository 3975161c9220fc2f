/** The worker's side of `ctxfold/worker`: compactors that a page controls through messages. */
import type { Compactor, CreateCompactor } from "./compactor.js";
import type { CompactorOptions } from "./compactor-options.js";
import type { OperationRequest } from "./engine.js";
import type { Answer, Head } from "./envelope.js";
import { decode } from "./json.js";
import { type Port, type Source, type ToPage, type ToWorker, thrown } from "./protocol.js";
import { isClosed } from "./session.js";
import { Crossing, transcript } from "./transcript.js";

/** The part of a compactor that sessions use. */
interface LocalEngine {
  runOperation(request: OperationRequest): Answer;
}

type Method = (...args: unknown[]) => unknown;

/**
 * Runs the compactors of one page, in a worker. `port` is the connection to the page, and `createCompactor` the
 * function of the platform.
 */
export function serve(port: Port<ToWorker, ToPage>, createCompactor: CreateCompactor): void {
  const compactors = new Map<number, Compactor & LocalEngine>();
  /** The compactor that opened each session. */
  const sessions = new Map<number, number>();
  /** The parts of large transcripts that have arrived. */
  const parts = new Map<number, (string | Uint8Array)[]>();

  /**
   * Returns the transcript of a call. The parts of a large one are joined here, because joining them in the page
   * would block the page.
   */
  const crossing = ({ piece, answer }: Source): Crossing => {
    if (typeof piece !== "number") return new Crossing(piece, answer);
    const arrived = parts.get(piece) ?? [];
    const whole = typeof arrived[0] === "string" ? arrived.join("") : joined(arrived as Uint8Array[]);
    parts.set(piece, [whole]);
    return new Crossing(whole, answer);
  };

  const run = async ({ compactor, method, source, args }: ToWorker & { kind: "call" }): Promise<unknown> => {
    const made = compactors.get(compactor) as Compactor & LocalEngine;
    const target = made as unknown as Record<string, Method>;
    const messages = source && crossing(source);
    await made.ready();
    // The messages for the method `function` are a member of its request object.
    if (messages && method === "function") return target.function?.(args[0], { ...(args[1] as object), messages });
    if (method === "runOperation") {
      const [op, head] = args as [OperationRequest["op"], Head];
      const answer = made.runOperation({ op, head, source: messages && transcript(messages) });
      if (op === "session_open") sessions.set(numberOf(answer), compactor);
      if (op === "session_close") sessions.delete(head.session as number);
      return answer;
    }
    return target[method]?.(...(messages ? [messages, ...args] : args));
  };

  /** Removes a compactor and closes its sessions, because they occupy memory of the shared instance. */
  const forget = (compactor: number) => {
    for (const [session, by] of sessions) {
      if (by !== compactor) continue;
      sessions.delete(session);
      try {
        compactors.get(compactor)?.runOperation({ op: "session_close", head: { session } });
      } catch (error) {
        if (!isClosed(error)) throw error;
      }
    }
    compactors.delete(compactor);
  };

  port.listen((message) => {
    switch (message.kind) {
      case "create":
        compactors.set(
          message.compactor,
          createCompactor(message.options as CompactorOptions) as Compactor & LocalEngine,
        );
        return;
      case "close":
        forget(message.compactor);
        return;
      case "drop":
        parts.delete(message.source);
        return;
      case "part": {
        const arrived = parts.get(message.source);
        if (arrived) arrived.push(message.part);
        else parts.set(message.source, [message.part]);
        return;
      }
      case "call":
        run(message).then(
          (value) => port.post({ call: message.call, result: { value } }, buffersOf(value)),
          (error) => port.post({ call: message.call, result: { thrown: thrown(error) } }),
        );
    }
  });
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array;
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const numberOf = (opened: Answer): number => Number(decode(opened.get("session") as Uint8Array));

/** Returns the buffers in an answer. The worker can transfer them, because they are copies of the module's memory. */
function buffersOf(value: unknown): ArrayBuffer[] {
  // All members of a session's answer share one buffer.
  const { messages } =
    value instanceof Map ? { messages: value.values().next().value } : ((value ?? {}) as MessagesAnswer);
  return messages instanceof Uint8Array ? [messages.buffer as ArrayBuffer] : [];
}

interface MessagesAnswer {
  messages?: unknown;
}
