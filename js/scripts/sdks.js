// Copies the package to the place from which the adapters' tests import it, to check their types.
import { packedInto } from "../test/support/packed.js";

await packedInto("sdks");
