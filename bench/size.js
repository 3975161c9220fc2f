// node size.js FOLDER: measures the modules built by `make bench-size`, each of which lacks one group, and writes the
// table in ../docs/inside/build.md.
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const GROUPS = {
  formats: "wire formats of agents and SDKs",
  files: "session files: `open`, `save`",
  convert: "`convert`",
  slim: "all of them: the slim module",
};

const folder = process.argv[2];
const sizes = (name) => {
  const bytes = readFileSync(`${folder}/${name}.wasm`);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return [bytes.length, brotliCompressSync(bytes, { params }).length];
};
const written = (n) => n.toLocaleString("en");
const all = sizes("all");
const rows = Object.entries(GROUPS).map(([name, what]) => {
  const without = sizes(name);
  const less = all.map((n, i) => n - without[i]);
  return [what, name === "slim" ? "`--slim`" : `\`--without ${name}\``, ...less.map(written), ...without.map(written)];
});
const head = ["without", "option of `build.sh`", "bytes less", "brotli 11 less", "bytes", "brotli 11"];
const table = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
const page = new URL("../docs/inside/build.md", import.meta.url);
const text = readFileSync(page, "utf8");
const [before, after] = [text.split("<!-- bench-size begins -->")[0], text.split("<!-- bench-size ends -->")[1]];
if (after === undefined) throw new Error("docs/inside/build.md has no place for the table");
writeFileSync(page, `${before}<!-- bench-size begins -->
The whole module has ${written(all[0])} bytes, brotli 11 ${written(all[1])}.

${table}
<!-- bench-size ends -->${after}`);
