/** The part of a compactor that is the same whether the module is on this thread or in a worker. */
import { unlessAborted } from "./abort.js";
import { type CompactOptions, ending, optionsOf } from "./ending.js";
import type { OperationRequest } from "./engine.js";
import { type Answer, doneOf, type Head } from "./envelope.js";
import { type JobOperation, runPlan } from "./loop.js";
import { redactions } from "./redact.js";
import type { Compacting } from "./session.js";
import type { Store } from "./store.js";
import { transcript } from "./transcript.js";
import type { Done, Messages, Policy, State } from "./types.js";
import { usageOf } from "./usage.js";

export abstract class BaseCompactor {
  protected readonly compacting: Compacting;
  /** The state with which the next call starts. */
  protected current: State | undefined;

  constructor(compacting: Compacting, state: State | null | undefined) {
    this.compacting = compacting;
    this.current = state ?? undefined;
  }

  get policy(): Policy {
    return this.compacting.policy;
  }

  get store(): Store | undefined {
    return this.compacting.store;
  }

  get summarizes(): boolean {
    return this.compacting.model.summarize !== undefined;
  }

  get state(): State | undefined {
    return this.current;
  }

  /** Runs one operation. Sessions and fits use it too. */
  abstract runOperation(request: OperationRequest): Answer | Promise<Answer>;

  /** Resolves when operations can run; undefined if they wait for that themselves. */
  protected abstract loading(): Promise<void> | undefined;

  compact<M extends Messages>(messages: M, options: CompactOptions = {}): Promise<Done<M>> {
    return ending(options, async (signal) => {
      signal?.throwIfAborted();
      const source = transcript(messages);
      const loading = this.loading();
      if (loading) await unlessAborted(loading, signal);
      const { store, model, countTokens } = this.compacting;
      const { policy = this.policy, state = this.current } = options;
      const usage = usageOf(countTokens, messages, options.usage);
      const redact = redactions(model.redact, source.piece);
      const call = (op: JobOperation, head: Head, needs: boolean) =>
        this.runOperation({ op, head, source: needs ? source : undefined });
      const head = { policy, options: optionsOf(options.options, { answer: source.answer, usage }, { redact }), state };
      const done = doneOf<M>(await runPlan({ call, model, store, source }, head, signal), source);
      this.current = done.state;
      return done;
    });
  }
}
