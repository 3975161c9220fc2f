// Tests the chat by keyboard, in every look, and on paper.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, LOOKS, photograph } from "../support/browser.js";
import { FOLDED, idle, open, openLong, options, problem, speak, stored, turn } from "../support/chat.js";

test("all of it by keyboard", options, async (t) => {
  const page = await open(t);
  const name = () =>
    page.evaluate(
      () =>
        document.activeElement?.getAttribute("aria-label") ??
        document.activeElement?.textContent?.trim().replace(/\s+/g, " "),
    );
  /**
   * Presses a key and checks which element then has the focus, by its name.
   * @param {string} key
   * @param {string | RegExp} expected
   */
  const press = async (key, expected) => {
    await page.keyboard.press(key);
    assert.match((await name()) ?? "", expected instanceof RegExp ? expected : new RegExp(`^${expected}`));
  };
  await press("Tab", "Skip to your message");
  await press("Tab", "Context:");
  await press("Tab", "Settings");
  await press("Tab", "Plan a trip");
  await press("Tab", "Understand something");
  await press("Tab", "Open a long conversation");
  await page.keyboard.press("Enter");
  await page.getByText("November to February").waitFor();
  await idle(page);
  await page.waitForFunction(() => document.activeElement?.id === "text");
  assert.match(await page.locator("#text").inputValue(), /^How many kilograms/, "a question to ask next");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("And what about slugs");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("and snails");
  await page.keyboard.press("Enter");
  await page.locator(".fold").waitFor();
  await idle(page);
  assert.equal(await page.evaluate(() => document.activeElement?.id), "text", "one can go on writing");
  assert.equal((await stored(page)).shown[24].content, "And what about slugs\nand snails");

  await page.locator("#context").focus();
  await page.keyboard.press("Enter");
  await press("Tab", "Compact now");
  await press("Tab", "Show the digest");
  await page.keyboard.press("Enter");
  assert.match((await name()) ?? "", FOLDED);
  await press("Tab", "Digest");
  await press("Tab", "Undo compaction");
  await page.keyboard.press("Enter");
  await page.getByText("Compaction undone.").waitFor();
  await page.waitForFunction(() => document.activeElement?.id === "text");

  await page.locator("#open-settings").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Settings" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.ok(await page.getByRole("radio", { name: /^An endpoint/ }).isChecked());
  await press("Tab", "");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "url");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Settings" }).waitFor({ state: "hidden" });
  assert.match((await name()) ?? "", /^Settings/, "the focus is back where it was");
});

test("axe finds nothing, it fits, and the meter has one line, in every look", options, async (t) => {
  const page = await open(t);
  /**
   * Checks one state of the page in every look.
   * @param {string} state the state's name in file names
   * @param {string[]} pictures the looks in which a picture for docs/images is taken
   */
  const looks = async (state = "", pictures = []) => {
    for (const { look, size, colorScheme } of LOOKS) {
      await page.setViewportSize({ ...size, height: Math.min(size.height, 844) });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.evaluate(() => {
        const undo = document.querySelector("[open] .undo");
        if (undo && !document.querySelector("#problem h2")) undo.scrollIntoView({ block: "end" });
        else scrollTo(0, document.documentElement.scrollHeight);
      });
      await accessible(page);
      const { height, width } = await page.locator("#context").evaluate((node) => node.getBoundingClientRect());
      assert.ok(height <= 36 && width <= size.width - 100, `the meter has ${width} × ${height} pixels in ${look}`);
      if (pictures.includes(look)) await photograph(page, `chat${state}-${look}`);
    }
  };
  await looks("-first", ["light"]);
  await openLong(page);
  await turn(page, "And what about slugs");
  await looks("", ["light", "phone"]);
  await page.locator(".fold summary").click();
  await looks("-opened", ["dark"]);
  await page.getByRole("button", { name: /^Context:/ }).click();
  await looks();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await page.getByRole("radio", { name: /^An endpoint/ }).check();
  await looks();
  await page.getByLabel("Window, in tokens").fill("1000000");
  await page.getByLabel("Base URL").fill("http://localhost:45871/v1");
  await page.getByRole("textbox", { name: "Model" }).fill("llama3.2");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("/ 1,000,000").waitFor();
  await speak(page, "And which beans climb best");
  await problem(page, "No answer from localhost:45871", "Try again");
  await looks("-error", ["phone"]);
});

test("on paper the conversation is whole, with its digest, and nothing to press", options, async (t) => {
  const page = await open(t);
  await openLong(page);
  await turn(page, "And what about slugs");
  await page.emulateMedia({ media: "print" });
  for (const id of ["#compose", "#open-settings", "#context"]) assert.ok(await page.locator(id).isHidden(), id);
  assert.ok(
    await page
      .locator(".fold")
      .getByRole("region", { name: "Digest" })
      .evaluate((node) => node.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true })),
  );
  assert.ok(await page.locator(".message").first().isVisible());
});
