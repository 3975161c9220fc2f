// Makes a test fail early if it waits for an element that cannot appear any more: otherwise the wait would last as
// long as the time limit of the page. A page has settled when nothing happens in it any more.

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ era: number, fail: () => void }} Wait */

/** The methods of locators that wait for an element. */
const METHODS = /** @type {const} */ ([
  ...["waitFor", "click", "hover", "fill", "press", "check", "focus", "selectOption", "setInputFiles"],
  ...["textContent", "inputValue", "getAttribute"],
]);

/** The waits in progress, by page. @type {WeakMap<Page, Set<Wait>>} */
const waits = new WeakMap();
let patched = false;

/**
 * Makes a wait for an element fail if the page has settled without it: no timer is set, no answer of a worker or a
 * server is outstanding, and nothing changes while `ticks` timers of 50 ms run one after the other. On a slow machine
 * these take longer, too.
 * @param {Page} page a page in which nothing is loaded yet
 * @param {number} [ticks]
 */
export async function failWhenSettled(page, ticks = 600) {
  /** @type {Set<Wait>} */
  const pending = new Set();
  waits.set(page, pending);
  await page.exposeFunction("pageSettled", (/** @type {number} */ era) => {
    for (const wait of pending) {
      if (wait.era === era) wait.fail();
      else wait.era = era; // it may have begun a moment ago
    }
  });
  await page.addInitScript(watch, ticks);
  if (!patched) patch(Object.getPrototypeOf(page.locator("body")));
  patched = true;
}

/**
 * Makes the waiting methods of locators fail when their page has settled.
 * @param {any} locators the prototype of locators
 */
function patch(locators) {
  for (const method of METHODS) {
    const original = locators[method];
    /** @this {import("playwright-core").Locator} @param {unknown[]} args */
    locators[method] = async function (...args) {
      const pending = waits.get(this.page());
      if (!pending) return original.apply(this, args);
      /** @type {Wait | undefined} */
      let wait;
      const settled = new Promise((_, reject) => {
        const error = new Error(`the page has settled, and ${method} still waits for ${this}`);
        wait = { era: -1, fail: () => reject(error) };
        pending.add(wait);
      });
      try {
        return await Promise.race([original.apply(this, args), settled]);
      } finally {
        if (wait) pending.delete(wait);
      }
    };
  }
}

/**
 * Runs in the page. Each activity begins a new era. When an era has lasted this many ticks, it is reported, and again
 * after as many more.
 * @param {number} ticks
 */
function watch(ticks) {
  const scope = /** @type {any} */ (globalThis);
  const { setTimeout: later, clearTimeout: cancel, fetch: load, Worker: Plain } = scope;
  const timers = new Set();
  let owed = 0;
  let era = 0;
  let idle = 0;
  const active = () => {
    era++;
    idle = 0;
  };
  scope.setTimeout = (/** @type {Function} */ work, /** @type {number} */ ms, /** @type {unknown[]} */ ...args) => {
    const id = later(() => {
      timers.delete(id);
      active();
      work(...args);
    }, ms);
    timers.add(id);
    return id;
  };
  scope.clearTimeout = (/** @type {number} */ id) => {
    timers.delete(id);
    cancel(id);
  };
  scope.fetch = async (/** @type {unknown[]} */ ...args) => {
    owed++;
    try {
      return await load(...args);
    } finally {
      owed--;
      active();
    }
  };
  scope.Worker = class extends Plain {
    constructor(/** @type {unknown[]} */ ...args) {
      super(...args);
      this.addEventListener("message", () => {
        owed--;
        active();
      });
    }
    postMessage(/** @type {unknown[]} */ ...args) {
      owed++;
      super.postMessage(...args);
    }
  };
  new MutationObserver(active).observe(document, {
    ...{ subtree: true, childList: true, attributes: true, characterData: true },
  });
  const tick = () => {
    if (timers.size > 0 || owed > 0) idle = 0;
    else if (++idle % ticks === 0) scope.pageSettled(era);
    later(tick, 50);
  };
  later(tick, 50);
}
