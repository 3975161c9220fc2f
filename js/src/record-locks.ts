/**
 * Web Locks among the pages of an origin or the threads of a program. This file is loaded for the first compaction.
 */
export { alone } from "./sole.js";

const LOCK = "ctxfold:lease:";

/**
 * Locks the first key until `ended` resolves. Resolves to false if another page or thread has a lease on one of the
 * keys. Without Web Locks it always resolves to true.
 */
export async function locked(
  [key = "", ...more]: readonly string[],
  mine: (key: string) => boolean,
  ended: Promise<void>,
): Promise<boolean> {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  if (!locks) return true;
  const name = `${LOCK}${key}`;
  const granted = await new Promise<boolean>((done, failed) => {
    const held = (lock: Lock | null) => {
      done(lock !== null);
      return lock ? ended : undefined;
    };
    locks.request(name, { ifAvailable: true }, held).catch(failed);
  });
  if (!granted) return false;
  const others = more.filter((other) => !mine(other));
  const { held = [] } = await locks.query();
  return !held.some((each) => each.name?.startsWith(LOCK) && others.includes(each.name.slice(LOCK.length)));
}
