/** Runs operations in a worker or, if that is impossible, in the page. */
import type { CreateCompactor } from "./compactor.js";
import type { Engine, OperationRequest } from "./engine.js";
import type { Answer } from "./envelope.js";
import { CtxfoldError } from "./errors.js";
import { type Lazy, whenIdle } from "./lazy.js";
import type { ModuleSource } from "./load.js";
import type { CreateRemoteCompactor, RemoteModuleSource } from "./remote.js";
import { slicedTranscript, type Transcript } from "./transcript.js";

/** Creates the engine for a page's fitters. If `worker` is false, all work is done in the page. */
export type OffPageCreate = (options: { module?: ModuleSource }, worker?: boolean) => Engine;

/** Returns a function that creates engines. All fitters of a page share one worker. */
export function offPage(inPage: Lazy<CreateCompactor>, remote: Lazy<CreateRemoteCompactor>): OffPageCreate {
  return ({ module }, worker = true) => new OffPage(inPage, remote, module, worker);
}

class OffPage implements Engine {
  readonly #inPage: Lazy<CreateCompactor>;
  readonly #remote: Lazy<CreateRemoteCompactor>;
  readonly #module: ModuleSource | undefined;
  #worker: Promise<Engine> | undefined;
  /**
   * Whether the worker can't be used: it is not wanted, this is not a page, the module can't be sent to it, or it could
   * not be started or could not load its module.
   */
  #refused: boolean;
  #page: Promise<Engine> | undefined;

  constructor(
    inPage: Lazy<CreateCompactor>,
    remote: Lazy<CreateRemoteCompactor>,
    module: ModuleSource | undefined,
    worker: boolean,
  ) {
    this.#inPage = inPage;
    this.#remote = remote;
    this.#module = module;
    // A worker doesn't start another worker, because it doesn't block a page.
    const inAPage = typeof document !== "undefined" && typeof Worker === "function";
    this.#refused = !worker || !inAPage || !crosses(module);
  }

  /** Resolves at once. The first operation starts the loading, and shows whether a worker is available. */
  async ready(): Promise<void> {}

  read(messages: unknown): Promise<Transcript> | undefined {
    return this.#refused ? undefined : slicedTranscript(messages);
  }

  async runOperation(request: OperationRequest): Promise<Answer> {
    if (!this.#refused) {
      try {
        this.#worker ??= this.#inWorker();
        return await (await this.#worker).runOperation(request);
      } catch (error) {
        if (!isMissing(error)) throw error;
        // The reason can be a Content-Security-Policy that forbids workers, or a bundler that didn't copy the
        // worker's file.
        this.#refused = true;
        this.close();
      }
    }
    this.#page ??= this.#here();
    const page = await this.#page;
    await page.ready();
    return page.runOperation(request);
  }

  preload(): void {
    whenIdle(() => this.runOperation({ op: "info", head: {} }));
  }

  close(): void {
    this.#worker?.then(
      (worker) => worker.close?.(),
      () => {},
    );
    this.#worker = undefined;
  }

  async #inWorker(): Promise<Engine> {
    return (await this.#remote())(this.#options() as { module?: RemoteModuleSource }) as unknown as Engine;
  }

  async #here(): Promise<Engine> {
    return (await this.#inPage())(this.#options()) as unknown as Engine;
  }

  #options(): { module?: ModuleSource } {
    return this.#module === undefined ? {} : { module: this.#module };
  }
}

/** Reports whether a module source can be sent to a worker. */
function crosses(module: ModuleSource | undefined): boolean {
  const kind = Object.prototype.toString.call(module).slice(8, -1);
  return ["Undefined", "String", "URL", "ArrayBuffer", "Uint8Array", "WebAssembly.Module"].includes(kind);
}

/**
 * Reports whether the error means that the worker can't be used: it has ended or has no module. That includes any error
 * that isn't a CtxfoldError, because browsers that forbid workers throw their own.
 */
function isMissing(error: unknown): boolean {
  return !(error instanceof CtxfoldError) || ["load_failed", "invalid_module", "closed"].includes(error.code);
}
