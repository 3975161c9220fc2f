// One conversation of the proxy, on any platform: what was compacted is stored, and a compaction that was interrupted continues.
import { createCompactor } from "ctxfold";

/**
 * @typedef {object} Storage where one conversation is kept: JSON values under keys, at once or by a promise
 * @property {(key: string) => any} get undefined where there is none
 * @property {(prefix: string) => any[] | Promise<any[]>} list the values of all keys that begin so
 * @property {(change: {remove?: string[], set?: Record<string, unknown>}) => void | Promise<void>} write removes all keys that begin
 *   so, and then sets; all of it or nothing
 *
 * @typedef {(body: string | Uint8Array, signal: AbortSignal) => Promise<Response>} Send asks the upstream
 *
 * @typedef {object} Job a compaction under way
 * @property {number} given how many messages it was planned for
 * @property {string} print their print
 * @property {readonly import("ctxfold").MemoryEntry[]} memory the compaction that it continues from, if there is one
 * @property {boolean} failed the model gave no summary
 * @property {import("ctxfold").Pending | import("ctxfold").Done<any>} result of plan or step
 */

/** How many compactions are remembered: a user may go back after the newest. */
const REMEMBERED = 16;
/** How many interrupted compactions are kept: a client may never come back to one. */
const JOBS = 4;
/** How long a digest counts that was made because the model failed, in milliseconds. */
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

  /** Called when a plan is stored and before a model is asked. */
  async planned() {}

  /**
   * Answers a request for a chat completion whose body holds the whole history. Where compaction fails, the body is sent as it is. The
   * body stays bytes from end to end: neither the memory nor the time for a second copy as objects is spent.
   * @param {Uint8Array} body JSON @param {string} model @param {Send} send @param {AbortSignal} signal
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

  /** What is stored: how many compactions, whether one was interrupted, and what was removed of the history. */
  async stored() {
    return {
      compactions: (await this.#memory()).length,
      pending: (await this.#jobs()).length > 0,
      archive: (await this.#storage.list("archive/")).flat(),
    };
  }

  /** The body to send. @param {Uint8Array} body @param {(request: any) => Promise<any>} ask @returns {Promise<Uint8Array>} */
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
        // A summary that is there was paid for: it is not asked for again.
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

  /** @param {import("ctxfold").Compactor} compactor @param {Uint8Array} body @param {string[]} prints @returns {Promise<Job>} */
  async #plan(compactor, body, prints) {
    const memory = await this.#memory();
    const result = compactor.plan(body, { memory, options: { archive: "bodies" } });
    const used = memory[result.known ?? -1];
    return { given: prints.length, print: prints.at(-1) ?? "", memory: used ? [used] : [], failed: false, result };
  }

  /** Stores a plan before a model is asked. @param {Job} job */
  async #keep(job) {
    const { given, print } = job;
    const jobs = [...(await this.#others(job)), { given, print }];
    const oldest = jobs.splice(0, jobs.length - JOBS);
    await this.#storage.write({ remove: [...oldest, job].map(keysOf), set: { jobs, [planOf(job)]: job } });
    await this.planned();
  }

  /** @param {Job} job @param {import("ctxfold").Done<any>} done */
  async #finish(job, { memory, archive = [] }) {
    const entry = job.failed ? { ...memory, again: Date.now() + PROVISIONAL_MS } : memory;
    await this.#storage.write({
      remove: [keysOf(job)],
      set: {
        jobs: await this.#others(job),
        ...(memory && { memory: [...(await this.#memory()), entry].slice(-REMEMBERED) }),
        // One record for each compaction: databases limit how many records a transaction changes.
        ...(archive.length > 0 && { [`archive/${job.print}`]: archive }),
      },
    });
  }

  /** The compactions that count. @returns {Promise<import("ctxfold").MemoryEntry[]>} */
  async #memory() {
    const now = Date.now();
    return ((await this.#storage.get("memory")) ?? []).filter((/** @type {any} */ { again }) => !again || now < again);
  }

  /** The compactions that wait for summaries, the oldest first. @returns {Promise<Pick<Job, "given" | "print">[]>} */
  async #jobs() {
    return (await this.#storage.get("jobs")) ?? [];
  }

  /** @param {Pick<Job, "print">} job */
  async #others(job) {
    return (await this.#jobs()).filter(({ print }) => print !== job.print);
  }
}

/** What the keys of a job begin with. @param {Pick<Job, "print">} job */
const keysOf = ({ print }) => `job/${print}/`;

/** @param {Pick<Job, "print">} job */
const planOf = (job) => `${keysOf(job)}plan`;

/** Asks the upstream for a summary; where there is none, the digest is made without a model. @param {any} request @param {string} model @param {Send} send @param {AbortSignal} signal */
async function summary({ id, system, prompt, max_output_tokens }, model, send, signal) {
  const messages = [
    { role: "system", content: system },
    { role: "user", content: prompt },
  ];
  try {
    const body = JSON.stringify({ model, messages, max_completion_tokens: max_output_tokens });
    const response = await send(body, signal);
    const { choices } = /** @type {any} */ (await response.json());
    // An answer that does not say why it ended is half of one.
    return { id, text: choices[0].message.content, finish_reason: choices[0].finish_reason ?? "incomplete" };
  } catch (error) {
    signal.throwIfAborted();
    return { id, error: String(error) };
  }
}
