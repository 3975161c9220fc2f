// Package pass contains the passes, the steps of a compaction, with their parameters, for the Passes of a ctxfold.Policy.
// docs/reference/policy.md describes each of them.
//
//	ctxfold.Policy{Passes: []pass.Pass{pass.Clear{}, pass.Fold{}}}
//
// A parameter whose zero value differs from its default is a pointer: new(0) sets zero, nil means the default.
package pass

// Pass is a step of a compaction.
type Pass interface {
	// AppendJSON appends the JSON of the pass, as described in docs/reference/policy.md: an object with its name and
	// parameters.
	AppendJSON(dst []byte) []byte
}

// Raw is the JSON of a pass, including its name, for passes that this package does not know.
type Raw []byte

// AppendJSON appends the JSON of the pass unchanged, or null if it is empty.
func (r Raw) AppendJSON(dst []byte) []byte {
	if len(r) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, r...)
}
