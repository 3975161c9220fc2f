import { fileURLToPath } from "node:url";

/** On a site, the page includes the site's navigation, which CTXFOLD_NAVIGATION lists as [{name, url, here}]. */
const navigation = {
  name: "navigation",
  transformIndexHtml: (/** @type {string} */ html) => {
    const items = JSON.parse(process.env.CTXFOLD_NAVIGATION ?? "[]");
    if (items.length === 0) return html;
    const links = items.map(
      (/** @type {{name: string, url: string, here: boolean}} */ { name, url, here }) =>
        `<a href="${url}"${here ? ' aria-current="true"' : ""}>${name}</a>`,
    );
    return html.replace(/(<nav [^>]*>).*?(<\/nav>)/s, `$1${links.join("")}$2`);
  },
};

export default {
  base: "./",
  plugins: [navigation],
  // The package of this repository is linked, so the server must be allowed to read files outside of this folder.
  server: { fs: { allow: [fileURLToPath(new URL("../..", import.meta.url))] } },
  worker: { format: "es" },
};
