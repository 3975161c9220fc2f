/** Where the slim module is. Bundlers know a file by exactly this expression. */
export const ownSlim = (): URL => new URL("../ctxfold-slim.wasm", import.meta.url);
