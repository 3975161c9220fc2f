// The one navigation of the site: the pages of docs in groups. A page that no group names stands in the last one.

/** @type {Record<string, string[]>} */
const GROUPS = {
  Guides: [
    "PRESETS",
    "POLICY",
    "RECIPES",
    "SESSIONS",
    "PROXY",
    "EDGE",
    "SCALE",
    "OVERFLOW",
    "TOKENS",
    "HOSTS",
    "COMPONENT",
    "RUNTIMES",
    "EXTENDING",
    "UPGRADING-GO",
  ],
  Reference: ["ABI", "FORMATS", "FUNCTIONS", "SEEDS", "VERSIONS"],
  Background: ["DESIGN", "DIGEST", "MEMORY", "THREATS", "BENCHMARKS", "LIVE", "BUILD"],
};

/**
 * @param {{path: string, title: string}[]} pages paths such as docs/ABI.md
 * @returns {{name: string, pages: {path: string, title: string}[]}[]}
 */
export function navigation(pages) {
  const left = new Map(pages.map((page) => [page.path, page]));
  /** @param {string[]} paths */
  const take = (paths) =>
    paths.flatMap((path) => {
      const page = left.get(path);
      left.delete(path);
      return page ? [page] : [];
    });
  const start = { name: "Start", pages: take(["README.md", "js/README.md", "CHANGELOG.md", "CONTRIBUTING.md"]) };
  const groups = Object.entries(GROUPS).map(([name, names]) => ({
    name,
    pages: take(names.map((each) => `docs/${each}.md`)),
  }));
  groups.at(-1)?.pages.push(...left.values());
  return [start, ...groups];
}

/** Where the repository is: what is not on the site is linked there. */
export const REPOSITORY = "https://github.com/ctxfold/ctxfold";

/** The top of every page, the playground's too: name and path from the root of the site. @type {[string, string][]} */
export const TOP = [
  ["Docs", "index.html"],
  ["Playground", "playground/index.html"],
  ["GitHub", REPOSITORY],
];
