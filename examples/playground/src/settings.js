// The settings: the fields, the slider, and the address. An invalid value is reported below its field.
import { $, count } from "./dom.js";

/** The windows at which the slider stops, in tokens: eight steps per doubling, rounded. */
export const STOPS = Array.from({ length: 73 }, (_, i) => {
  const exact = 2000 * 2 ** (i / 8);
  const step = exact < 8000 ? 250 : exact < 64_000 ? 1000 : exact < 512_000 ? 4000 : 16_000;
  return Math.round(exact / step) * step;
});
/** Common window sizes of models, marked below the slider. */
const MARKS = [4000, 16_000, 64_000, 256_000, 1_024_000];

const DEFAULTS = { window: 32_000, preset: "default", format: "auto", reserve: "", ratio: "", force: false };
/** The current settings. They contain only valid values. */
export const settings = { ...DEFAULTS };

/** Returns the settings that the worker needs. */
export const wanted = () => ({
  force: settings.force,
  policy: {
    window: { tokens: settings.window, ...(settings.reserve !== "" && { reserve: Number(settings.reserve) }) },
    ...(settings.ratio !== "" && { gate: { ratio: Number(settings.ratio) } }),
  },
});

/** Returns the slider position of a window. @param {number} tokens */
export const stopOf = (tokens) =>
  STOPS.reduce((best, stop, i) => (Math.abs(stop - tokens) < Math.abs((STOPS[best] ?? 0) - tokens) ? i : best), 0);

/**
 * Functions that return what is wrong with a field's text, or nothing.
 * @type {Record<string, (value: string) => string>}
 */
const CHECKS = {
  window: (value) => whole(value, 500, 100_000_000) || "",
  reserve: (value) =>
    value === ""
      ? ""
      : whole(value, 0, 100_000_000) ||
        (amount(value) >= settings.window ? `Must be less than the window, ${count(settings.window)}.` : ""),
  ratio: (value) =>
    value === "" || (Number(value) >= 0.05 && Number(value) <= 1) ? "" : "Must be a number from 0.05 to 1.",
};

/** Parses a number as people write it, such as 32,000 or 32k. @param {string} value */
const amount = (value) => {
  const [, digits = "", unit = ""] = /^([\d.]+)\s*([km]?)$/i.exec(value.trim().replaceAll(/[,_ ]/g, "")) ?? [];
  return digits ? Number(digits) * ({ k: 1000, m: 1_000_000 }[unit.toLowerCase()] ?? 1) : Number.NaN;
};

/**
 * Returns what is wrong with a text that should be a whole number in a range, or "".
 * @param {string} value
 * @param {number} from
 * @param {number} to
 */
function whole(value, from, to) {
  const n = amount(value);
  return Number.isInteger(n) && n >= from && n <= to
    ? ""
    : `Must be a whole number from ${count(from)} to ${count(to)}.`;
}

/** Shows below a field what is wrong with it, or clears the message. @param {string} name @param {string} message */
export function fault(name, message) {
  const field = $(name);
  $(`${name}-error`).textContent = message;
  if (message) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
  if (message && field.closest("details")) field.closest("details").open = true;
}

/** Returns the field that caused an error of the module. @param {{path?: string}} error */
export function fieldOf({ path = "" }) {
  if (/format/.test(path)) return "format";
  if (/reserve/.test(path)) return "reserve";
  if (/ratio/.test(path)) return "ratio";
  if (/window/.test(path)) return settings.reserve === "" ? "window" : "reserve";
  return "";
}

/**
 * Listens to changes of the fields.
 * @param {{moved: () => void, settled: () => void, again: () => void}} on called when the window is moving, when a setting has changed, and
 *   when the file should be read again
 */
export function listen({ moved, settled, again }) {
  const scale = MARKS.map((tokens) => {
    const mark = document.createElement("span");
    mark.textContent = tokens >= 1_000_000 ? "1M" : `${tokens / 1000}k`;
    mark.style.insetInlineStart = `${(100 * stopOf(tokens)) / (STOPS.length - 1)}%`;
    return mark;
  });
  $("scale").replaceChildren(...scale);
  $("slider").max = String(STOPS.length - 1);
  $("slider").addEventListener("input", () => {
    settings.window = STOPS[Number($("slider").value)] ?? settings.window;
    fault("window", "");
    show("window");
    moved();
  });
  for (const name of ["window", "reserve", "ratio"]) {
    $(name).addEventListener("input", () => {
      const value = $(name).value.trim();
      const wrong = CHECKS[name]?.(value) ?? "";
      fault(name, wrong);
      if (wrong) return;
      if (name === "window") settings.window = amount(value);
      /** @type {any} */ else settings[name] = value === "" ? "" : String(amount(value));
      if (name === "window") show("slider");
      settled();
    });
    $(name).addEventListener("blur", () => {
      if (name !== "ratio" && !$(name).hasAttribute("aria-invalid")) show(name);
    });
  }
  $("force").addEventListener("change", () => {
    settings.force = $("force").checked;
    settled();
  });
  $("format").addEventListener("change", () => {
    settings.format = $("format").value;
    again();
  });
  $("settings").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  addEventListener("hashchange", () => {
    if (location.hash === written()) return;
    const { format } = settings;
    fromAddress();
    if (settings.format === format) settled();
    else again();
  });
}

/** Shows the current settings in the fields. @param {string[]} names */
export function show(...names) {
  const all = names.length === 0 ? ["window", "slider", "reserve", "ratio", "force", "format"] : names;
  for (const name of all.includes("window") ? [...all, "slider"] : all) {
    if (name === "slider") {
      $("slider").value = String(stopOf(settings.window));
      $("slider").style.setProperty("--at", `${(100 * stopOf(settings.window)) / (STOPS.length - 1)}%`);
      $("slider").setAttribute("aria-valuetext", `${count(settings.window)} tokens`);
    } else if (name === "force") $("force").checked = settings.force;
    else if (name === "format" || name === "ratio") $(name).value = settings[name];
    else {
      const value = /** @type {any} */ (settings)[name];
      $(name).value = value === "" ? "" : count(Number(value));
    }
  }
}

const written = () => {
  const changed = Object.entries(settings).filter(([name, value]) => value !== /** @type {any} */ (DEFAULTS)[name]);
  return changed.length === 0 ? "" : `#${new URLSearchParams(changed.map(([name, value]) => [name, String(value)]))}`;
};

/** Writes the settings into the address, so that it can be passed on. */
export function toAddress() {
  if (location.hash !== written()) history.replaceState(null, "", written() || location.pathname + location.search);
}

/** Reads the settings from the address. If a value is invalid, the problem is shown below its field. */
export function fromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  Object.assign(settings, DEFAULTS);
  const text = (/** @type {string} */ name) => given.get(name) ?? "";
  /** @type {[string, string][]} */
  const wrong = [];
  for (const name of ["window", "reserve", "ratio"]) {
    if (!given.has(name)) continue;
    const problem = CHECKS[name]?.(text(name)) ?? "";
    if (problem) wrong.push([name, problem]);
    else if (name === "window") settings.window = amount(text(name));
    /** @type {any} */ else settings[name] = text(name);
  }
  if (given.has("preset")) settings.preset = text("preset");
  if ([...$("format").options].some(({ value }) => value === text("format"))) settings.format = text("format");
  settings.force = text("force") === "true";
  show();
  for (const [name, problem] of wrong) {
    $(name).value = text(name);
    fault(name, `${problem} The address says “${text(name)}”.`);
  }
}
