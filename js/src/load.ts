import { CtxfoldModule } from "./abi.js";
import { CtxfoldError, messageOf } from "./errors.js";

/** A source from which the module is loaded. A string is a URL; in a browser it may be relative to the page. */
export type ModuleSource = Immediate | PromiseLike<Immediate>;

type Immediate = string | URL | Response | ArrayBuffer | Uint8Array | WebAssembly.Module | CtxfoldModule;

/**
 * Loads a module once per source: the same source yields the same module, even while it is still loading. Without a
 * source, loads this package's `ctxfold.wasm`. A failed load is forgotten, so the next call tries again.
 *
 * Rejects with `load_failed` if the bytes could not be loaded, and with `invalid_module` if they are not the module.
 */
export type Load = (source?: ModuleSource) => Promise<CtxfoldModule>;

/** Optional settings of a platform's loader. */
interface Platform {
  /** The memory size in bytes above which an instance is replaced with a new one. */
  swollen?: number;
  /** Loads the copy of the module in the JavaScript if the module's file is missing: some bundlers don't copy files. */
  inside?: () => Promise<ModuleSource>;
}

/**
 * Returns the loader for a platform. `own` returns the package's own module, or where it is, and `open` opens a URL.
 */
export function loader(
  own: () => ModuleSource,
  open: (url: URL) => Promise<Response | Uint8Array>,
  { swollen, inside }: Platform = {},
): Load {
  const byUrl = new Map<string, Promise<CtxfoldModule>>();
  const byObject = new WeakMap<object, Promise<CtxfoldModule>>();
  const made = async (source: unknown, name: string) => new CtxfoldModule(await compile(source, name), swollen);

  const fromUrl = (url: URL): Promise<CtxfoldModule> =>
    once(byUrl, url.href, async () => made(await obtained(url.href, () => open(url)), url.href));

  const fromObject = async (source: object): Promise<CtxfoldModule> => {
    const given: unknown = await obtained("the source", () => source);
    if (given instanceof CtxfoldModule) return given;
    if (given instanceof URL || typeof given === "string") return fromUrl(resolve(given));
    return made(given, "the source");
  };

  const given = async (source: unknown): Promise<CtxfoldModule> => {
    if (source instanceof URL || typeof source === "string") return fromUrl(resolve(source));
    if (!isObject(source)) return made(source, "the source");
    return once(byObject, source, () => fromObject(source));
  };

  /** The module as code. It is set when the file was found to be missing, so that the file is not requested again. */
  let code: ModuleSource | undefined;
  const packaged = async (): Promise<CtxfoldModule> => {
    if (code !== undefined) return given(code);
    try {
      return await given(await obtained("the package's module", own));
    } catch (error) {
      code = await inside?.().catch(() => undefined);
      if (code === undefined) throw error;
      return given(code);
    }
  };

  return async (source) => (source === undefined ? packaged() : given(source));
}

const isObject = (value: unknown): value is object => value === Object(value);

/** Returns the promise for a key. If there is none, it starts loading; if that fails, the promise is removed. */
function once<K>(cache: Cache<K>, key: K, start: () => Promise<CtxfoldModule>): Promise<CtxfoldModule> {
  const known = cache.get(key);
  if (known) return known;
  const loading = start();
  cache.set(key, loading);
  loading.catch(() => cache.delete(key));
  return loading;
}

interface Cache<K> {
  get(key: K): Promise<CtxfoldModule> | undefined;
  set(key: K, loading: Promise<CtxfoldModule>): unknown;
  delete(key: K): boolean;
}

/**
 * Reports whether a value is a compiled module of any realm. `instanceof` would fail for modules that some frameworks
 * pass.
 */
function isModule(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object WebAssembly.Module]";
}

function resolve(address: string | URL): URL {
  try {
    return new URL(address, globalThis.location?.href);
  } catch (cause) {
    throw new CtxfoldError("load_failed", `"${address}" is not an absolute URL of the module`, { cause });
  }
}

async function obtained<T>(name: string, obtain: () => PromiseLike<T> | T): Promise<T> {
  try {
    return await obtain();
  } catch (cause) {
    if (cause instanceof CtxfoldError) throw cause;
    throw new CtxfoldError("load_failed", `${name} cannot be read: ${messageOf(cause)}. ${ELSEWHERE}`, { cause });
  }
}

const ELSEWHERE =
  "If the module is at another place, say where: load(url), or createCompactor({ module: url, ... }); if your bundler leaves it " +
  "behind, import ctxfold/inline, which has it inside";

async function compile(source: unknown, name: string): Promise<WebAssembly.Module> {
  if (isModule(source)) return source as WebAssembly.Module;
  if (Object.prototype.toString.call(source) === "[object Response]") return fromResponse(source as Response, name);
  if (source instanceof Uint8Array || Object.prototype.toString.call(source) === "[object ArrayBuffer]") {
    return fromBytes(new Uint8Array(source as ArrayBuffer), name);
  }
  throw new CtxfoldError(
    "invalid_module",
    "a module source is a URL, a Response, bytes, a WebAssembly.Module or a promise of one of them",
  );
}

async function fromResponse(response: Response, name: string): Promise<WebAssembly.Module> {
  const from = response.url || name;
  if (!response.ok) {
    throw new CtxfoldError("load_failed", `${from} answers with status ${response.status}. ${ELSEWHERE}`);
  }
  // Streaming compilation rejects responses with another type, and by then it has consumed the body.
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/wasm" && typeof WebAssembly.compileStreaming === "function") {
    return compiled(WebAssembly.compileStreaming(response), from);
  }
  return fromBytes(new Uint8Array(await response.arrayBuffer()), from);
}

async function fromBytes(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<WebAssembly.Module> {
  const magic = [...bytes.subarray(0, 4)].map((b) => b.toString(16).padStart(2, "0")).join(" ");
  if (magic.startsWith("3c")) {
    throw new CtxfoldError(
      "invalid_module",
      `${name} is an HTML page (it begins with ${magic}), not the module: the server has no ctxfold.wasm there. ` +
        `Copy node_modules/ctxfold/ctxfold.wasm to where it is served. ${ELSEWHERE}`,
    );
  }
  if (magic !== "00 61 73 6d") {
    throw new CtxfoldError(
      "invalid_module",
      `${name} is not a WebAssembly module: it begins with ${magic || "nothing"} instead of 00 61 73 6d`,
    );
  }
  return compiled(WebAssembly.compile(bytes), name);
}

async function compiled(compiling: Promise<WebAssembly.Module>, name: string): Promise<WebAssembly.Module> {
  try {
    return await compiling;
  } catch (cause) {
    const text = messageOf(cause);
    const cure = /unsafe-eval|Content Security Policy/i.test(text)
      ? `. The page's Content-Security-Policy needs script-src 'wasm-unsafe-eval'`
      : "";
    throw new CtxfoldError("invalid_module", `${name} does not compile: ${text}${cure}`, { cause });
  }
}
