/** When conversations were sent last, and to whom: by that it is known whether a provider's prompt cache still has them. */
import type { CallOptions, Policy } from "./types.js";

/** The call of a model that comes next. */
export interface Next {
  /** Who is asked, by any names. Where the last call of the conversation was to another one, its prompt cache is cold. */
  model?: string | undefined;
  provider?: string | undefined;
}

/** The last call of a conversation. */
export interface Use extends Next {
  /** Milliseconds since 1970. */
  time: number;
}

/** Whether a policy compacts a conversation whose prompt cache is cold. */
export const chills = ({ gate }: Policy): boolean => (gate?.idle ?? 0) > 0;

/** What the module takes at most, in seconds. */
const LONGEST = 1_000_000_000;

/** The options of a call, with what is measured for it. What the caller says counts before that. */
export function chilled(options: CallOptions | undefined, last: Use | undefined, next: Next, now: number): CallOptions {
  const seconds = last ? (now - last.time) / 1000 : 0;
  const idle = options?.idle ?? (seconds > 0 ? Math.min(seconds, LONGEST) : 0); // a clock may go back, or be none
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
