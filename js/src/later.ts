/** Creates a compactor for `fit` only when it is used. */
import type { Answer } from "./envelope.js";
import { type Lazy, whenIdle } from "./lazy.js";
import type { Asking } from "./pool.js";
import type { CreateRemoteCompactor, RemoteModuleSource } from "./remote.js";
import type { Ask } from "./session.js";
import { slicedTranscript, type Transcript } from "./transcript.js";

/** Wraps a function that starts a worker: a conversation that certainly fits needs none. */
export function later(create: Lazy<CreateRemoteCompactor>): (options: { module?: RemoteModuleSource }) => Asking {
  return (options) => new Later(async () => (await create())(options) as unknown as Asking);
}

class Later implements Asking {
  readonly #create: () => Promise<Asking>;
  #made: Promise<Asking> | undefined;
  #closed = false;

  constructor(create: () => Promise<Asking>) {
    this.#create = create;
  }

  /** `ask` waits. */
  async ready(): Promise<void> {}

  read(messages: unknown): Promise<Transcript> {
    return slicedTranscript(messages);
  }

  async ask(ask: Ask): Promise<Answer> {
    this.#made ??= this.#make();
    return (await this.#made).ask(ask);
  }

  preload(): void {
    whenIdle(() => this.ask({ op: "info", head: {} }));
  }

  close(): void {
    this.#closed = true;
    this.#made?.then(
      (made) => made.close?.(),
      () => {},
    );
  }

  /** If the fitter is already closed, the compactor is closed too, and reports that. */
  async #make(): Promise<Asking> {
    const made = await this.#create();
    if (this.#closed) made.close?.();
    return made;
  }
}
