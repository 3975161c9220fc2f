package api

// The names that a registry has: info lists them, and the generated types of hosts offer them.
type (
	// Format is the name of a wire format; docs/FORMATS.md describes them.
	Format string
	// Preset is the name of a preset; docs/PRESETS.md says which one is for what.
	Preset string
	// Estimator is the name of a token estimator; docs/TOKENS.md describes script.
	Estimator string
)
