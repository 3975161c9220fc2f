// Sets the light or dark theme: the system's, until the user switches. It runs before the page is painted.
const KEY = "ctxfold-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : system.matches;
};
/**
 * Uses the storage, unless the browser denies access to it; then the choice lasts only until the page is closed.
 * @param {() => string | null | void} use
 */
const stored = (use) => {
  try {
    return use();
  } catch {
    return null;
  }
};
const chosen = stored(() => localStorage.getItem(KEY));
if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;

addEventListener("DOMContentLoaded", () => {
  const button = /** @type {HTMLElement} */ (document.querySelector("#theme"));
  const say = () => button.setAttribute("aria-label", isDark() ? "Switch to light" : "Switch to dark");
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    stored(() => localStorage.setItem(KEY, theme));
    say();
  });
  system.addEventListener("change", say);
  say();
});
