// Writes the TypeScript types of docs/api.schema.json: node types.mjs api.schema.json types.gen.ts. Packages are looked for in the
// current folder.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(`${process.cwd()}/`);
const { compile } = require("json-schema-to-typescript");
const [from, to] = process.argv.slice(2);
if (!to) throw new Error("usage: node types.mjs SCHEMA FILE");

const WIDTH = 120;

/**
 * Returns a schema in the form that the compiler expects: pairs become tuples, defaults are added
 * to descriptions, and a schema that allows any JSON becomes unknown.
 */
function prepared({ default: value, minItems, maxItems, ...schema }) {
  const said = Object.keys(schema).some((key) => key !== "description");
  const out = { ...schema, ...(!said && { tsType: "unknown" }) };
  if (schema.type === "object" && !schema.properties) out.tsType = "object";
  const told = value !== undefined && value !== "" && typeof value !== "object";
  if (told) out.description = `${schema.description ?? ""} Default: ${JSON.stringify(value)}.`.trim();
  for (const key of ["properties", "$defs"]) {
    if (!schema[key]) continue;
    out[key] = Object.fromEntries(Object.entries(schema[key]).map(([name, each]) => [name, prepared(each)]));
  }
  for (const key of ["oneOf", "allOf"]) if (schema[key]) out[key] = schema[key].map(prepared);
  if (schema.items) out.items = prepared(schema.items);
  if (minItems !== maxItems) throw new Error("only lists of one length are known");
  if (minItems !== undefined) out.tsType = `[${Array(minItems).fill("number").join(", ")}]`;
  return out;
}

/** Returns a comment that takes as few lines as possible. */
function comment(_, indent, text) {
  const words = text.replaceAll(`\n${indent} *`, "").trim().split(/\s+/);
  const line = `${indent}/** ${words.join(" ")} */`;
  if (line.length <= WIDTH) return `${line}\n`;
  let out = `${indent}/**\n${indent} *`;
  let room = WIDTH - indent.length - 2;
  for (const word of words) {
    if (room < word.length + 1) {
      out += `\n${indent} *`;
      room = WIDTH - indent.length - 2;
    }
    out += ` ${word}`;
    room -= word.length + 1;
  }
  return `${out}\n${indent} */\n`;
}

const text = await compile(prepared(JSON.parse(readFileSync(resolve(from), "utf8"))), "Operations", {
  additionalProperties: false,
  unreachableDefinitions: true,
  bannerComment: "// The JSON of docs/reference/abi.md, generated from docs/api.schema.json by `make generate`.",
  style: { printWidth: WIDTH, bracketSpacing: true, trailingComma: "all" },
});
/**
 * Matches the types that are only read. Their lists become readonly, so that callers may pass
 * readonly lists.
 */
const GIVEN = /^export interface (?:Policy\w*|\w+Pass|\w+Request|Pin) \{\n(?:.*\n)*?\}\n/gm;

writeFileSync(
  resolve(to),
  text
    .replace(/ \* This interface was referenced by `\w+`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g, "")
    .replace(/^( *)\/\*\*\n((?: *\*(?!\/).*\n)*) *\*\/\n/gm, (all, indent, lines) =>
      /\w/.test(lines) ? comment(all, indent, lines.replace(/^ *\*/, "")) : "",
    )
    .replace(/^( +format\?:)\n +\| "auto"\n(?: +\| "[^"]*"\n?)+;/gm, '$1 Format | "auto";')
    .replace(GIVEN, (type) => type.replace(/: (\w+\[\];)/g, ": readonly $1"))
    .replace(/([^\n])\n(?=\/\*\*|export )/g, (_, before) => (before === "/" ? "/\n" : `${before}\n\n`)),
);
