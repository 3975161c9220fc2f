/**
 * Returns records in this process that behave like those of a store.
 * @param {(record: string) => void} [onKept]
 */
export function recordsOf(onKept) {
  /** @type {Map<string, string>} */
  const records = new Map();
  /** @type {Map<string, {holder: string, until: number}>} */
  const leases = new Map();
  const held = (/** @type {string} */ key) => {
    const lease = leases.get(key);
    return lease && lease.until > Date.now() ? lease.holder : undefined;
  };
  /** @type {import("ctxfold/shared").SharedRecords} */
  const store = {
    find: async (keys) => {
      const at = keys.findIndex((key) => records.has(key));
      return at < 0 ? undefined : { at, record: String(records.get(keys[at])) };
    },
    keep: async (keys, record) => {
      for (const key of keys) records.set(key, record);
      onKept?.(record);
    },
    lease: async (keys, holder, leaseMs) => {
      if (keys.some((key) => ![undefined, holder].includes(held(key)))) return false;
      leases.set(keys[0], { holder, until: Date.now() + leaseMs });
      return true;
    },
    renew: async (key, holder, leaseMs) => {
      if (held(key) !== holder) return false;
      leases.set(key, { holder, until: Date.now() + leaseMs });
      return true;
    },
    release: async (key, holder) => held(key) === holder && leases.delete(key),
    keepLeased: async (key, holder, keys, record) => {
      if (held(key) !== holder) return false;
      await store.keep(keys, record);
      return true;
    },
  };
  return { store, records, leases };
}
