/**
 * The serializer of `@aws-sdk/client-bedrock-runtime` judges compacted messages: it only writes members of its schema, and none may be
 * lost.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { judgeAll } from "./results.js";

/** Returns the request that the client would send. @param {any[]} messages @returns {Promise<any>} */
async function sent(messages) {
  let body = "";
  const client = new BedrockRuntimeClient({
    region: "eu-central-1",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    maxAttempts: 1,
    requestHandler: {
      handle: async (/** @type {any} */ request) => {
        body = String(request.body);
        throw new Error("sent");
      },
    },
  });
  await assert.rejects(client.send(new ConverseCommand({ modelId: "m", messages })), /sent/);
  return JSON.parse(body).messages;
}

/** @param {any[]} messages */
async function judge(messages) {
  assert.deepEqual(await sent(messages), messages);
}

test("the judge refuses what is broken", async () => {
  await assert.rejects(judge([{ role: "user", content: [{ type: "text", text: "hi" }] }]), { code: "ERR_ASSERTION" });
  await assert.rejects(judge([{ role: "user", content: [{ toolResult: { tool_use_id: "a", content: [] } }] }]), {
    code: "ERR_ASSERTION",
  });
});

test("the client sends compacted messages as they are", (t) => judgeAll(t, "bedrock-converse", judge));
