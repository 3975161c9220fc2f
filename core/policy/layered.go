package policy

// layered is the published system S0: due above the window without the system prompt, three levels, and no model (S0.3, S0.5).
var layered = Preset{
	Name: "layered",
	Doc:  "the published system S0: truncates tool results, then puts a line in the place of each old turn, then drops the middle",
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

// The numbers of S0.42 by which compaction is due: the window and the system prompt in tokens, the shares of the window at which
// compaction is wanted and due.
const (
	DefaultContextTokens = 100_000
	DefaultSystemTokens  = 4_000
	DefaultCompactAt     = 0.90
	DefaultThreshold     = 0.05
)

// Headroom is the share of a window that is left below the share at, for a system prompt and messages of so many tokens;
// compaction is due where it is less than a threshold. The order of the operations is the published one, since it decides at the
// edge. A window of 0 tokens gives no number (S0.43).
func Headroom(window, system, messages int, at float64) float64 {
	left := at - float64(system)/float64(window)
	return left - float64(messages)/float64(window)
}
