// Opens shared memories with each supported client.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { postgresMemory, postgresStates } from "ctxfold/postgres";
import { redisMemory, redisStates } from "ctxfold/redis";

const installed = createRequire(new URL("../../fixtures/stores/package.json", import.meta.url));
/** Imports a client from the fixture's packages. @param {string} name @returns {Promise<any>} */
const client = (name) => import(pathToFileURL(installed.resolve(name)).href);

/**
 * @typedef {{memory: import("ctxfold").SharedMemory, states: import("ctxfold").StateStore, close: () => unknown}} Opened
 * @typedef {(url: string, options?: any) => Promise<Opened>} Open
 */

/** Returns a function that opens a memory with a client of the package redis. @param {string} name @returns {Open} */
const nodeRedis = (name) => async (url, options) => {
  const { createClient } = await client(name);
  const redis = createClient({ url });
  redis.on("error", () => {});
  await redis.connect();
  return { memory: redisMemory(redis, options), states: redisStates(redis, options), close: () => redis.destroy() };
};

/**
 * Returns a function that opens a memory with a client of the package ioredis.
 * @param {string} name
 * @returns {Open}
 */
const ioRedis = (name) => async (url, options) => {
  const { Redis } = await client(name);
  const redis = new Redis(url);
  redis.on("error", () => {});
  return { memory: redisMemory(redis, options), states: redisStates(redis, options), close: () => redis.disconnect() };
};

/**
 * The supported clients, each with the store that it connects to.
 * @type {Record<string, {store: "redis" | "postgres", open: Open}>}
 */
export const CLIENTS = {
  redis: { store: "redis", open: nodeRedis("redis") },
  "redis-5": { store: "redis", open: nodeRedis("redis-5") },
  ioredis: { store: "redis", open: ioRedis("ioredis") },
  "ioredis-5": { store: "redis", open: ioRedis("ioredis-5") },
  pg: {
    store: "postgres",
    open: async (url, options) => {
      const { default: pg } = await client("pg");
      const pool = new pg.Pool({ connectionString: url });
      pool.on("error", () => {});
      return { memory: postgresMemory(pool, options), states: postgresStates(pool, options), close: () => pool.end() };
    },
  },
  postgres: {
    store: "postgres",
    open: async (url, options) => {
      const { default: postgres } = await client("postgres");
      const sql = postgres(url, { onnotice: () => {} });
      return {
        memory: postgresMemory(sql, options),
        states: postgresStates(sql, options),
        close: () => sql.end({ timeout: 0 }),
      };
    },
  },
};

/**
 * Returns a function that ends the leases of all holders whose names begin with a text, as if they had expired.
 * @param {"redis" | "postgres"} store
 * @param {string} url
 * @param {any} place the prefix of the keys in Redis, or the schema in PostgreSQL
 * @returns {Promise<{end: (holder: string) => Promise<unknown>, close: () => unknown}>}
 */
export async function leasesOf(store, url, { prefix, schema }) {
  if (store === "redis") {
    const redis = (await client("redis")).createClient({ url });
    await redis.connect();
    const script = `for _, key in ipairs(redis.call("KEYS", ARGV[1] .. "*")) do
      local holder = redis.call("GET", key)
      if holder and string.sub(holder, 1, #ARGV[2]) == ARGV[2] then redis.call("DEL", key) end
    end`;
    const end = (/** @type {string} */ holder) => redis.eval(script, { arguments: [`${prefix}l:`, `${holder}-`] });
    return { end, close: () => redis.destroy() };
  }
  const pool = new (await client("pg")).default.Pool({ connectionString: url });
  const table = `"${schema.replaceAll('"', '""')}".leases`;
  const end = (/** @type {string} */ holder) =>
    pool.query(`DELETE FROM ${table} WHERE starts_with(holder, $1)`, [`${holder}-`]);
  return { end, close: () => pool.end() };
}

/**
 * Returns the installed version of an npm package, such as a database client.
 * @param {string} name
 * @returns {string}
 */
export const versionOf = (name) => installed(`./node_modules/${name}/package.json`).version;
