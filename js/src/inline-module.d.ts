/** The module, compressed by gzip, as base64. scripts/inline.js writes it at each build. */
export const gzip: string;
