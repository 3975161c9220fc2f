package policy

// checkpoint is the published system S2. Compaction is due at four fifths of what three reserves leave of the window
// (2,000 tokens for the system prompt, 4,000 for the answer, 5,000 for safety). It keeps a tail of messages (S2.6,
// S2.10). The default window is that of S2.9.
var checkpoint = Preset{
	Name: "checkpoint",
	Doc:  "the published system S2: at 80 % of the window, keeps the newest 10 messages, with the summary as an assistant message",
	JSON: `{
  "estimator": "utf16-4",
  "window": {"tokens": 128000, "reserve": 11000},
  "gate": {"ratio": 0.8, "target": 1, "inclusive": true, "min_messages": 12},
  "passes": [
    {"pass": "fold", "keep_messages": 10, "boundary": "backward"}
  ],
  "summary": {"mode": "model", "style": "checkpoint", "max_output_tokens": 1000, "retries": 1, "on_failure": "keep"}
}`,
}
