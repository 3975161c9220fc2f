/** Delays creating a compactor for `fit` until it is used. */
import type { Engine, OperationRequest } from "./engine.js";
import type { Answer } from "./envelope.js";
import { type Lazy, whenIdle } from "./lazy.js";
import type { CreateRemoteCompactor, RemoteModuleSource } from "./remote.js";
import { slicedTranscript, type Transcript } from "./transcript.js";

/**
 * Returns a function that creates an engine whose worker is started on first use, so that no worker is started for a
 * conversation that certainly fits.
 */
export function later(create: Lazy<CreateRemoteCompactor>): (options: { module?: RemoteModuleSource }) => Engine {
  return (options) => new Later(async () => (await create())(options) as unknown as Engine);
}

class Later implements Engine {
  readonly #create: () => Promise<Engine>;
  #made: Promise<Engine> | undefined;
  #closed = false;

  constructor(create: () => Promise<Engine>) {
    this.#create = create;
  }

  /** Resolves immediately, because `runOperation` waits for the worker. */
  async ready(): Promise<void> {}

  read(messages: unknown): Promise<Transcript> {
    return slicedTranscript(messages);
  }

  async runOperation(request: OperationRequest): Promise<Answer> {
    this.#made ??= this.#make();
    return (await this.#made).runOperation(request);
  }

  preload(): void {
    whenIdle(() => this.runOperation({ op: "info", head: {} }));
  }

  close(): void {
    this.#closed = true;
    this.#made?.then(
      (made) => made.close?.(),
      () => {},
    );
  }

  /**
   * Creates the compactor. If the fitter has been closed meanwhile, the compactor is closed too, and reports that to
   * its callers.
   */
  async #make(): Promise<Engine> {
    const made = await this.#create();
    if (this.#closed) made.close?.();
    return made;
  }
}
