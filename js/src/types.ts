/**
 * What of the JSON of docs/reference/abi.md is a compactor's own: transcripts of any kind, and answers with a transcript in the kind that was given. All
 * else is generated (types.gen.ts).
 */
import type * as api from "./types.gen.js";

export type * from "./types.gen.js";

/** One message of any wire format: it is carried, not looked into. */
export type Message = object;

/** A live request body, which holds the list of messages under one of these names. */
export type RequestBody = { messages?: unknown } | { input?: unknown } | { contents?: unknown };

/**
 * A transcript: live messages, a live request body that holds them, or either as JSON text or as its UTF-8 bytes. Or all that `open` has
 * answered: then its format and model count where the policy has none, and its system prompt and the provider's count do.
 */
export type Messages = readonly Message[] | RequestBody | string | Uint8Array;

/** The kind that comes back for the kind that was given; of what `open` has answered the messages alone. */
export type Same<M extends Messages> = M extends string
  ? string
  : M extends Uint8Array
    ? Uint8Array
    : M extends readonly (infer T)[]
      ? T[]
      : M extends Session<infer L>
        ? L
        : M;

/** One run of an answer's messages, in output order. Indexes count in the messages that were given. */
export type Edit<M = Message> =
  /** The messages from the first index up to, not with, the second. */
  | { keep: [from: number, to: number] }
  /** A message that was not there. */
  | { insert: M }
  /** The message at this index, changed. */
  | { set: number; message: M };

/** What to do, and when; see docs/reference/policy.md. What a policy leaves out is as its preset says. */
export interface Policy extends api.Policy {}

/** What one call wants next to the policy, which belongs to the conversation; docs/reference/abi.md says what each option means. */
export interface CallOptions extends Omit<api.Options, "answer" | "usage" | "only_known"> {}

/** What the host keeps next to the conversation, as JSON. It is not to be changed. */
export interface State extends Readonly<api.State> {}

/** A plan to continue with, as JSON: it may be stored, and continued on another machine. It is not to be changed. */
export interface Plan extends Readonly<api.Plan> {}

/**
 * A compaction to remember, as JSON: it may be stored, and used on another machine. It is not to be changed, but a host may add members
 * of its own.
 */
export interface MemoryEntry extends Readonly<api.MemoryEntry> {}

/** Options of `step`. */
export interface StepOptions {
  /**
   * What earlier answers had as `memory`, in any order; of more than 64 the last ones are read. With it, also with an empty list, the
   * messages are the app's whole history: a compaction that represents its beginning replaces it, and brings its own state; that of
   * the compactor counts for nothing. `step` gets the list that `plan` got.
   */
  memory?: readonly MemoryEntry[] | undefined;
}

/** Options of `plan`. The plan has those of the call in it: `step` goes by them. */
export interface PlanOptions extends StepOptions {
  options?: CallOptions | undefined;
}

/** While summaries are wanted: the plan to continue with, and what to ask the model. */
export interface Pending extends Pick<api.Planned, "report" | "known"> {
  plan: Plan;
  requests: api.SummaryRequest[];
}

/** When there is nothing left to ask. */
export interface Done<M extends Messages> extends Pick<api.Planned, "report" | "known"> {
  requests: [];
  messages: Same<M>;
  state: State;
  /** What was removed, where the policy or a store asks for it. */
  archive?: Body[];
  /** With a `memory` among the options: the entry to remember, where a compaction was made in this call. */
  memory?: MemoryEntry;
}

/** A body that was removed of the transcript, as JSON. */
export interface Body extends Omit<api.Body, "places"> {
  body: string;
}

/** A transcript into which bodies were put back. The reason is `restored` or `nothing_to_restore`. */
export interface Restored<M extends Messages> extends Omit<api.RestoredMessages, "state"> {
  messages: Same<M>;
  /** The state to continue with, where there was one. */
  state?: State;
}

/** A transcript with what breaks the rules of its wire format put right. The reason is `repaired` or `valid`. */
export interface Repaired<M extends Messages> extends api.RepairedMessages {
  messages: Same<M>;
}

/** A transcript in another wire format, in the kind that was given: a text, bytes, or live messages. */
export interface Converted<M extends Messages> extends Omit<api.Converted, "messages"> {
  messages: M extends string
    ? string
    : M extends Uint8Array
      ? Uint8Array
      : M extends readonly unknown[] | Session<readonly Message[]>
        ? Message[]
        : object;
}

/** A query over bodies. */
export interface Search extends api.SearchRequest {}

/** What to look for in what was removed. */
export interface SearchOptions extends Omit<Search, "query" | "bodies"> {}

/** The live conversation of a coding agent's session file: what the agent's next request would hold. */
export interface Session<M> extends Omit<api.Opened, "messages" | "usage"> {
  /** The provider's last count, or null where there is none since the last compaction. */
  usage: Usage | null;
  messages: M;
}

/** The provider's own count for one call, in tokens. */
export interface Usage extends Required<Omit<api.Counted, "exact">> {}

/** What is left of a session file's conversation, as `compact` resolves with it. */
export interface Left {
  messages: readonly Message[] | string | Uint8Array;
  report: Pick<api.Report, "changed" | "tokens">;
}

/** What a function is given; docs/reference/functions.md says what each one needs. */
export interface FunctionRequest {
  messages?: Messages;
  text?: string;
  arguments?: Record<string, unknown>;
  /** In place of the compactor's own. */
  policy?: Policy;
  options?: CallOptions | undefined;
  state?: State | null | undefined;
}
