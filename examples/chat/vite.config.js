import { fileURLToPath } from "node:url";

/** On a site, the heading links to its first page, the first that CTXFOLD_NAVIGATION lists as [{name, url, here}]. */
const home = {
  name: "home",
  transformIndexHtml: (/** @type {string} */ html) => {
    const [first] = JSON.parse(process.env.CTXFOLD_NAVIGATION ?? "[]");
    return first ? html.replace("<h1>ctxfold ", `<h1><a href="${first.url}">ctxfold</a> `) : html;
  },
};

export default {
  base: "./",
  plugins: [home],
  // The package of this repository is linked, so the server must be allowed to read files outside
  // of this folder.
  server: { fs: { allow: [fileURLToPath(new URL("../..", import.meta.url))] } },
  worker: { format: "es" },
};
