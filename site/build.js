// Builds the site: the playground and the demo chat, and the repository's own Markdown as pages next to them, into build/site (or the first
// argument). Every link in it is relative, so the folder can be served from any path.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import Eleventy from "@11ty/eleventy";
import anchor from "markdown-it-anchor";
import MiniSearch from "minisearch";
import { Application } from "typedoc";
import { navigation, REPOSITORY, TOP } from "./navigation.js";
import { FIELDS, OPTIONS } from "./search-options.js";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const out = resolve(process.argv[2] ?? `${root}/build/site`);
rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/assets`, { recursive: true });

/** Pages that are generated from the sources. @type {Record<string, string>} */
const made = {
  "api/go.md": execFileSync("go", ["run", "./internal/apidoc", ".", "pass", "host", "host/proxy"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 24,
  }),
};
const read = (/** @type {string} */ path) => made[path] ?? readFileSync(`${root}/${path}`, "utf8");
const paths = [
  ...Object.keys(made),
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...readdirSync(`${root}/docs`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
    .sort(),
];
/** @param {string} path */
const titleOf = (path) => {
  if (path === "README.md") return "Overview";
  return /^# (.+)$/m.exec(read(path))?.[1]?.replaceAll("`", "") ?? path;
};
const pages = paths.map((path) => ({ path, title: titleOf(path) }));
const groups = navigation([...pages, { path: "api/javascript/index.html", title: "JavaScript API" }]);

/** Returns the HTML file for a page. @param {string} path */
const fileOf = (path) => (path === "README.md" ? "index.html" : path.replace(/\.md$/, ".html"));

/**
 * Returns the URL of a link in a page: of another page, of a file that is copied, or of a file in the repository.
 * @param {string} target
 * @param {string} from
 */
function linked(target, from) {
  const [, path = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(target) ?? [];
  const inside = path.startsWith(`${REPOSITORY}/blob/main/`) ? path.slice(`${REPOSITORY}/blob/main/`.length) : path;
  if (/^[a-z]+:/i.test(inside) || inside === "") return target;
  const full = inside === path ? posix.normalize(posix.join(posix.dirname(from), decodeURI(path))) : inside;
  const folder = posix.dirname(fileOf(from));
  const [, app] = /^examples\/(playground|chat)\/?$/.exec(full) ?? [];
  if (app) return posix.relative(folder, `${app}/index.html`);
  if (paths.includes(full)) return posix.relative(folder, fileOf(full)) + rest;
  if (/^docs\/[^/]+\.json$|^docs\/images\//.test(full)) return posix.relative(folder, full) + rest;
  return `${REPOSITORY}/${/\.[a-z]+$|(^|\/)[A-Z]+$/.test(full) ? "blob" : "tree"}/main/${full}${rest}`;
}

/**
 * Returns the anchor of a heading as GitHub forms it, because the pages link to those anchors.
 * @param {string} text
 */
const slug = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/**
 * The parts of all pages, for the search index.
 * @type {{id: number, page: string, title: string, part: string, text: string, url: string}[]}
 */
const parts = [];

const eleventy = new Eleventy(`${here}/pages`, out, {
  configPath: "",
  quietMode: true,
  config: (/** @type {any} */ config) => {
    config.setIncludesDirectory("../layouts");
    config.setUseGitIgnore(false);
    config.amendLibrary("md", (/** @type {any} */ md) => {
      md.set({ html: true, linkify: false });
      md.use(anchor, { slugify: slug, tabIndex: false });
      for (const [token, attribute] of [
        ["link_open", "href"],
        ["image", "src"],
      ]) {
        const plain =
          md.renderer.rules[token] ??
          ((/** @type {any[]} */ ...[all, i, options, , self]) => self.renderToken(all, i, options));
        md.renderer.rules[token] = (
          /** @type {any[]} */ all,
          /** @type {number} */ i,
          /** @type {any[]} */ ...rest
        ) => {
          all[i].attrSet(attribute, linked(all[i].attrGet(attribute), rest[1].source));
          return plain(all, i, ...rest);
        };
      }
      md.core.ruler.push("labels", (/** @type {any} */ state) => label(state.tokens));
      const image = md.renderer.rules.image;
      md.renderer.rules.image = (/** @type {any[]} */ all, /** @type {number} */ i, /** @type {any[]} */ ...rest) =>
        inBothThemes(all[i], () => image(all, i, ...rest));
      md.renderer.rules.table_open = (/** @type {any[]} */ all, /** @type {number} */ i) =>
        `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="${all[i].meta?.wide ? "wide" : ""}">`;
      // A header without text would confuse screen readers, so it becomes an ordinary cell.
      md.renderer.rules.th_open = (/** @type {any[]} */ all, /** @type {number} */ i) =>
        all[i + 1].content === "" ? "<td>" : "<th>";
      md.renderer.rules.th_close = (/** @type {any[]} */ all, /** @type {number} */ i) =>
        all[i - 1].content === "" ? "</td>" : "</th>";
      md.renderer.rules.table_close = () => "</table></div>";
      md.renderer.rules.fence = (/** @type {any[]} */ all, /** @type {number} */ i) =>
        `<pre tabindex="0"><code>${md.utils.escapeHtml(all[i].content)}</code></pre>\n`;
      md.core.ruler.push("parts", (/** @type {any} */ state) => index(state.tokens, state.env));
    });
    for (const { path, title } of pages) {
      const file = fileOf(path);
      const up = posix.relative(posix.dirname(file), ".") || ".";
      config.addTemplate(path, read(path), {
        layout: "page.njk",
        templateEngineOverride: "md", // braces in a page are no template
        permalink: file,
        source: path,
        title,
        file,
        up,
        groups: groups.map(({ name, pages }) => ({
          name,
          pages: pages.map((page) => ({
            ...page,
            here: page.path === path,
            url: posix.relative(posix.dirname(file), fileOf(page.path)),
          })),
        })),
        top: top(up, "Docs"),
      });
    }
  },
});

/**
 * Labels the cells of tables with many columns with the column's name, because on a phone each row is shown as a
 * list.
 * @param {any[]} tokens
 */
function label(tokens) {
  /** @type {string[]} */
  let names = [];
  let column = 0;
  let table;
  for (const [i, token] of tokens.entries()) {
    if (token.type === "table_open") [table, names] = [token, []];
    else if (token.type === "th_open") names.push(tokens[i + 1].content.replaceAll("`", ""));
    else if (token.type === "tr_open") column = 0;
    else if (token.type === "td_open") {
      if (names.length > 3 && column > 0 && tokens[i + 1].content !== "")
        token.attrSet("data-label", names[column] ?? "");
      column++;
    }
    if (table) table.meta = { wide: names.length > 3 };
  }
}

/**
 * Renders a picture. If there are a light and a dark one, both are included, and the page shows the one that matches
 * its theme. If there are pictures of a phone's width too, narrow pages show those, because a wide one can't be read there.
 * @param {any} token @param {() => string} render
 */
function inBothThemes(token, render) {
  const source = token.attrGet("src") ?? "";
  const [, name = ""] = /([^/]+)-light\.png$/.exec(source) ?? [];
  if (!name || !existsSync(`${root}/docs/images/${name}-dark.png`)) return render();
  /** @param {string} theme @param {string} narrow */
  const one = (theme, narrow) => {
    const at = (/** @type {string} */ look) => source.replace(/light\.png$/, `${look}.png`);
    token.attrSet("src", at(theme));
    if (!existsSync(`${root}/docs/images/${name}-phone-dark.png`)) {
      token.attrSet("class", `in-${theme}`);
      return render();
    }
    return `<picture class="in-${theme}"><source media="(max-width: 40rem)" srcset="${at(narrow)}">${render()}</picture>`;
  };
  return one("light", "phone") + one("dark", "phone-dark");
}

/**
 * Returns the links at the top of a page.
 * @param {string} up the path to the root
 * @param {string} at the link of this page
 */
function top(up, at) {
  return TOP.map(([name, url]) => ({ name, url: url.startsWith("https:") ? url : `${up}/${url}`, here: name === at }));
}

/** Divides a page at its headings into parts for the search index. @param {any[]} tokens @param {any} env */
function index(tokens, { source, title, file }) {
  /** @type {any} */
  let part = { part: title, url: file, words: [] };
  const end = () => {
    const text = part.words.join(" ").replace(/\s+/g, " ").trim();
    if (text || part.url !== file)
      parts.push({ id: parts.length, page: source, title, part: part.part, text, url: part.url });
  };
  for (const [i, token] of tokens.entries()) {
    if (token.type === "heading_open" && token.tag !== "h1") {
      end();
      part = { part: tokens[i + 1].content.replaceAll("`", ""), url: `${file}#${token.attrGet("id")}`, words: [] };
    } else if (token.type === "inline" || token.type === "fence") part.words.push(token.content);
  }
  end();
}

await eleventy.write();

/** The source files of the npm package's entry points. */
const entries = Object.values(JSON.parse(read("js/package.json")).exports).flatMap((entry) =>
  entry.types ? [`${root}/js/${entry.types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts")}`] : [],
);
/** A placeholder for the link to the site, which depends on the page that contains it. */
const DOCS = "https://docs.invalid/";
const typedoc = await Application.bootstrap({
  name: "ctxfold for JavaScript",
  entryPoints: entries,
  tsconfig: `${root}/js/tsconfig.json`,
  skipErrorChecking: true, // the package's own lint checks them, by the compiler that it is built with
  readme: "none",
  disableSources: true,
  hideGenerator: true,
  navigationLinks: { Docs: DOCS, GitHub: REPOSITORY },
  logLevel: "Error",
});
const project = await typedoc.convert();
if (!project) throw new Error("the JavaScript API could not be read");
await typedoc.generateDocs(project, `${out}/api/javascript`);
// TypeDoc writes the same link on pages in subfolders, so the placeholder is replaced for each page.
for (const name of readdirSync(`${out}/api/javascript`, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".html")) continue;
  const file = join(out, "api/javascript", name);
  const page = readFileSync(file, "utf8");
  writeFileSync(file, page.replaceAll(DOCS, posix.relative(dirname(file), `${out}/index.html`)));
}

const search = new MiniSearch({ ...OPTIONS, fields: FIELDS });
search.addAll(parts);
writeFileSync(`${out}/assets/index.json`, JSON.stringify(search));
const modules = `${here}/node_modules`;
copyFileSync(`${modules}/minisearch/dist/es/index.js`, `${out}/assets/minisearch.js`);
for (const name of ["theme.js", "search.js", "search-options.js", "site.css"])
  copyFileSync(`${here}/${name}`, `${out}/assets/${name}`);
copyFileSync(`${root}/examples/look.css`, `${out}/assets/look.css`);
copyFileSync(`${modules}/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2`, `${out}/assets/inter.woff2`);
for (const name of readdirSync(`${root}/docs`)) {
  if (name.endsWith(".json")) copyFileSync(`${root}/docs/${name}`, join(out, "docs", name));
}
cpSync(`${root}/docs/images`, `${out}/docs/images`, { recursive: true });

for (const [name, folder] of [
  ["Playground", "playground"],
  ["Chat", "chat"],
]) {
  execFileSync(
    "npm",
    ["run", "--silent", "build", "--", "--outDir", `${out}/${folder}`, "--emptyOutDir", "--logLevel", "warn"],
    {
      cwd: `${root}/examples/${folder}`,
      stdio: "inherit",
      env: { ...process.env, CTXFOLD_NAVIGATION: JSON.stringify(top("..", name)) },
    },
  );
}
console.log(`${pages.length} pages, the playground and the chat in ${out}`);
