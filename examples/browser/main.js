import { createCompactor } from "ctxfold";

const button = /** @type {HTMLButtonElement} */ (document.getElementById("compact"));
const result = /** @type {HTMLElement} */ (document.getElementById("result"));

const compactor = createCompactor({
  policy: { format: "anthropic", window: { tokens: 16000 } },
  summarize: async ({ id }) => {
    await new Promise((later) => setTimeout(later, 50));
    return `Summary ${id}: the agent worked on the user's request and is not done yet.`;
  },
});

try {
  const [response] = await Promise.all([fetch("../../testdata/sample.anthropic.json"), compactor.ready()]);
  let messages = await response.json();
  result.textContent = JSON.stringify(compactor.check(messages), null, 2);
  button.addEventListener("click", async () => {
    button.disabled = true;
    const done = await compactor.compact(messages);
    messages = done.messages;
    result.textContent = JSON.stringify({ ...done.report, actions: done.report.actions.length }, null, 2);
    button.disabled = false;
  });
} catch (error) {
  result.textContent = String(error);
}
