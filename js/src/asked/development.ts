/** As `in-page.ts`, with the module inside for tools that leave its file after. */
export { createCompactor } from "../development-in-page.js";
