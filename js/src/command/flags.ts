/** Parses a command line. */
import { parseArgs } from "node:util";
import { distance } from "../options.js";
import { UsageError } from "./errors.js";

/** An option of a command. `value` is the name of its value in the help; an option without `value` is a switch. */
export interface Flag {
  /** The name of the value in the help, such as FILE; a switch has none. */
  value?: string;
  /** Set if the option may be given more than once. "listed" values may also be separated by commas. */
  many?: "listed" | "repeated";
  /** The letter of the short form, without the hyphen. */
  short?: string;
  /** The description in the help. */
  text: string;
}

/** The options of a command by their names, without the dashes. */
export type Flags = Readonly<Record<string, Flag>>;

/** The parsed options and arguments. */
export class Given {
  /** The arguments that are not options, in their order. */
  readonly positionals: string[] = [];
  readonly #values = new Map<string, string[]>();

  /** Adds a value of an option, which may have others already. */
  add(name: string, value: string): void {
    this.#values.set(name, [...(this.#values.get(name) ?? []), value]);
  }

  /** Reports whether the option was given. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Returns the last value of the option, or "" if it was not given. */
  text(name: string): string {
    return this.#values.get(name)?.at(-1) ?? "";
  }

  /** Returns all values of the option, in their order. */
  all(name: string): string[] {
    return this.#values.get(name) ?? [];
  }
}

/** Parses the arguments after the command's name. Throws a {@link UsageError}. */
export function parse(args: readonly string[], flags: Flags, command: string): Given {
  const options = Object.entries(flags).map(([name, { value, short, many }]) => {
    const type = value ? ("string" as const) : ("boolean" as const);
    return [name, { type, ...(short && { short }), ...(many && { multiple: true }) }] as const;
  });
  const config = { args: [...args], options: Object.fromEntries(options), allowPositionals: true };
  const given = new Given();
  for (const token of parseArgs({ ...config, strict: false, tokens: true }).tokens) {
    if (token.kind === "positional") given.positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (!flag && rawName.startsWith("--")) {
      throw new UsageError(`unknown flag: ${rawName}${nearest(name, Object.keys(flags), "--")}`, command);
    }
    if (!flag) throw new UsageError(`unknown shorthand flag: '${name}' in ${rawName}`, command);
    if (!flag.value && value !== undefined && value !== "true") {
      throw new UsageError(`${rawName} takes no value, and "${value}" is one`, command);
    }
    if (flag.value && value === undefined) throw new UsageError(`flag needs an argument: ${rawName}`, command);
    for (const each of flag.many === "listed" ? (value ?? "").split(",") : [value ?? ""]) given.add(name, each);
  }
  return given;
}

/**
 * Returns a suggestion of names that are similar to the given one, as in ", did you mean a or b?"; "" if there are
 * none.
 */
export function nearest(given: string, names: readonly string[], before = ""): string {
  const near = names
    .filter((name) => distance(given.toLowerCase(), name) <= 2 || name.startsWith(given.toLowerCase()))
    .sort();
  return near.length === 0 ? "" : `, did you mean ${before}${near.join(` or ${before}`)}?`;
}

/** Returns the help text for options, with one line for each, in the order in which they are listed. */
export function helpOf(flags: Flags): string {
  const rows = Object.entries(flags).map(([name, { value, short, text }]) => {
    const head = `${short ? `-${short}, ` : "    "}--${name}${value ? ` ${value}` : ""}`;
    return [head, text] as const;
  });
  const longest = Math.max(...rows.map(([head]) => head.length));
  return rows.map(([head, text]) => `  ${head.padEnd(longest)}   ${text}\n`).join("");
}
