// Exports of chats as written by ChatGPT and Claude.ai.

/** A chat as exported by ChatGPT: a tree, of which only the current branch belongs to the chat. */
export const chatGPT = {
  title: "Boats",
  create_time: 1736209400,
  update_time: 1736209800,
  current_node: "e",
  default_model_slug: "gpt-5",
  mapping: {
    root: { id: "root", parent: null, children: ["a"], message: null },
    a: {
      id: "a",
      parent: "root",
      children: ["b", "old"],
      message: { author: { role: "user" }, content: { content_type: "text", parts: ["How does a lock work?"] } },
    },
    old: {
      id: "old",
      parent: "a",
      children: [],
      message: { author: { role: "assistant" }, content: { content_type: "text", parts: ["An answer thrown away."] } },
    },
    b: {
      id: "b",
      parent: "a",
      children: ["c"],
      message: {
        author: { role: "assistant" },
        content: { content_type: "thoughts", thoughts: [{ summary: "Canals", content: "Water levels." }] },
      },
    },
    c: {
      id: "c",
      parent: "b",
      children: ["d"],
      message: {
        author: { role: "tool", name: "web.run" },
        content: { content_type: "tether_browsing_display", result: "Locks lift boats." },
      },
    },
    d: {
      id: "d",
      parent: "c",
      children: ["e"],
      message: { author: { role: "assistant" }, content: { content_type: "text", parts: ["Water is let in."] } },
    },
    e: {
      id: "e",
      parent: "d",
      children: [],
      message: {
        author: { role: "user" },
        content: {
          content_type: "multimodal_text",
          parts: [{ content_type: "image_asset_pointer", asset_pointer: "file-service://x" }, "And this one?"],
        },
      },
    },
  },
};

/** Chats as exported by Claude.ai. */
export const claude = [
  {
    uuid: "1",
    name: "Bread",
    updated_at: "2026-02-01T10:00:00Z",
    chat_messages: [
      {
        sender: "human",
        text: "Read my recipe.",
        content: [{ type: "text", text: "Read my recipe." }],
        attachments: [{ file_name: "recipe.txt", extracted_content: "500 g of flour" }],
        files: [],
      },
      {
        sender: "assistant",
        text: "",
        content: [
          { type: "thinking", thinking: "Flour first." },
          { type: "tool_use", name: "search", input: { query: "flour" } },
          { type: "tool_result", name: "search", content: [{ type: "text", text: "Type 550." }] },
          { type: "text", text: "Take type 550." },
        ],
      },
    ],
  },
  {
    uuid: "2",
    name: "Older",
    updated_at: "2025-02-01T10:00:00Z",
    chat_messages: [{ sender: "human", text: "Hi.", content: [] }],
  },
  { uuid: "3", name: "Empty", updated_at: "2025-02-01T10:00:00Z", chat_messages: [] },
];
