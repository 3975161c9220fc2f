// Copies the package to the place from which the adapters' tests import it, so that types are checked.
import { packedInto } from "../test/support/packed.js";

await packedInto("sdks");
