package api

// The names that a registry has: info lists them, and names_gen.go has constants for those that hosts write.
type (
	// Operation is the name of an operation; docs/ABI.md describes them.
	Operation string
	// Format is the name of a wire format; docs/FORMATS.md describes them.
	Format string
	// Preset is the name of a preset; docs/PRESETS.md says which one is for what.
	Preset string
	// Estimator is the name of a token estimator; docs/TOKENS.md describes script.
	Estimator string
	// PassName is the name of a pass; docs/POLICY.md has their parameters.
	PassName string
	// FunctionName is the name of a function; docs/FUNCTIONS.md describes them.
	FunctionName string
)
