/**
 * Records when conversations were last sent and to which model, to know whether the provider's prompt cache still holds
 * them.
 */
import type { CallOptions, Policy } from "./types.js";

/** The next call of a model. */
export interface Next {
  /**
   * Identifies the model; any names will do. If the last call of the conversation went to another model, its prompt
   * cache is cold.
   */
  model?: string | undefined;
  provider?: string | undefined;
}

/** The last call of a conversation. */
export interface Use extends Next {
  /** Milliseconds since 1970. */
  time: number;
}

/** Whether a policy compacts conversations because their prompt cache is cold. */
export const chills = ({ gate }: Policy): boolean => (gate?.idle ?? 0) > 0;

/** The module's upper limit, in seconds. */
const LONGEST = 1_000_000_000;

/**
 * Adds the measured idle time, and whether the cache is cold, to the options of a call. Values that the caller gives
 * take precedence.
 */
export function chilled(options: CallOptions | undefined, last: Use | undefined, next: Next, now: number): CallOptions {
  const seconds = last ? (now - last.time) / 1000 : 0;
  const idle = options?.idle ?? (seconds > 0 ? Math.min(seconds, LONGEST) : 0); // a clock may go back, or be unavailable
  const cold =
    options?.cold ??
    (differ(next.provider, last?.provider)
      ? "provider_changed"
      : differ(next.model, last?.model)
        ? "model_changed"
        : undefined);
  return { ...options, ...(idle !== 0 && { idle }), ...(cold !== undefined && { cold }) };
}

const differ = (a: string | undefined, b: string | undefined) => Boolean(a) && Boolean(b) && a !== b;
