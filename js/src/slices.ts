/** Splits long work in a page into slices, between which the page can repaint and respond to its user. */

/**
 * The length of a slice in milliseconds. A page is considered blocked from 50 ms on, and slow machines take four
 * times as long.
 */
const SLICE_MS = 8;

/**
 * Measures slices, and reports when one is over. Work that fits into the first slice is never
 * interrupted.
 */
export class Slices {
  #since = performance.now();

  /** Whether the current slice has lasted too long, so that the caller should pause. */
  get over(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** Lets the page run its pending tasks, and then begins a new slice. */
  async pause(): Promise<void> {
    await turn();
    this.#since = performance.now();
  }
}

/**
 * Resolves in another task. A timer would be too slow: pages in the background have their timers throttled to once a
 * second or once a minute.
 */
function turn(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  if (scheduler?.yield) return scheduler.yield();
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
