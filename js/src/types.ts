/**
 * The types of docs/reference/abi.md that are specific to JavaScript: transcripts in any form, and results with a
 * transcript in the caller's form. All other types are generated (types.gen.ts).
 */
import type * as api from "./types.gen.js";

export type * from "./types.gen.js";

/** One message in any wire format. Its content is opaque here. */
export type Message = object;

/** A live request body, which has the list of messages under one of these keys. */
export type RequestBody = { messages?: unknown } | { input?: unknown } | { contents?: unknown };

/**
 * A transcript: live messages, a live request body that contains them, or either of these as JSON text or UTF-8
 * bytes. It can also be a result of `open`: then its system prompt and the provider's count are used and, if the
 * policy has none, its format and model.
 */
export type Messages = readonly Message[] | RequestBody | string | Uint8Array;

/**
 * The type of the returned messages for messages of a given type. For a result of `open`, only messages are returned.
 */
export type Same<M extends Messages> = M extends string
  ? string
  : M extends Uint8Array
    ? Uint8Array
    : M extends readonly (infer T)[]
      ? T[]
      : M extends Session<infer L>
        ? L
        : M;

/** One part of a result's messages. Edits are in output order; indexes refer to the messages that were passed in. */
export type Edit<M = Message> =
  /** The messages from the first index up to, but not including, the second. */
  | { keep: [from: number, to: number] }
  /** A new message. */
  | { insert: M }
  /** The message at this index, changed. */
  | { set: number; message: M };

/** Determines what a compaction does and when it is due; see docs/reference/policy.md. Omitted members default to the preset. */
export interface Policy extends api.Policy {}

/**
 * Options of one call, in addition to the policy, which belongs to the conversation. docs/reference/abi.md describes
 * them.
 */
export interface CallOptions extends Omit<api.Options, "answer" | "usage" | "only_known"> {}

/** JSON that the host stores with the conversation and does not change. */
export interface State extends Readonly<api.State> {}

/**
 * A plan with which a compaction continues, as JSON. It may be stored, and continued on another machine, but not
 * changed.
 */
export interface Plan extends Readonly<api.Plan> {}

/**
 * A remembered compaction, as JSON. It may be stored, and used on another machine. The host may add members but not
 * change any.
 */
export interface MemoryEntry extends Readonly<api.MemoryEntry> {}

/** Options of `step`. */
export interface StepOptions {
  /**
   * The `memory` of earlier results, in any order; only the last 64 are read. If it is given, even as an empty list,
   * the messages must be the app's whole history: a compaction that covers its beginning is applied together with its
   * own state, and the compactor's state is ignored. Pass `step` the same list as `plan`.
   */
  memory?: readonly MemoryEntry[] | undefined;
}

/** Options of `plan`. The plan contains them, so `step` uses them too. */
export interface PlanOptions extends StepOptions {
  /** The options for this call. */
  options?: CallOptions | undefined;
}

/**
 * The result if summaries are needed: the plan with which the compaction continues, and the requests for the model.
 */
export interface Pending extends Pick<api.Planned, "report" | "known"> {
  /** The plan, as JSON that can be stored and continued on another machine. */
  plan: Plan;
  /** The prompts for the model; at least one. */
  requests: api.SummaryRequest[];
}

/** The finished result. */
export interface Done<M extends Messages> extends Pick<api.Planned, "report" | "known"> {
  /** Always empty: no summaries are needed. */
  requests: [];
  /** The messages to continue with, in the form in which they were passed. */
  messages: Same<M>;
  /** The state to store with the conversation, for the next compaction. */
  state: State;
  /** The removed content, if the policy requests it or the options have a store. */
  archive?: Body[];
  /** The entry to remember, if `memory` was given and this call made a compaction. */
  memory?: MemoryEntry;
}

/** Content removed from the transcript, as JSON. */
export interface Body extends Omit<api.Body, "places"> {
  /** The content, as JSON. */
  body: string;
}

/** A transcript with restored bodies. The reason is `restored` or `nothing_to_restore`. */
export interface Restored<M extends Messages> extends Omit<api.RestoredMessages, "state"> {
  /** The transcript, in the form in which it was passed. */
  messages: Same<M>;
  /** The state to continue with, if there was one. */
  state?: State;
}

/** A repaired transcript. The reason is `repaired` or `valid`. */
export interface Repaired<M extends Messages> extends api.RepairedMessages {
  /** The transcript, in the form in which it was passed. */
  messages: Same<M>;
}

/** A transcript in another wire format, in the form that was passed: text, bytes, or live messages. */
export interface Converted<M extends Messages> extends Omit<api.Converted, "messages"> {
  /** The converted transcript: a list for a list, and a request body for a request body. */
  messages: M extends string
    ? string
    : M extends Uint8Array
      ? Uint8Array
      : M extends readonly unknown[] | Session<readonly Message[]>
        ? Message[]
        : object;
}

/** A search query and the bodies to search. */
export interface Search extends api.SearchRequest {}

/** Search criteria other than the query. */
export interface SearchOptions extends Omit<Search, "query" | "bodies"> {}

/** The live conversation of a coding agent's session file: what the agent's next request would contain. */
export interface Session<M> extends Omit<api.Opened, "messages" | "usage"> {
  /** The provider's last count, or null if there is none since the last compaction. */
  usage: Usage | null;
  /** The messages of the agent's next request. */
  messages: M;
}

/** The provider's own count for one call, in tokens. */
export interface Usage extends Required<Omit<api.Counted, "exact">> {}

/** The result of compacting a session file's conversation, as `compact` returns it. */
export interface Left {
  /** The messages to save in the file. */
  messages: readonly Message[] | string | Uint8Array;
  /** What the compaction did. */
  report: Pick<api.Report, "changed" | "tokens">;
}

/** Arguments of a function; docs/reference/functions.md lists them. */
export interface FunctionRequest {
  /** The transcript, if the function needs one. */
  messages?: Messages;
  /** The text, if the function needs one. */
  text?: string;
  /** The function's own arguments. */
  arguments?: Record<string, unknown>;
  /** Replaces the compactor's policy. */
  policy?: Policy;
  /** The options for this call. */
  options?: CallOptions | undefined;
  /** The state of the conversation, if the function needs it. */
  state?: State | null | undefined;
}
