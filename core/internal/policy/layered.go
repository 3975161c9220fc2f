package policy

// layered is the published system S0. Compaction is due above the window without the system prompt. It has three
// levels and uses no model (S0.3, S0.5).
var layered = Preset{
	Name: "layered",
	Doc:  "the published system S0: truncates tool results, then replaces each old turn with a line, then drops the middle",
	JSON: `{
  "estimator": "layered",
  "window": {"tokens": 100000, "reserve": 4000},
  "gate": {"ratio": 1, "target": 1},
  "passes": [
    {"pass": "truncate", "max_lines": 50},
    {"pass": "collapse", "keep_recent": 10},
    {"pass": "drop", "keep_first": 2, "keep_recent": 10}
  ],
  "summary": {"mode": "local", "max_output_tokens": 2000}
}`,
}
