/** The methods of compactors, which are the same on this thread and in a worker. */
import type { CompactOptions, Overrides } from "./ending.js";
import type { Returned } from "./engine.js";
import type { Store } from "./store.js";
import type {
  Check,
  Converted,
  Detection,
  Digest,
  Done,
  Estimate,
  Failure,
  Format,
  Found,
  FunctionName,
  FunctionRequest,
  Info,
  Kept,
  Left,
  LimitedOutput,
  Message,
  Messages,
  NamedHandles,
  OutputLimits,
  Pending,
  Plan,
  PlanOptions,
  Policy,
  Recalled,
  Repaired,
  Restored,
  Search,
  Session,
  State,
  StepOptions,
  Summary,
  Validation,
  Verdict,
} from "./types.js";

/** The members that compactors on this thread and in a worker have in common. All operations throw {@link CtxfoldError}. */
export interface CompactorOf<Where extends "here" | "worker"> {
  /** The policy in the options. */
  readonly policy: Policy;
  /** The store in the options; undefined if there is none. */
  readonly store: Store | undefined;
  /** Whether the options have a `summarize` function. */
  readonly summarizes: boolean;
  /** The state with which the next call starts: that of the last `compact` or `check`, or the state in the options. */
  readonly state: State | undefined;
  /** Resolves when the module is loaded. Rejects if loading fails; the next call tries again. */
  ready(): Promise<void>;
  /**
   * Compacts the messages: plans, has summaries written, and applies them. Pass live messages and get live messages,
   * text and get text, bytes and get bytes. Live messages come in a new array that holds your own objects where nothing
   * was changed; if nothing was changed at all, you get the same array (`===`).
   *
   * A summary that fails, hangs or is refused doesn't fail the compaction: a local digest replaces it and the report
   * says why. Don't modify the messages until the promise settles.
   */
  compact<M extends Messages>(messages: M, options?: CompactOptions): Promise<Done<M>>;
  /**
   * The first half of `compact`, for callers that call the model themselves. Returns a plan with requests, or the
   * finished result. It requests summaries even if there is no `summarize`, unless the policy has `summary.mode`
   * `local`, and does not change `state`.
   *
   * A short-lived host that gets the whole history with each request can store the `memory` of each result and pass
   * all of them in the next call. Then each compaction is made only once, as with `fit`.
   */
  plan<M extends Messages>(messages: M, options?: PlanOptions): Returned<Where, Pending | Done<M>>;
  /**
   * Continues a plan once its requests have been answered, with the plan's policy and state. Pass the messages that
   * the plan was made for, in the same form; newer messages may follow.
   */
  step<M extends Messages>(
    messages: M,
    plan: Plan,
    summaries: readonly Summary[],
    options?: StepOptions,
  ): Returned<Where, Pending | Done<M>>;
  /**
   * Returns fingerprints of the first message, of the first two messages, and so on, each in up to 16 hexadecimal digits.
   * They cover only the content that the model sees. A `memory` entry applies to a history if `prints[entry.messages - 1]`
   * equals `entry.print`, or `prints[entry.sent_messages - 1]` equals `entry.sent`.
   */
  prints(messages: Messages): Returned<Where, string[]>;
  /**
   * Estimates the tokens of a transcript, and of each message, with the policy's estimator, corrected by the state and
   * `usage`.
   */
  estimate(messages: Messages, overrides?: Overrides): Returned<Where, Estimate>;
  /** Estimates the tokens of a plain text with the policy's estimator. */
  estimateText(text: string): Returned<Where, Estimate>;
  /**
   * Reports whether a compaction is due. A correction of the estimate by `usage` is kept in `state`, unless a state is
   * given.
   */
  check(messages: Messages, overrides?: Overrides): Returned<Where, Check>;
  /** Lists the places where a transcript breaks the rules of its wire format. */
  validate(messages: Messages): Returned<Where, Validation>;
  /**
   * Repairs the places where a transcript breaks the rules of its wire format. The report lists the repairs, and the
   * places that no repair can fix (`left`).
   */
  repair<M extends Messages>(messages: M): Returned<Where, Repaired<M>>;
  /**
   * Converts the transcript to another wire format, so that the conversation can continue with another provider, and
   * reports the content that could not be converted (docs/guides/formats.md, Conversion). `format` is the
   * transcript's format; by default it is the policy's, or is detected.
   */
  convert<M extends Messages>(messages: M, to: Format, format?: Format): Returned<Where, Converted<M>>;
  /**
   * Restores bodies, byte for byte, where markers name their handles. Markers whose bodies aren't given stay, and are
   * listed; without bodies, that is all of them. Throws `handle_mismatch` if a body isn't that of its handle.
   * `restoreFrom` fetches the bodies from a store.
   */
  restore<M extends Messages>(
    messages: M,
    bodies?: readonly Kept[],
    state?: State | null,
  ): Returned<Where, Restored<M>>;
  /**
   * Returns the handles that bodies contain, because a body can have markers of earlier compactions. `restoreFrom`
   * uses them.
   */
  handlesIn(bodies: readonly Kept[]): Returned<Where, NamedHandles>;
  /**
   * Returns the messages that compactions wrote, with their contents, for an app that displays the conversation. With
   * a state it is certain which they are (`own`); with null they are recognized by role and position.
   */
  digests(messages: Messages, state?: State | null): Returned<Where, Digest[]>;
  /**
   * Returns the definition of a tool with which the model can recall removed content, in the wire format of the
   * policy.
   */
  recallTool(): Returned<Where, object>;
  /**
   * Reads a call of the tool that `recallTool` defines. If the requested body (null if there is none) or the search
   * result is given, it also returns the text of the tool result. See `recallFrom`.
   */
  recall(callArguments: unknown, body?: string | null, found?: Found): Returned<Where, Recalled>;
  /** Searches the messages in bodies, and lists the best ones first. `searchFrom` fetches the bodies from a store. */
  search(search: Search): Returned<Where, Found>;
  /** Detects the wire format of a transcript. Lists the formats that are possible, the most likely one first. */
  detect(messages: Messages): Returned<Where, Detection>;
  /**
   * Extracts the live conversation from a coding agent's session file, given as it is on disk. Given a string, returns
   * message objects; given bytes, returns the bytes of a JSON array. Throws `unknown_session` if the file is not a
   * session file.
   */
  open<F extends string | Uint8Array>(file: F): Returned<Where, Session<F extends string ? Message[] : Uint8Array>>;
  /**
   * Writes the compacted conversation into the session file that it came from, given as it is on disk, and returns
   * the new file. The agent resumes with exactly these messages; the file records the compaction as the agent itself
   * would (docs/guides/sessions.md). If the conversation is unchanged, so is the file. Throws `cannot_save` for
   * messages that this kind of file cannot contain.
   */
  save<F extends string | Uint8Array>(file: F, left: Left): Returned<Where, F>;
  /**
   * Classifies the error of a model call, or recognizes that the input did not fit although no error was reported.
   * docs/guides/overflow.md lists the classes.
   */
  classifyError(failure: Failure): Returned<Where, Verdict>;
  /**
   * Limits a tool's output before it becomes a part of the transcript. It is cut or, if it is so large that the host
   * should store it, replaced with a notice.
   */
  limitToolOutput(text: string, limits?: OutputLimits): Returned<Where, LimitedOutput>;
  /**
   * Runs one step of a compaction by name, such as `find_cut_point` or `truncate_head_tail`, and returns its result.
   * docs/reference/functions.md lists the steps. Throws `unknown_function` if there is no such step. The package's own
   * module has no steps: use `ctxfold-full.wasm`.
   */
  function<T = unknown>(name: FunctionName, request?: FunctionRequest): Returned<Where, T>;
  /** Returns the module's version, wire formats, presets, estimators and limits. */
  info(): Returned<Where, Info>;
}
