package policy

// agentLoop is the published system S4: due at the window without its reserve (S4.3), old tool results behind summaries
// (S4.24), a tail of 20,000 tokens (S4.1).
var agentLoop = Preset{
	Name: "agent-loop",
	Doc:  "the published system S4: summaries of old tool results, a digest of what is older than the newest 20,000 tokens",
	JSON: `{
  "estimator": "bytes4-message",
  "gate": {"ratio": 1, "target": 1},
  "passes": [
    {"pass": "archive", "keep_recent": 10},
    {"pass": "fold", "keep_tokens": 20000, "boundary": "group"}
  ],
  "summary": {"mode": "model", "max_output_tokens": 4096}
}`,
}
