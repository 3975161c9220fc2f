// One conversation of the proxy, on any platform. Compactions are stored, and an interrupted compaction is continued.
import { createCompactor } from "ctxfold";

/**
 * @typedef {object} Storage the storage of one conversation: JSON values under keys, returned directly or as promises
 * @property {(key: string) => any} get undefined if there is none
 * @property {(prefix: string) => any[] | Promise<any[]>} list the values of all keys with this prefix
 * @property {(change: {remove?: string[], set?: Record<string, unknown>}) => void | Promise<void>} write removes all keys with these
 *   prefixes and then sets values, atomically
 *
 * @typedef {(body: string | Uint8Array, signal: AbortSignal) => Promise<Response>} Send sends a request to the upstream
 *
 * @typedef {object} Job a compaction in progress
 * @property {number} given the number of messages that it was planned for
 * @property {string} print the print of these messages
 * @property {readonly import("ctxfold").MemoryEntry[]} memory the compaction that it starts from, if there is one
 * @property {boolean} failed whether the model returned no summary
 * @property {import("ctxfold").Pending | import("ctxfold").Done<any>} result the result of plan or step
 */

/** The number of compactions to remember, because a user may go back to before the newest one. */
const REMEMBERED = 16;
/** The number of interrupted compactions to keep. A client may never come back to one. */
const JOBS = 4;
/** How long a digest is used that was made because the model failed, in milliseconds. */
const PROVISIONAL_MS = 60_000;

export class Conversation {
  #storage;
  #policy;
  /** Compactions are made one after the other. @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** @param {Storage} storage @param {import("ctxfold").Policy} policy */
  constructor(storage, policy) {
    this.#storage = storage;
    this.#policy = policy;
  }

  /** Called after a plan has been stored, before a model is called. Tests override it. */
  async planned() {}

  /**
   * Answers a chat completion request whose body contains the whole history. If compaction fails, the body is sent unchanged. The body is
   * never parsed into objects, which saves time and the memory for a second copy.
   * @param {Uint8Array} body JSON
   * @param {string} model
   * @param {Send} send
   * @param {AbortSignal} signal
   * @returns {Promise<Response>}
   */
  async complete(body, model, send, signal) {
    const ask = (/** @type {any} */ request) => summary(request, model, send, signal);
    const fitting = this.#last.then(() => this.#fit(body, ask));
    this.#last = fitting.catch(() => {});
    const fitted = await fitting.catch((error) => {
      signal.throwIfAborted();
      console.error(`not compacted: ${error}`);
      return body;
    });
    return send(fitted, signal);
  }

  /** Returns what is stored: the number of compactions, whether one was interrupted, and the removed content. */
  async stored() {
    return {
      compactions: (await this.#memory()).length,
      pending: (await this.#jobs()).length > 0,
      archive: (await this.#storage.list("archive/")).flat(),
    };
  }

  /** Returns the body to send. @param {Uint8Array} body @param {(request: any) => Promise<any>} ask @returns {Promise<Uint8Array>} */
  async #fit(body, ask) {
    const compactor = createCompactor({ policy: this.#policy });
    await compactor.ready();
    const prints = compactor.prints(body);
    const interrupted = (await this.#jobs()).find(({ given, print }) => prints[given - 1] === print);
    /** @type {Job} */
    let job =
      (interrupted && (await this.#storage.get(planOf(interrupted)))) ?? (await this.#plan(compactor, body, prints));
    if (!interrupted && "plan" in job.result) await this.#keep(job);
    while ("plan" in job.result) {
      const { plan, requests } = job.result;
      const summaries = [];
      for (const request of requests) {
        const key = `${keysOf(job)}summary/${request.id}`;
        // A stored summary was paid for, so it is not requested again.
        const answer = (await this.#storage.get(key)) ?? (await ask(request));
        if (!answer.error) await this.#storage.write({ set: { [key]: answer } });
        summaries.push(answer);
      }
      const failed = job.failed || summaries.some(({ error }) => error);
      try {
        job = { ...job, failed, result: compactor.step(body, plan, summaries, { memory: job.memory }) };
      } catch (error) {
        await this.#storage.write({ remove: [keysOf(job)], set: { jobs: await this.#others(job) } }); // a plan of an older version
        throw error;
      }
      if ("plan" in job.result) await this.#keep(job);
    }
    if (interrupted || job.result.report.changed) await this.#finish(job, job.result);
    return job.result.messages;
  }

  /**
   * Begins a compaction with the compactions that are remembered, and returns it as a job.
   * @param {import("ctxfold").Compactor} compactor
   * @param {Uint8Array} body
   * @param {string[]} prints
   * @returns {Promise<Job>}
   */
  async #plan(compactor, body, prints) {
    const memory = await this.#memory();
    const result = compactor.plan(body, { memory, options: { archive: "bodies" } });
    const used = memory[result.known ?? -1];
    return { given: prints.length, print: prints.at(-1) ?? "", memory: used ? [used] : [], failed: false, result };
  }

  /** Stores a plan before a model is called. @param {Job} job */
  async #keep(job) {
    const { given, print } = job;
    const jobs = [...(await this.#others(job)), { given, print }];
    const oldest = jobs.splice(0, jobs.length - JOBS);
    await this.#storage.write({ remove: [...oldest, job].map(keysOf), set: { jobs, [planOf(job)]: job } });
    await this.planned();
  }

  /**
   * Stores the result of a finished job, and removes the job.
   * @param {Job} job
   * @param {import("ctxfold").Done<any>} done
   */
  async #finish(job, { memory, archive = [] }) {
    const entry = job.failed ? { ...memory, again: Date.now() + PROVISIONAL_MS } : memory;
    await this.#storage.write({
      remove: [keysOf(job)],
      set: {
        jobs: await this.#others(job),
        ...(memory && { memory: [...(await this.#memory()), entry].slice(-REMEMBERED) }),
        // There is one record per compaction, because databases limit how many records a transaction may change.
        ...(archive.length > 0 && { [`archive/${job.print}`]: archive }),
      },
    });
  }

  /** Returns the compactions that may be applied. @returns {Promise<import("ctxfold").MemoryEntry[]>} */
  async #memory() {
    const now = Date.now();
    return ((await this.#storage.get("memory")) ?? []).filter((/** @type {any} */ { again }) => !again || now < again);
  }

  /** Returns the compactions that wait for summaries, oldest first. @returns {Promise<Pick<Job, "given" | "print">[]>} */
  async #jobs() {
    return (await this.#storage.get("jobs")) ?? [];
  }

  /** @param {Pick<Job, "print">} job */
  async #others(job) {
    return (await this.#jobs()).filter(({ print }) => print !== job.print);
  }
}

/** Returns the prefix of a job's keys. @param {Pick<Job, "print">} job */
const keysOf = ({ print }) => `job/${print}/`;

/** @param {Pick<Job, "print">} job */
const planOf = (job) => `${keysOf(job)}plan`;

/**
 * Requests a summary from the upstream. If there is none, the digest is made without a model.
 * @param {any} request
 * @param {string} model
 * @param {Send} send
 * @param {AbortSignal} signal
 */
async function summary({ id, system, prompt, max_output_tokens }, model, send, signal) {
  const messages = [
    { role: "system", content: system },
    { role: "user", content: prompt },
  ];
  try {
    const body = JSON.stringify({ model, messages, max_completion_tokens: max_output_tokens });
    const response = await send(body, signal);
    const { choices } = /** @type {any} */ (await response.json());
    // An answer without a finish reason is incomplete.
    return { id, text: choices[0].message.content, finish_reason: choices[0].finish_reason ?? "incomplete" };
  } catch (error) {
    signal.throwIfAborted();
    return { id, error: String(error) };
  }
}
