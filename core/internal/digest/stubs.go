package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// stubs lists texts that agent programs write in the assistant's name although the model said nothing, such as after a
// command of the program or a failed request.
var stubs = []string{"No response requested.", "(no content)", "Prompt is too long", "Request timed out", "Credit balance is too low"}

// failedRequests lists the beginnings of stubs that end with the provider's error.
var failedRequests = []string{"API Error: ", "API Error ("}

var stubStarts = startsOf(stubs, failedRequests)

// longestStub is the maximum length of a stub, in bytes.
const longestStub = 400

// isStub reports whether a text part is a stub.
func isStub(t *transcript.Transcript, p *transcript.Part) bool {
	if !stubStarts.mayOpen(t.Bytes(p.Body)) {
		return false
	}
	head := strings.TrimSpace(beginning(t, p.Body, longestStub))
	return slices.Contains(stubs, head) || len(head) < longestStub && startsWithAny(head, failedRequests)
}
