// Puts the package where the tests of the adapters import it from, for the check of their types.
import { packedInto } from "../test/support/packed.js";

await packedInto("sdks");
