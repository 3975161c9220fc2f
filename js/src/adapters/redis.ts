/**
 * The entry `ctxfold/redis`: a memory for fits in Redis or Valkey, which several processes can share.
 *
 * `fit(history, { memory: redisMemory(client) })` is all you need. Records are strings under the prefix, `r:` and
 * their key; leases are strings under the prefix, `l:` and their key. Every key has a time to live, so a policy like
 * `volatile-lru` may evict them. `ctxfold serve --memory redis://…` and the Go module `host/redis` use the same keys.
 */
import { createHash } from "node:crypto";
import { invalidOption } from "../errors.js";
import { checkOptions, has, type Names } from "../options.js";
import {
  SHARED_OPTIONS,
  type SharedMemory,
  type SharedOptions,
  type SharedRecords,
  sharedMemory,
  sharedStates,
} from "../shared.js";
import type { StateStore } from "../store.js";

export type { SharedMemory } from "../shared.js";

/**
 * A client of the package `redis`, version 5 or newer, for a server, a sentinel or a cluster. Only these methods are
 * called.
 */
export interface NodeRedisClient {
  /** Runs a script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Runs a script that the server already has, by the SHA-1 of its text. */
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** A client from the `ioredis` package, version 5 or newer. Only these methods are called. */
export interface IoRedisClient {
  /** Runs a script. `keys` is the number of arguments that are keys; they come first. */
  eval(script: string, keys: number, ...args: string[]): Promise<unknown>;
  /** Runs a script that the server already has, by the SHA-1 of its text. */
  evalsha(sha1: string, keys: number, ...args: string[]): Promise<unknown>;
}

/** Options of `redisMemory`. */
export interface RedisMemoryOptions extends SharedOptions {
  /**
   * The prefix of all keys. Default `ctxfold:`. A cluster needs a hash tag, such as `{ctxfold}:`, because a lease and
   * its record must be on the same node.
   */
  prefix?: string;
  /** The time in milliseconds after which an unused record is deleted. Default: 30 days. */
  maxAgeMs?: number;
}

const OPTIONS: Names<RedisMemoryOptions> = { ...SHARED_OPTIONS, prefix: true, maxAgeMs: true };

const MAX_AGE_MS = 30 * 24 * 3_600_000;
/** The maximum number of leases that one call of a script looks for. */
const MOST_KEYS = 2048;

/**
 * Returns a memory for `fit`, `createFitter` and the adapters. The app creates and connects the client, and must close
 * it. Add a listener for the client's `error` events, which every client requires.
 */
export function redisMemory(client: NodeRedisClient | IoRedisClient, options: RedisMemoryOptions = {}): SharedMemory {
  checkOptions(options, OPTIONS, "redisMemory");
  return over(client, options, sharedMemory);
}

/** Returns an object for the option `states` of conversations, which keeps their states under the same prefix. */
export function redisStates(client: NodeRedisClient | IoRedisClient, options: RedisMemoryOptions = {}): StateStore {
  checkOptions(options, OPTIONS, "redisStates");
  return over(client, options, sharedStates);
}

function over<T>(
  client: NodeRedisClient | IoRedisClient,
  { prefix = "ctxfold:", maxAgeMs = MAX_AGE_MS, ...shared }: RedisMemoryOptions,
  make: (records: SharedRecords, options: SharedOptions) => T,
): T {
  if (!has(client, "eval", "evalSha") && !has(client, "eval", "evalsha")) {
    throw invalidOption("client is a client of the package redis or ioredis, version 5 or newer", "client");
  }
  return make(recordsIn(client, prefix, Math.round(maxAgeMs)), shared);
}

/** Runs a script atomically. */
type Run = (keys: readonly string[], ...args: (string | number)[]) => Promise<unknown>;

function recordsIn(client: NodeRedisClient | IoRedisClient, prefix: string, maxAgeMs: number): SharedRecords {
  const script = (text: string) => scriptOf(client, text);
  const [find, keep, lease, held, renew, release, keepLeased] = [
    FIND,
    KEEP,
    LEASE,
    HELD,
    RENEW,
    RELEASE,
    KEEP_LEASED,
  ].map(script) as [Run, Run, Run, Run, Run, Run, Run];
  const records = (keys: readonly string[]) => keys.map((key) => `${prefix}r:${key}`);
  const leases = (keys: readonly string[]) => keys.map((key) => `${prefix}l:${key}`);
  return {
    async find(keys) {
      const answer = (await find(records(keys), maxAgeMs)) as [] | [at: number, record: string];
      return answer.length === 2 ? { at: Number(answer[0]), record: answer[1] } : undefined;
    },
    keep: (keys, record) => keep(records(keys), record, maxAgeMs),
    async lease(keys, holder, leaseMs) {
      if ((await lease(leases(keys.slice(0, 1)), holder, leaseMs)) !== 1) return false;
      // This call has taken its own lease before: of two simultaneous calls, at least the later one sees the other's
      // lease.
      for (let from = 1; from < keys.length; from += MOST_KEYS) {
        if ((await held(leases(keys.slice(from, from + MOST_KEYS)), holder)) !== 1) continue;
        await release(leases(keys.slice(0, 1)), holder);
        return false;
      }
      return true;
    },
    renew: async (key, holder, leaseMs) => (await renew(leases([key]), holder, leaseMs)) === 1,
    release: (key, holder) => release(leases([key]), holder),
    keepLeased: async (key, holder, keys, record) =>
      (await keepLeased([...leases([key]), ...records(keys)], holder, record, maxAgeMs)) === 1,
  };
}

/**
 * Returns a function that runs a script by its SHA-1 digest, which the server knows after the first call. A server that
 * doesn't know it gets the text of the script.
 */
function scriptOf(client: NodeRedisClient | IoRedisClient, text: string): Run {
  const sha1 = createHash("sha1").update(text).digest("hex");
  return async (keys, ...args) => {
    const names = [...keys];
    const values = args.map(String);
    const run = (by: "sha1" | "text") => {
      if ("evalsha" in client) {
        return by === "sha1"
          ? client.evalsha(sha1, names.length, ...names, ...values)
          : client.eval(text, names.length, ...names, ...values);
      }
      const options = { keys: names, arguments: values };
      return by === "sha1" ? client.evalSha(sha1, options) : client.eval(text, options);
    };
    try {
      return await run("sha1");
    } catch (error) {
      if (!String((error as Error | undefined)?.message).startsWith("NOSCRIPT")) throw error;
      return run("text");
    }
  };
}

/**
 * Finds the first of KEYS that has a record, and returns its index and the record. If less than half of ARGV[1] ms is
 * left of the record's time to live, that is set to ARGV[1] ms again.
 */
const FIND = `for i, key in ipairs(KEYS) do
	local record = redis.call('GET', key)
	if record then
		if redis.call('PTTL', key) < ARGV[1] / 2 then
			redis.call('PEXPIRE', key, ARGV[1])
		end
		return { i - 1, record }
	end
end
return {}`;

/** Stores the record ARGV[1] under each of KEYS for ARGV[2] ms. */
const KEEP = `for i = 1, #KEYS do
	redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2])
end
return 1`;

/** Leases KEYS[1] to the holder ARGV[1] for ARGV[2] ms, unless another holder has the lease. */
const LEASE = `local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
	return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** Reports whether a holder other than ARGV[1] has one of the leases KEYS. */
const HELD = `for i, key in ipairs(KEYS) do
	local holder = redis.call('GET', key)
	if holder and holder ~= ARGV[1] then
		return 1
	end
end
return 0`;

/** Extends the lease KEYS[1] to ARGV[2] ms from now if ARGV[1] still holds it. */
const RENEW = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** Ends the lease KEYS[1] if ARGV[1] holds it. */
const RELEASE = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
return redis.call('DEL', KEYS[1])`;

/**
 * Stores the record ARGV[2] under KEYS[2] and each of the following keys for ARGV[3] ms if ARGV[1] holds the lease
 * KEYS[1].
 */
const KEEP_LEASED = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
for i = 2, #KEYS do
	redis.call('SET', KEYS[i], ARGV[2], 'PX', ARGV[3])
end
return 1`;
