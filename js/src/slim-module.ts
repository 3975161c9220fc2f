/** The URL of the slim module. Bundlers recognize the file only by this exact expression. */
export const ownSlim = (): URL => new URL("../ctxfold-slim.wasm", import.meta.url);
