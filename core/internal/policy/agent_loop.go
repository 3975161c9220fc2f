package policy

// agentLoop is the published system S4. Compaction is due at the size of the window minus the reserve or, without a
// window, at 8,000 tokens (S4.3). It writes summaries for old tool results if there are more than ten (S4.24), and
// keeps a tail of 20,000 tokens with ten tool results and a digest of the others (S4.1, S4.39).
var agentLoop = Preset{
	Name: "agent-loop",
	Doc:  "the published system S4: summarizes old tool results, and folds everything older than the newest 20,000 tokens",
	JSON: `{
  "estimator": "bytes4-message",
  "window": {"reserve": 16384},
  "gate": {"ratio": 1, "target": 1, "inclusive": true, "max_tokens": 8000, "max_messages": 50, "max_tool_results": 10, "usage": true},
  "passes": [
    {"pass": "archive", "keep_recent": 10},
    {"pass": "fold", "keep_tokens": 20000, "keep_messages": 5, "boundary": "message"},
    {"pass": "tool_digest", "keep_recent": 10}
  ],
  "summary": {"mode": "model", "style": "agent-loop", "max_output_tokens": 4096, "retries": 1, "on_failure": "error"}
}`,
}
