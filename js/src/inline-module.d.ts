/** The module, compressed with gzip, in base64. scripts/inline.js writes it at each build. */
export const gzip: string;
