package api

// The names that a registry has: info lists them, and names_gen.go has constants for those that hosts write.
type (
	// Operation is the name of an operation; docs/reference/abi.md describes them.
	Operation string
	// Format is the name of a wire format; docs/guides/formats.md describes them.
	Format string
	// Preset is the name of a preset; docs/guides/presets.md says which one is for what.
	Preset string
	// Estimator is the name of a token estimator; docs/reference/estimators.md describes script.
	Estimator string
	// PassName is the name of a pass; docs/reference/policy.md has their parameters.
	PassName string
	// FunctionName is the name of a function; docs/reference/functions.md describes them.
	FunctionName string
)
