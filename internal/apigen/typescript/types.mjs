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

/** The schema as the compiler wants it: pairs are tuples, defaults are told, and what may be any JSON is unknown. */
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

/** A comment in as few lines as it takes. */
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
/** What is only read: lists of these may be anybody's. */
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
