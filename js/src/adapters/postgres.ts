/**
 * The entry `ctxfold/postgres`: a memory for fits in PostgreSQL, which several processes can share.
 *
 * `fit(history, { memory: postgresMemory(pool) })` is all you need. A schema has two tables, one for records and one for
 * leases. All times come from the server's clock, so the clocks of the processes don't matter. `ctxfold serve --memory
 * postgres://…` and the Go module `host/postgres` use the same tables.
 */
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

/** A `Pool` of the package `pg`, version 8 or newer. Only this method is called. */
export interface PgPool {
  /** Runs a statement with its values ($1, $2, and so on), and resolves to the rows and their number. */
  query(text: string, values?: string[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

/** The `sql` function of the package `postgres`, version 3 or newer. Only this method is called. */
export interface PostgresSql {
  /** Runs a statement with its values ($1, $2, and so on), and resolves to the rows, with their number as `count`. */
  unsafe(text: string, values?: string[]): PromiseLike<ArrayLike<unknown> & { count: number | null }>;
}

/** Options of `postgresMemory`. */
export interface PostgresMemoryOptions extends SharedOptions {
  /** The schema of the tables. The first call creates it if it doesn't exist. Default `ctxfold`. */
  schema?: string;
  /** The time in milliseconds after which an unused record is deleted. Default: 30 days. */
  maxAgeMs?: number;
}

const OPTIONS: Names<PostgresMemoryOptions> = { ...SHARED_OPTIONS, schema: true, maxAgeMs: true };

const MAX_AGE_MS = 30 * 24 * 3_600_000;
/**
 * A record's time of last use is updated once it is this old, in milliseconds, or half of `maxAgeMs` if that is less.
 */
const TOUCHED_MS = 3_600_000;
/** How often a process deletes rows that are no longer needed, as an interval in milliseconds. */
const TRIM_MS = 600_000;

/** Returns a memory for `fit`, `createFitter` and the adapters. The app creates the client and must close it. */
export function postgresMemory(client: PgPool | PostgresSql, options: PostgresMemoryOptions = {}): SharedMemory {
  checkOptions(options, OPTIONS, "postgresMemory");
  return over(client, options, sharedMemory);
}

/** Returns an object for the option `states` of conversations, which keeps their states in the same schema. */
export function postgresStates(client: PgPool | PostgresSql, options: PostgresMemoryOptions = {}): StateStore {
  checkOptions(options, OPTIONS, "postgresStates");
  return over(client, options, sharedStates);
}

function over<T>(
  client: PgPool | PostgresSql,
  { schema = "ctxfold", maxAgeMs = MAX_AGE_MS, ...shared }: PostgresMemoryOptions,
  make: (records: SharedRecords, options: SharedOptions) => T,
): T {
  if (!has(client, "query") && !has(client, "unsafe")) {
    throw invalidOption("client is a Pool of pg or the sql function of postgres", "client");
  }
  return make(new PostgresRecords(client, schema, maxAgeMs), shared);
}

interface Rows {
  rows: ArrayLike<unknown>;
  count: number;
}

class PostgresRecords implements SharedRecords {
  readonly #client: PgPool | PostgresSql;
  readonly #schema: string;
  readonly #maxAgeMs: number;
  #ready: Promise<unknown> | undefined;
  #trimmed = Date.now();

  constructor(client: PgPool | PostgresSql, schema: string, maxAgeMs: number) {
    this.#client = client;
    this.#schema = `"${schema.replaceAll('"', '""')}"`;
    this.#maxAgeMs = maxAgeMs;
  }

  async find(keys: readonly string[]) {
    const { rows } = await this.#run(FIND, keys.join());
    const row = rows[0] as { at: number; record: string; unused: number } | undefined;
    if (!row) return undefined;
    const { at, record, unused } = row;
    if (unused > Math.min(TOUCHED_MS, this.#maxAgeMs / 2)) await this.#run(TOUCH, keys[at] as string);
    return { at, record };
  }

  keep(keys: readonly string[], record: string) {
    return this.#run(KEEP, sorted(keys), record);
  }

  async lease(keys: readonly string[], holder: string, leaseMs: number) {
    const key = keys[0] as string;
    if (!(await this.#did(LEASE, key, holder, leaseMs))) return false;
    // A statement doesn't see uncommitted changes of another one. This call therefore takes its own lease before it
    // looks for other leases: of two simultaneous calls, at least the later one sees the other's lease.
    const { rows } = await this.#run(HELD, keys.slice(1).join(), holder);
    if (rows.length === 0) return true;
    await this.release(key, holder);
    return false;
  }

  renew(key: string, holder: string, leaseMs: number) {
    return this.#did(RENEW, key, holder, leaseMs);
  }

  release(key: string, holder: string) {
    return this.#run(RELEASE, key, holder);
  }

  keepLeased(key: string, holder: string, keys: readonly string[], record: string) {
    return this.#did(KEEP_LEASED, key, holder, sorted(keys), record);
  }

  /** Runs a statement and returns true if it changed any row. */
  async #did(statement: string, ...values: (string | number)[]): Promise<boolean> {
    return (await this.#run(statement, ...values)).count > 0;
  }

  async #run(statement: string, ...values: (string | number)[]): Promise<Rows> {
    this.#ready ??= this.#send(SCHEMA);
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
    if (Date.now() - this.#trimmed > TRIM_MS) {
      this.#trimmed = Date.now();
      await this.#send(OLD, [this.#maxAgeMs]);
      await this.#send(OLD_LEASES);
    }
    return this.#send(statement, values);
  }

  /**
   * Runs a statement. All values are sent as strings, which the statement casts, because clients differ in how they
   * send values of other types.
   */
  async #send(statement: string, values: (string | number)[] = []): Promise<Rows> {
    const text = statement.replaceAll("{schema}", this.#schema);
    const own = values.length > 0 ? values.map(String) : undefined;
    if ("unsafe" in this.#client) {
      const rows = await this.#client.unsafe(text, own);
      return { rows, count: rows.count ?? 0 };
    }
    const { rows, rowCount } = await this.#client.query(text, own);
    return { rows, count: rowCount ?? 0 };
  }
}

/**
 * Returns the keys sorted and without duplicates, joined by commas. Statements that write the same rows in different
 * orders would deadlock.
 */
const sorted = (keys: readonly string[]) => [...new Set(keys)].sort().join();

const SCHEMA = `SELECT pg_advisory_xact_lock(hashtext('ctxfold.schema'));
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE TABLE IF NOT EXISTS {schema}.records (
	key    text COLLATE "C" PRIMARY KEY,
	record bytea NOT NULL,
	used   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS records_used ON {schema}.records (used);
CREATE TABLE IF NOT EXISTS {schema}.leases (
	key    text COLLATE "C" PRIMARY KEY,
	holder text NOT NULL,
	until  timestamptz NOT NULL
);`;

/**
 * Finds the first of the keys $1 that has a record. Returns its index, the record, and the time since its last use in
 * milliseconds.
 */
const FIND = `SELECT k.at::int - 1 AS at, convert_from(r.record, 'UTF8') AS record,
	(extract(epoch FROM now() - r.used) * 1000)::float8 AS unused
FROM unnest(string_to_array($1::text, ',')) WITH ORDINALITY AS k(key, at) JOIN {schema}.records AS r USING (key)
ORDER BY k.at
LIMIT 1`;

const TOUCH = `UPDATE {schema}.records SET used = now() WHERE key = $1::text`;

/** Stores the record $2 under each of the keys $1. */
const KEEP = `INSERT INTO {schema}.records (key, record, used)
SELECT key, convert_to($2::text, 'UTF8'), now() FROM unnest(string_to_array($1::text, ',')) AS key
ON CONFLICT (key) DO UPDATE SET record = excluded.record, used = excluded.used`;

/** Leases $1 to the holder $2 for $3 ms, unless another holder has the lease. */
const LEASE = `INSERT INTO {schema}.leases AS l (key, holder, until)
VALUES ($1::text, $2::text, clock_timestamp() + $3::text::float8 * interval '1 millisecond')
ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE l.holder = excluded.holder OR l.until <= clock_timestamp()`;

/** Returns a row if a holder other than $2 has a lease on one of the keys $1. */
const HELD = `SELECT 1 FROM {schema}.leases
WHERE key = ANY (string_to_array($1::text, ',')) AND holder <> $2::text AND until > clock_timestamp() LIMIT 1`;

const RENEW = `UPDATE {schema}.leases SET until = clock_timestamp() + $3::text::float8 * interval '1 millisecond'
WHERE key = $1::text AND holder = $2::text AND until > clock_timestamp()`;

const RELEASE = `DELETE FROM {schema}.leases WHERE key = $1::text AND holder = $2::text`;

/**
 * Stores the record $4 under each of the keys $3, if the holder $2 has the lease $1. The lease's row is locked until
 * the record is stored, so no other holder can take the lease in between.
 */
const KEEP_LEASED = `WITH held AS (
	SELECT FROM {schema}.leases WHERE key = $1::text AND holder = $2::text AND until > clock_timestamp() FOR UPDATE
)
INSERT INTO {schema}.records (key, record, used)
SELECT key, convert_to($4::text, 'UTF8'), now() FROM unnest(string_to_array($3::text, ',')) AS key WHERE EXISTS (SELECT FROM held)
ON CONFLICT (key) DO UPDATE SET record = excluded.record, used = excluded.used`;

const OLD = `DELETE FROM {schema}.records WHERE used < now() - $1::text::float8 * interval '1 millisecond'`;

const OLD_LEASES = `DELETE FROM {schema}.leases WHERE until < clock_timestamp() - interval '1 minute'`;
