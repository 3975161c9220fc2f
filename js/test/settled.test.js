// The waits in the playground's tests end when the page has settled, but not while something goes on in it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { noBrowser, openPage } from "./support/browser.js";
import { serve } from "./support/server.js";
import { failWhenSettled } from "./support/settled.js";

const PAGE = `<!doctype html><p>begun</p><script>
  const say = (text) => document.body.append(Object.assign(document.createElement("p"), { textContent: text }));
  const source = "onmessage = () => setTimeout(postMessage, 3000, 'worked')";
  const worker = new Worker(URL.createObjectURL(new Blob([source])));
  worker.onmessage = ({ data }) => {
    say(data);
    setTimeout(say, 3000, "waited");
  };
  worker.postMessage("work");
</script>`;

test("a wait ends when the page has settled, and not before", { skip: noBrowser }, async (t) => {
  const page = await openPage(t);
  await failWhenSettled(page, 20); // a second
  const address = await serve(t, (_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(PAGE);
  });
  await page.goto(address);
  await page.getByText("worked").waitFor();
  await page.getByText("waited").waitFor();
  await assert.rejects(page.getByText("gone").waitFor(), /the page has settled, and waitFor still waits for .*gone/);
  await assert.rejects(page.getByText("gone").textContent(), /the page has settled/);
  assert.equal(await page.getByText("begun").textContent(), "begun");
});
