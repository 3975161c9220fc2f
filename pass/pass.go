// Package pass has the steps of a compaction, with their parameters, for the Passes of a ctxfold.Policy: docs/reference/policy.md says what each
// does, in its order and with the others.
//
//	ctxfold.Policy{Passes: []pass.Pass{pass.Clear{}, pass.Fold{}}}
//
// A parameter whose zero value is not its default is a pointer: new(0) sets zero, nil the default.
package pass

// Pass is a step of a compaction.
type Pass interface {
	// AppendJSON appends the pass as docs/reference/policy.md has it, an object with its name and its parameters.
	AppendJSON(dst []byte) []byte
}

// Raw is a pass as JSON, with its name: for one that this package does not know.
type Raw []byte

// AppendJSON appends the pass.
func (r Raw) AppendJSON(dst []byte) []byte {
	if len(r) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, r...)
}
