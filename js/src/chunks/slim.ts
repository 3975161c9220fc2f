/** Like `in-page.ts`, but with the slim module. */
export { createCompactor } from "../slim-in-page.js";
