/** The URL of the slim module. Bundlers only recognize the file by exactly this expression. */
export const ownSlim = (): URL => new URL("../ctxfold-slim.wasm", import.meta.url);
