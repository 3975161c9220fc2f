// Says before the package is packed whether it lacks the slim module, which isn't committed: ctxfold/slim would then not load.
import { existsSync } from "node:fs";

if (!existsSync(new URL("../ctxfold-slim.wasm", import.meta.url)))
  console.warn("This package has no ctxfold/slim, because ctxfold-slim.wasm is not built: make module-slim builds it.");
