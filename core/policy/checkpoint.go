package policy

import "math"

// checkpoint is the published system S2: due at four fifths of the window without its three reserves (2,000 for the system
// prompt, 4,000 for the answer, 5,000 for safety), a tail of messages (S2.6, S2.10). The window is that of S2.9 where a
// policy names none.
var checkpoint = Preset{
	Name: "checkpoint",
	Doc:  "the published system S2: at 80 % of the window keep the newest 10 messages, with the summary in the assistant's name",
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

// CheckpointConfig is the configuration of S2 (S2.6). All but the last two are tokens.
//
//easyjson:json
type CheckpointConfig struct {
	ModelContextLimit    int     `json:"model_context_limit"`
	SystemReserve        int     `json:"system_reserve"`
	OutputReserve        int     `json:"output_reserve"`
	SafetyBuffer         int     `json:"safety_buffer"`
	ThresholdPercent     float64 `json:"threshold_percent"` // a share, 0.8
	RecentMessagesToKeep int     `json:"recent_messages_to_keep"`
}

// DefaultCheckpointConfig is what S2 takes where nothing else is said (S2.6).
func DefaultCheckpointConfig() CheckpointConfig {
	return CheckpointConfig{ModelContextLimit: defaultContextLimit, SystemReserve: 2000, OutputReserve: 4000, SafetyBuffer: 5000,
		ThresholdPercent: 0.8, RecentMessagesToKeep: 10}
}

// Threshold is the number of tokens at which compaction is due, rounded down (S2.7). It is negative where the reserves are
// larger than the window (S2.8).
func (c *CheckpointConfig) Threshold() int {
	available := c.ModelContextLimit - c.SystemReserve - c.OutputReserve - c.SafetyBuffer
	return int(math.Floor(float64(available) * c.ThresholdPercent))
}

// ShouldCompact tells whether so many messages and tokens are due (S2.10).
func (c *CheckpointConfig) ShouldCompact(messages, tokens int) bool {
	return messages > c.RecentMessagesToKeep+1 && tokens >= c.Threshold()
}

const defaultContextLimit = 128000

// contextLimits are the windows that S2.9 knows, in tokens.
var contextLimits = []struct {
	model  string
	tokens int
}{
	{"gpt-4o", 128000}, {"gpt-4-turbo", 128000}, {"gpt-4", 8192},
	{"claude-3-5-sonnet-20240620", 200000}, {"claude-3-haiku-20240307", 200000},
}

// ContextLimit is the window of a model by the table of S2.9, 128,000 tokens for one that is not in it.
func ContextLimit(model string) int {
	for _, m := range contextLimits {
		if m.model == model {
			return m.tokens
		}
	}
	return defaultContextLimit
}
