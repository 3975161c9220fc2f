import { CtxfoldModule, type Pieces } from "./abi.js";
import { BaseCompactor, type Call } from "./base.js";
import type { CompactorOf } from "./compactor-methods.js";
import type { CompactorOptions } from "./compactor-options.js";
import { IN_COMPACT, type Overrides } from "./ending.js";
import type { OperationRequest } from "./engine.js";
import { type Answer, envelope, errorOf } from "./envelope.js";
import { CtxfoldError } from "./errors.js";
import { decode, members } from "./json.js";
import type { Load } from "./load.js";
import { model } from "./model.js";
import { COMPACTOR_OPTIONS } from "./option-names.js";
import { checkOptions, checkStores } from "./options.js";
import { type LiveSession, ModuleSession, sessionIn, sessionOf } from "./session.js";
import type { Message, Operation } from "./types.js";

/**
 * Compacts one conversation. `compact` waits for the module to load. The other operations are synchronous and throw
 * `not_loaded` until `ready` has resolved, unless the compactor was created with a module that `load` returned.
 *
 * Messages are never modified in place. All operations throw {@link CtxfoldError}; the compactor remains usable
 * afterwards.
 */
export interface Compactor extends CompactorOf<"here"> {
  /**
   * Opens a conversation that stays in the module, with these messages and this compactor's options. It starts with the
   * compactor's state and keeps its own from then on.
   */
  session<M extends Message>(messages?: readonly M[], overrides?: Overrides): LiveSession<M>;
}

/** Creates a compactor. The module starts to load at once; `ready` and `compact` wait for it. */
export type CreateCompactor = (options?: CompactorOptions) => Compactor;

/** Returns the function that creates compactors with a platform's loader. */
export function compactors(load: Load): CreateCompactor {
  return (options = {}) => new ModuleCompactor(load, options);
}

class ModuleCompactor extends BaseCompactor<"here"> implements Compactor {
  readonly #load: Load;
  readonly #source: CompactorOptions["module"];
  #module: CtxfoldModule | undefined;

  constructor(load: Load, options: CompactorOptions) {
    checkOptions(options, COMPACTOR_OPTIONS, "createCompactor", IN_COMPACT);
    checkStores(options);
    const { module, policy = {}, store, countTokens } = options;
    super({ policy, store, countTokens, model: model(options) }, options.state);
    this.#load = load;
    this.#source = module;
    if (module instanceof CtxfoldModule) this.#module = module;
    // ready() and compact() report a failure and try again. This promise may have no listener, so its rejection is
    // caught here.
    else this.ready().catch(() => {});
  }

  async ready(): Promise<void> {
    this.#module ??= await this.#load(this.#source);
  }

  protected override loading(): Promise<void> {
    return this.ready();
  }

  protected run<T>(makeCall: () => Call<T>): T {
    const { request, readAnswer } = makeCall();
    return readAnswer(request ? this.runOperation(request) : new Map());
  }

  session<M extends Message>(messages: readonly M[] = [], overrides: Overrides = {}): LiveSession<M> {
    const run = (request: OperationRequest) => this.runOperation(request);
    const own = { state: this.current, ...overrides };
    return new ModuleSession(run, this.compacting, messages, own) as unknown as LiveSession<M>;
  }

  /** Runs one operation. Session numbers in `head` and in the answer are unique over all instances. */
  runOperation({ op, head, source, file }: OperationRequest): Answer {
    const module = this.#loaded(op);
    const { session } = head;
    const own = typeof session === "number" ? { ...head, session: sessionIn(module.instance, session) } : head;
    // `head` comes before the messages, so that the module knows how to read them.
    const pieces: Pieces = file === undefined ? envelope(own, source) : [file];
    const answer = members(module.call(op, pieces));
    const error = answer.get("error");
    if (error) throw errorOf(error, pieces, source);
    const opened = typeof session === "number" ? undefined : answer.get("session");
    if (!opened) return answer;
    const number = sessionOf(module.instance, Number(decode(opened)));
    return new Map(answer).set("session", new TextEncoder().encode(String(number)));
  }

  #loaded(op: Operation): CtxfoldModule {
    if (this.#module) return this.#module;
    throw new CtxfoldError(
      "not_loaded",
      `${op} was called before the module was loaded: await compactor.ready() first, or give createCompactor a module ` +
        "that load() returned",
    );
  }
}
