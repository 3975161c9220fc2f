// The search field of the site. The index is loaded when the field gets the focus.
import MiniSearch from "./minisearch.js";
import { OPTIONS } from "./search-options.js";

const field = /** @type {HTMLInputElement} */ (document.querySelector("#search"));
const list = /** @type {HTMLElement} */ (document.querySelector("#found"));
const status = /** @type {HTMLElement} */ (document.querySelector("#found-count"));
const up = document.documentElement.dataset.up ?? ".";
/** @type {Promise<any> | undefined} */
let index;
const load = () => {
  index ??= fetch(new URL("./index.json", import.meta.url))
    .then((response) => response.text())
    .then((text) => MiniSearch.loadJSON(text, OPTIONS));
  return index;
};

field.addEventListener("focus", load);
field.addEventListener("input", find);
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  if (event.key === "ArrowDown") move(event, list.querySelector("a"));
  if (event.key === "Enter") /** @type {HTMLElement | null} */ (list.querySelector("a"))?.click();
});
list.addEventListener("keydown", (event) => {
  const item = document.activeElement?.closest("li");
  if (event.key === "Escape") close();
  if (event.key === "ArrowDown") move(event, item?.nextElementSibling?.querySelector("a"));
  if (event.key === "ArrowUp") move(event, item?.previousElementSibling?.querySelector("a") ?? field);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || /** @type {HTMLElement} */ (event.target).closest("input, textarea, select")) return;
  event.preventDefault();
  field.focus();
});
document.addEventListener("click", (event) => {
  if (!(/** @type {HTMLElement} */ (event.target).closest(".search"))) list.hidden = true;
});

/**
 * Moves the focus to an element, and keeps the page from scrolling.
 * @param {Event} event
 * @param {Element | null | undefined} to
 */
function move(event, to) {
  event.preventDefault();
  /** @type {HTMLElement | null | undefined} */ (to)?.focus();
}

function close() {
  field.value = "";
  list.hidden = true;
  status.textContent = "";
  field.focus();
}

async function find() {
  const query = field.value.trim();
  const found = query ? (await load()).search(query).slice(0, 12) : [];
  if (query !== field.value.trim()) return;
  list.hidden = query === "";
  status.textContent = query === "" ? "" : found.length === 1 ? "1 result" : `${found.length} results`;
  list.replaceChildren(
    ...found.map(({ title, part, url }) => {
      const link = document.createElement("a");
      link.href = `${up}/${url}`;
      const name = document.createElement("b");
      name.textContent = part;
      const page = document.createElement("span");
      page.textContent = title;
      link.append(name, page);
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
  if (query && found.length === 0) {
    const item = document.createElement("li");
    item.textContent = "No results.";
    list.append(item);
  }
}

// On a narrow screen the list of pages would precede the page.
const side = /** @type {HTMLDetailsElement} */ (document.querySelector(".side"));
if (matchMedia("(max-width: 56rem)").matches) side.open = false;
