/** Compactors of `fit` that are made when the first of them is asked something. */
import type { Answer } from "./envelope.js";
import { type Lazy, whenIdle } from "./lazy.js";
import type { Asking } from "./pool.js";
import type { CreateRemoteCompactor, RemoteModuleSource } from "./remote.js";
import type { Ask } from "./session.js";
import { slicedTranscript, type Transcript } from "./transcript.js";

/** Over compactors that start a worker as soon as they are made: a conversation that fits needs none. */
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

  /** Nothing is waited for before it is asked something. */
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

  /** Whoever was closed stays closed: what is made for it then says so. */
  async #make(): Promise<Asking> {
    const made = await this.#create();
    if (this.#closed) made.close?.();
    return made;
  }
}
