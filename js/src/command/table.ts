/** Formats tables, lists of facts and numbers for people to read. */

/**
 * Formats a table with headings. Columns whose heading begins with # are aligned to the right. `suppressEmpty` leaves
 * out columns without values.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { suppressEmpty = false } = {},
): string {
  const shown = headings.map((_, i) => !suppressEmpty || rows.some((row) => row[i]));
  const names = headings.map((heading) => heading.replace(/^#/, ""));
  const widths = names.map((name, i) => Math.max(...[name, ...rows.map((row) => row[i] ?? "")].map(width)));
  const columns = names.map((_, i) => i).filter((i) => shown[i]);
  const line = (cells: readonly string[]) =>
    `│${columns.map((i) => ` ${pad(cells[i] ?? "", widths[i] ?? 0, headings[i]?.startsWith("#"))} `).join("│")}│`;
  const rule = (left: string, middle: string, right: string) =>
    left + columns.map((i) => "─".repeat((widths[i] ?? 0) + 2)).join(middle) + right;
  const body = [line(names), rule("├", "┼", "┤"), ...rows.map(line)];
  return `${[rule("┌", "┬", "┐"), ...body, rule("└", "┴", "┘")].join("\n")}\n`;
}

/**
 * Formats one fact per line, with the names in one column and the values in the next. Facts without a value are left
 * out.
 */
export function facts(...list: readonly (readonly [name: string, value: string])[]): string {
  const given = list.filter(([, value]) => value !== "");
  const longest = Math.max(0, ...given.map(([name]) => width(name)));
  return given.map(([name, value]) => `${pad(name, longest)}  ${value}\n`).join("");
}

const width = (text: string) => [...text].length;

function pad(text: string, to: number, right = false): string {
  const space = " ".repeat(Math.max(0, to - width(text)));
  return right ? space + text : text + space;
}

/** Formats a number with commas between groups of three digits, as in 12,345. */
export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

/** Formats a number with its noun, as in "1 message" and "2 messages". */
export const plural = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

/**
 * Formats a relative change in percent, rounded; "same" if nothing changed, or if `before` is 0. A change is never
 * shown as 0 %, nor as -100 % if anything is left.
 */
export function change(before: number, after: number): string {
  if (before === after || before === 0) return "same";
  const percent = (100 * (after - before)) / before;
  const size = Math.abs(percent);
  const sign = percent < 0 ? "-" : "+";
  if (size < 0.5) return `${sign}${Math.max(size, 0.1).toFixed(1)} %`;
  if (percent < 0 && after > 0 && Math.round(size) === 100) return `-${Math.min(size, 99.9).toFixed(1)} %`;
  return `${sign}${Math.round(size)} %`;
}
