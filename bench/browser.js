// Runs the same measurements in Chromium.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { chromium as driver } from "playwright-core";

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
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await driver.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const result = await page.evaluate(async (plan) => {
      const { measure } = await import("/engine.js");
      return measure(await WebAssembly.compileStreaming(fetch("/ctxfold.wasm")), plan);
    }, plan);
    return { version: browser.version(), ...result };
  } finally {
    await browser.close();
    server.close();
  }
}
