import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { accessible, LOOKS, noBrowser, openPage } from "./support/browser.js";
import { installed } from "./support/built.js";
import { files, serve } from "./support/server.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
let folder = "";
let site = "";
before(async () => {
  // The site is served from a subpath, as project pages are.
  folder = await mkdtemp(join(tmpdir(), "ctxfold-site-"));
  site = join(folder, "some", "where");
  await Promise.all([installed("../site"), installed("playground"), installed("chat")]);
  await run("npm", ["run", "--silent", "build", "--", site], { cwd: `${root}site` });
});
after(() => rm(folder, { recursive: true, force: true }));

/** Returns all HTML files of the site. */
const pages = async () =>
  (await readdir(site, { recursive: true })).filter((name) => name.endsWith(".html")).map((name) => join(site, name));

test("all links inside the site lead somewhere, and none depends on where it is served", async () => {
  const all = await pages();
  assert.ok(all.length > 20, `${all.length} pages`);
  /** @type {Map<string, Set<string>>} */
  const ids = new Map();
  const icons = (await readdir(site, { recursive: true })).filter((name) => name.endsWith(".svg"));
  for (const page of [...all, ...icons.map((name) => join(site, name))]) {
    const html = await readFile(page, "utf8");
    ids.set(page, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id)));
  }
  const broken = [];
  let checked = 0;
  for (const page of all) {
    const html = (await readFile(page, "utf8")).replaceAll(/<pre.*?<\/pre>/gs, "");
    for (const [, link = ""] of html.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (/^(https?|data|mailto):/.test(link)) continue;
      checked++;
      const [path = "", hash = ""] = link.split("#");
      const target = path === "" ? page : resolve(dirname(page), path);
      if (link.startsWith("/") || !existsSync(target)) broken.push(`${page}: ${link}`);
      else if (hash && !ids.get(target)?.has(decodeURIComponent(hash)))
        broken.push(`${page}: ${link}: no such heading`);
    }
  }
  assert.ok(checked > 500, `${checked} links`);
  assert.deepEqual(broken, []);
});

test("links to what is not on the site lead to files of the repository", async () => {
  const missing = [];
  for (const page of await pages()) {
    const html = await readFile(page, "utf8");
    for (const [, path = ""] of html.matchAll(
      /href="https:\/\/github\.com\/ctxfold\/ctxfold\/(?:blob|tree)\/main\/([^"#]+)/g,
    )) {
      if (!existsSync(`${root}${path}`)) missing.push(`${page}: ${path}`);
    }
  }
  assert.deepEqual(missing, []);
});

test("each page of docs is on the site, and in the navigation of every page, in the group of its folder", async () => {
  const html = await readFile(join(site, "docs", "reference", "abi.html"), "utf8");
  for (const name of await readdir(`${root}docs`, { recursive: true })) {
    if (!name.endsWith(".md")) continue;
    const path = posix.relative("reference", name.replace(/md$/, "html"));
    const before = html.slice(0, html.indexOf(`href="${path}"`));
    const [group = ""] = before.match(/<h2>\w+<\/h2>(?!.*<h2>)/s) ?? [];
    assert.equal(group.toLowerCase(), `<h2>${posix.dirname(name)}</h2>`, name);
  }
});

/** @param {import("node:test").TestContext} t @param {string} path */
async function open(t, path) {
  const page = await openPage(t);
  const address = await serve(t, files(pathToFileURL(`${folder}/`)));
  await page.goto(`${address}/some/where/${path}`);
  return page;
}

test("the playground runs from a sub-path, in the site's navigation", { skip: noBrowser }, async (t) => {
  const page = await open(t, "playground/");
  await page.getByText("✓ nothing lost").waitFor();
  assert.match((await page.locator("#headline").textContent()) ?? "", /^60,401/);
  const names = ["Docs", "Playground", "Chat", "GitHub"];
  assert.deepEqual(await page.locator("header nav a").allInnerTexts(), names);
  await accessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await accessible(page);
  await page.getByRole("link", { name: "Docs" }).click();
  await page.getByRole("heading", { name: "ctxfold", level: 1 }).waitFor();
  assert.deepEqual(await page.locator("header nav a").allInnerTexts(), names);
});

test("the chat runs from a sub-path, and its heading leads back to the docs", { skip: noBrowser }, async (t) => {
  const page = await open(t, "index.html");
  await page.locator("header").getByRole("link", { name: "Chat" }).click();
  await page.getByRole("button", { name: /^Open a long conversation/ }).click();
  await page.locator("#text:valid").waitFor(); // the message to ask
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".fold").getByText("messages folded into a digest").waitFor();
  await accessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await accessible(page);
  await page.getByRole("link", { name: "ctxfold" }).click();
  await page.getByRole("heading", { name: "ctxfold", level: 1 }).waitFor();
});

test("the search finds a part of a page by its words, by keyboard too", { skip: noBrowser }, async (t) => {
  const page = await open(t, "docs/reference/policy.html");
  await page.keyboard.press("/");
  await page.keyboard.type("thrashing caus");
  const first = page.locator("#found a").first();
  assert.match((await first.textContent()) ?? "", /Thrashing/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/docs\/reference\/report\.html#thrashing$/);
  await page.getByLabel("Search the docs").fill("xyzzyxyzzy");
  await page.getByText("No results.").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#found").isHidden(), true);
});

for (const { look, size, colorScheme } of LOOKS) {
  test(`axe finds nothing on pages of docs, and they fit: ${look}`, { skip: noBrowser }, async (t) => {
    const page = await open(t, "index.html");
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    // The dark theme has only colors of its own, which a small page with the same kinds of elements shows as well.
    const small = colorScheme === "dark" && !process.env.CTXFOLD_LONG;
    for (const path of ["index.html", small ? "docs/guides/presets.html" : "docs/reference/policy.html"]) {
      await page.goto(new URL(path, page.url().replace(/docs\/.*$/, "")).href);
      await accessible(page);
    }
    await page.goto(new URL("../../index.html", page.url()).href);
    const shown = page.locator("main img:visible").first();
    const picture = await shown.evaluate((node) => /** @type {HTMLImageElement} */ (node).currentSrc);
    assert.match(picture, new RegExp(`/playground-${look}\\.png$`), "the picture has the page's width and theme");
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/site-${look}.png` });
  });
}
