/** Actions of a user in the chat, and functions that read its state. */

import { before } from "node:test";
import { pathToFileURL } from "node:url";
import { noBrowser, openPage } from "./browser.js";
import { built } from "./built.js";
import { files, serve } from "./server.js";

/** @typedef {import("playwright-core").Page} Page */

/** Options for each test of the chat. */
export const options = { skip: noBrowser };
/** Matches the line of a compaction. */
export const FOLDED = /^\d+ messages folded into a digest/;

let dist = "";
before(async () => {
  if (!noBrowser) dist = await built("chat");
});

/** Serves the chat for a test, and returns its address. @param {import("node:test").TestContext} t */
export const address = async (t) => `${await serve(t, files(pathToFileURL(`${dist}/`)))}/`;

/**
 * Opens the chat in a new page.
 * @param {import("node:test").TestContext} t
 * @param {(page: Page) => Promise<unknown>} prepare before the page is loaded
 */
export async function open(t, prepare = async () => {}) {
  const page = await openPage(t);
  await prepare(page);
  await page.goto(await address(t));
  await page.getByRole("heading", { name: "Chat as long as you like" }).waitFor();
  return page;
}

/** Types a message into the chat box and sends it. @param {Page} page @param {string} text */
export async function speak(page, text) {
  await page.getByLabel("Your message").fill(text);
  await page.getByLabel("Your message").press("Enter");
}

/** Waits until no answer is being written. @param {Page} page */
export const idle = (page) => page.getByRole("button", { name: "Send" }).waitFor();

/** Sends a message and waits for the answer. @param {Page} page @param {string} text */
export async function turn(page, text) {
  await speak(page, text);
  await page
    .locator(".message.assistant", { hasText: `You said “${text}”` })
    .last()
    .waitFor();
  await idle(page);
}

/** Opens a conversation that the next message makes too long. @param {Page} page */
export async function openLong(page) {
  await page.getByRole("button", { name: /^Open a long conversation/ }).click();
  await page.getByText("November to February").waitFor();
  await page.getByText(/^2,8\d\d \/ /).waitFor();
  await idle(page);
}

/** Changes settings in the dialog, and closes it. @param {Page} page @param {() => Promise<unknown>} set */
export async function inSettings(page, set) {
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await set();
  await page.getByRole("button", { name: "Done" }).click();
}

/** Deletes the conversation in the settings. @param {Page} page */
export async function forget(page) {
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await page.getByRole("button", { name: "Delete this conversation" }).click();
  const sure = page.getByRole("dialog", { name: "Delete the conversation?" });
  await sure.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("The conversation is deleted.").waitFor();
}

/** Selects an endpoint in the settings. @param {Page} page @param {import("./chat-endpoint.js").Endpoint} endpoint */
export const use = (page, { url }) =>
  inSettings(page, async () => {
    await page.getByRole("radio", { name: /^An endpoint/ }).check();
    await page.getByLabel("Base URL").fill(`${url}/`);
    await page.getByRole("textbox", { name: "Model" }).fill("tiny");
  });

/**
 * Waits until the page shows a problem, and checks which button it offers.
 * @param {Page} page
 * @param {string} title
 * @param {string} remedy
 */
export async function problem(page, title, remedy) {
  const alert = page.getByRole("alert");
  await alert.getByRole("heading", { name: title }).waitFor();
  await alert.getByRole("button", { name: remedy }).waitFor();
  return alert;
}

/** Compacts the conversation with the button in the dialog. @param {Page} page */
export const compactNow = async (page) => {
  await page.getByRole("button", { name: /^Context:/ }).click();
  await page.getByRole("dialog", { name: "Context" }).getByRole("button", { name: "Compact now" }).click();
};

/** Returns the conversation in IndexedDB. @param {Page} page @returns {Promise<any>} */
export const stored = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open("ctxfold-chat");
        opening.onsuccess = () => {
          const reading = opening.result.transaction("conversations").objectStore("conversations").get("current");
          reading.onsuccess = () => {
            opening.result.close();
            const { shown, sent, ...rest } = reading.result;
            const shared = sent.filter((/** @type {object} */ message) => shown.includes(message)).length;
            resolve({ shown, sent, shared, ...rest });
          };
        };
      }),
  );

/** Returns the tokens and the window that the page shows. @param {Page} page */
export async function meter(page) {
  const text = (await page.locator("#tokens").textContent()) ?? "";
  const [tokens, window] = text.split(" / ").map((part) => Number(part.replaceAll(",", "")));
  return { tokens, window };
}

/**
 * Defines a browser model in the page, with the API that the chat and ctxfold use.
 * @param {Page} page
 * @param {string} availability
 * @param {{contextWindow?: number, capacity?: number}} [sizes] in tokens; `capacity` is the number of tokens that it accepts
 */
export const withBuiltIn = (page, availability, { contextWindow = 3072, capacity = contextWindow } = {}) =>
  page.addInitScript(
    ({ availability, contextWindow, capacity }) => {
      const own = /** @type {any} */ (globalThis);
      own.asked = [];
      let there = availability;
      /** @param {string} text */
      const streamed = (text) =>
        new ReadableStream({
          start(controller) {
            for (const piece of text.match(/.{1,8}/gs) ?? []) controller.enqueue(piece);
            controller.close();
          },
        });
      const api = {
        availability: async () => there,
        create: async (/** @type {any} */ options = {}) => {
          if (options.monitor) {
            const monitor = new EventTarget();
            options.monitor(monitor);
            monitor.dispatchEvent(Object.assign(new Event("downloadprogress"), { loaded: 0.5 }));
          }
          there = "available";
          const characters = JSON.stringify(options.initialPrompts ?? []).length;
          if (characters / 4 > capacity) throw new DOMException("the prompts are too large", "QuotaExceededError");
          return {
            contextWindow,
            promptStreaming: (/** @type {string} */ input) => {
              own.asked.push({ prompts: options.initialPrompts, input });
              const summary = options.initialPrompts?.[0]?.role === "system";
              return streamed(
                summary
                  ? "- The user plans a garden on a balcony.\n- They never want plastic pots.\n"
                  : `You said “${input}”`,
              );
            },
            summarizeStreaming: (/** @type {string} */ input) => {
              own.asked.push({ summarizer: true, input });
              return streamed("- A summarizer wrote this about the balcony.\n- The user never wants plastic pots.\n");
            },
            destroy() {},
          };
        },
      };
      Object.assign(own, { LanguageModel: api, Summarizer: api });
    },
    { availability, contextWindow, capacity },
  );
