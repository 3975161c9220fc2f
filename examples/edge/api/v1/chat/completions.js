export { default } from "../../../src/vercel.js";

export const config = { runtime: "edge" };
