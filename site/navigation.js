// The navigation of the site: the pages of docs in groups, by what a reader wants. A page that its group does not name
// follows the named ones; a page of no group is added to the last one.

/** Pages of docs, without their ending. @type {Record<string, string[]>} */
const GROUPS = {
  Start: ["javascript", "integrations", "platforms", "go", "command", "proxy", "edge", "languages"],
  Guides: ["presets", "digests", "cost", "overflow", "archive", "redact", "formats", "sessions", "recipes"],
  Reference: [
    "policy",
    "abi",
    "report",
    "errors",
    "estimators",
    "functions",
    "published",
    "component",
    "runtimes",
    "versions",
  ],
  Inside: [
    "design",
    "decisions",
    "loop",
    "threats",
    "benchmarks",
    "conformance",
    "memory",
    "live",
    "build",
    "extending",
    "upgrading-go",
  ],
};

/**
 * Pages outside docs, by the group that they are added to at the end. The README comes first in the first group.
 * @type {Record<string, string[]>}
 */
const LAST = {
  Reference: ["api/javascript/index.html", "api/go.md"],
  Inside: ["CONTRIBUTING.md", "CHANGELOG.md"],
};

/**
 * Divides the pages among the groups of the navigation, in order.
 * @param {{path: string, title: string}[]} pages paths such as docs/reference/abi.md
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
  const first = take(["README.md"]);
  const groups = Object.entries(GROUPS).map(([name, names]) => {
    const folder = `docs/${name.toLowerCase()}/`;
    const own = [...left.keys()].filter((path) => path.startsWith(folder));
    return { name, pages: take([...names.map((each) => `${folder}${each}.md`), ...own, ...(LAST[name] ?? [])]) };
  });
  groups[0]?.pages.unshift(...first);
  groups.at(-1)?.pages.push(...left.values());
  return groups;
}

/** The URL of the repository. Files that are not on the site are linked there. */
export const REPOSITORY = "https://github.com/ctxfold/ctxfold";

/**
 * The links at the top of every page, including the playground, and the way back from the chat: name, and path from the root of the site.
 * @type {[string, string][]}
 */
export const TOP = [
  ["Docs", "index.html"],
  ["Playground", "playground/index.html"],
  ["Chat", "chat/index.html"],
  ["GitHub", REPOSITORY],
];
