/** Like `in-page.ts`, but also contains the module as code, for tools that don't copy the module's file. */
export { createCompactor } from "../development-in-page.js";
