package api

// The names of registries. info lists them, and names_gen.go has constants for the names that hosts write.
type (
	// Operation is the name of an operation; docs/reference/abi.md describes them.
	Operation string
	// Format is the name of a wire format; docs/guides/formats.md describes them.
	Format string
	// Preset is the name of a preset; docs/guides/presets.md compares them.
	Preset string
	// Estimator is the name of a token estimator; docs/reference/policy.md lists them.
	Estimator string
	// PassName is the name of a pass; docs/reference/policy.md describes them.
	PassName string
	// FunctionName is the name of a function; docs/reference/functions.md describes them.
	FunctionName string
)
