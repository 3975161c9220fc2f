package policy

// windowBudget is the published system S3. Compaction is due above three quarters of what the reserve leaves of the
// window. It keeps a tail of 6,000 tokens (S3.4), and clears before the fold and restores files after it as S3.33 and
// S3.38 describe.
var windowBudget = Preset{
	Name: "window-budget",
	Doc:  "the published system S3: at over 75 % of the window, keeps the newest 6,000 tokens",
	JSON: `{
  "estimator": "runes3.6",
  "window": {"reserve": 2048},
  "gate": {"ratio": 0.75, "target": 1},
  "passes": [
    {"pass": "clear", "keep_recent": 6, "tools": ["read", "grep", "find", "ls", "glob", "bash", "websearch", "webfetch", "edit", "write"]},
    {"pass": "fold", "keep_tokens": 6000, "boundary": "group", "keep_last": false, "min_messages": 2, "force_turn": true},
    {"pass": "rehydrate", "max_files": 5, "tokens": 8000, "tool": "read", "always_newest": true, "shrink_messages": true}
  ],
  "summary": {"mode": "model", "style": "window-budget", "max_output_tokens": 4096, "retries": 1}
}`,
}
