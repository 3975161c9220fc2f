// Calls the worker from the page.
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
/**
 * Calls that await the worker's reply, by id.
 * @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>}
 */
const calls = new Map();
let made = 0;

worker.onmessage = ({ data: { id, value, error, code, path } }) => {
  const call = calls.get(id);
  calls.delete(id);
  if (error === undefined) call?.resolve(value);
  else call?.reject(Object.assign(new Error(error), { code, path }));
};

/** Runs an operation of worker.js. @param {string} name @param {any[]} args @returns {Promise<any>} */
export const ask = (name, ...args) =>
  new Promise((resolve, reject) => {
    calls.set(++made, { resolve, reject });
    worker.postMessage({ id: made, name, args });
  });
