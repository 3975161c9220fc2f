/** Like `in-page.ts`, with the slim module. */
export { createCompactor } from "../slim-in-page.js";
