// Runs the measurements of engine.js in Chromium.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { chromium as driver } from "playwright-core";
import { withFirst } from "./small.js";

export async function chromium(wasm, plan) {
  const server = createServer((request, response) => {
    const path = request.url.slice(1);
    const type = path.endsWith(".js") ? "text/javascript" : path.endsWith(".wasm") ? "application/wasm" : "text/html";
    response.setHeader("content-type", type);
    if (path === "ctxfold.wasm") response.end(wasm);
    else if (/^[a-z]+\.js$/.test(path)) response.end(readFileSync(new URL(path, import.meta.url)));
    else response.end("<!doctype html><title>bench</title>");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  /** Opens a page in a new browser, and calls a function that a file exports with the compiled module and further arguments. */
  const call = async (file, name, ...args) => {
    const browser = await driver.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(0);
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      const result = await page.evaluate(async ([file, name, args]) => {
        const module = await WebAssembly.compileStreaming(fetch("/ctxfold.wasm"));
        return (await import(file))[name](module, ...args);
      }, [file, name, args]);
      return { version: browser.version(), ...result };
    } finally {
      await browser.close();
    }
  };
  try {
    const { unit, rows } = await call("/small.js", "warm", plan);
    const small = await withFirst({ unit, rows }, (kind, size) => call("/small.js", "cold", kind, size, plan.estimator));
    return { ...(await call("/engine.js", "measure", plan)), small };
  } finally {
    server.close();
  }
}
