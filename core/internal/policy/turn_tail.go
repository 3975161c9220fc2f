package policy

// turnTail is the published system S1. Compaction is due above the size of the window minus the reserve. It keeps a
// tail of a given size in tokens (S1.3, S1.5).
var turnTail = Preset{
	Name: "turn-tail",
	Doc:  "the published system S1: keeps the newest 20,000 tokens, and summarizes a turn that is cut separately from the history before it",
	JSON: `{
  "estimator": "bytes4-floor",
  "window": {"reserve": 16384},
  "gate": {"ratio": 1, "target": 1},
  "passes": [
    {"pass": "fold", "keep_tokens": 20000, "boundary": "forward", "min_messages": 2}
  ],
  "summary": {"mode": "model", "style": "turn-tail", "max_output_tokens": 4096, "retries": 1, "on_failure": "error"}
}`,
}
