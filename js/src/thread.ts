/** The worker's side of `ctxfold/worker`: compactors that a page controls through messages. */
import type { Compactor, CreateCompactor } from "./compactor.js";
import type { OperationRequest } from "./engine.js";
import type { Answer } from "./envelope.js";
import { decode } from "./json.js";
import { type Port, type Source, type ToPage, type ToWorker, thrown } from "./protocol.js";
import { isClosed } from "./session.js";
import { crossed, type Transcript } from "./transcript.js";

/** The part of a compactor that the page uses. */
interface LocalEngine {
  runOperation(request: OperationRequest): Answer;
}

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
  const crossing = ({ piece, answer }: Source): Transcript => {
    if (typeof piece !== "number") return crossed(piece, answer);
    const arrived = parts.get(piece) ?? [];
    const whole = typeof arrived[0] === "string" ? arrived.join("") : joined(arrived as Uint8Array[]);
    parts.set(piece, [whole]);
    return crossed(whole, answer);
  };

  const run = async ({ compactor, request }: ToWorker & { kind: "call" }): Promise<Answer | undefined> => {
    const made = compactors.get(compactor) as Compactor & LocalEngine;
    const source = request?.source && crossing(request.source);
    await made.ready();
    if (!request) return undefined;
    const answer = made.runOperation({ ...request, source });
    if (request.op === "session_open") sessions.set(numberOf(answer), compactor);
    if (request.op === "session_close") sessions.delete(request.head.session as number);
    return answer;
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
        compactors.set(message.compactor, createCompactor(message.options) as Compactor & LocalEngine);
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

/**
 * Returns the buffer of an answer, which all of its members share. The worker can transfer it, because it is a copy of
 * the module's memory.
 */
function buffersOf(answer: Answer | undefined): ArrayBuffer[] {
  const [first] = answer?.values() ?? [];
  return first ? [first.buffer as ArrayBuffer] : [];
}
