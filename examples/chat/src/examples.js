/** @typedef {import("./history.js").Message} Message */

/**
 * What a user may start from: a first message, or a whole conversation and the message to ask next.
 * @type {({title: string, text: string, ask?: string} & ({message: string, messages?: undefined} | {message?: undefined, messages: () => Promise<Message[]>}))[]}
 */
export const examples = [
  {
    title: "Plan a trip",
    text: "Four days in Lisbon with two children",
    message: "Help me plan four days in Lisbon with two children, six and nine. They like trams and dislike museums.",
  },
  {
    title: "Understand something",
    text: "Context windows, without jargon",
    message: "Explain what a context window is to somebody who has never heard of tokens.",
  },
  {
    title: "Open a long conversation",
    text: "Twelve turns, almost at the limit, and a question about the first",
    ask: "How many kilograms per square metre does the management allow?",
    async messages() {
      const { default: texts } = await import("./sample.json");
      return texts.map((content, i) => ({ role: i % 2 ? "assistant" : "user", content }));
    },
  },
];
