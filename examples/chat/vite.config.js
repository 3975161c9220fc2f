import { fileURLToPath } from "node:url";

export default {
  base: "./",
  // The package of this repository is linked, so the server must be allowed to read files outside
  // of this folder.
  server: { fs: { allow: [fileURLToPath(new URL("../..", import.meta.url))] } },
  worker: { format: "es" },
};
