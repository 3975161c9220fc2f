package view

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Input is the input of a compaction, a repair or a restoration. It is never modified.
type Input struct {
	Transcript *transcript.Transcript // the messages
	Format     *wire.Format           // of the transcript
	Estimator  *tokens.Profile        // counts the tokens
	Policy     *policy.Policy         // the policy of the request, with its options applied
	State      api.State              // what the last compaction left; the zero value for the first
	N          int                    // number of messages to process, from the front of the transcript; later messages stay unchanged
	Replies    []api.Summary          // the host's replies to requests for summaries
	// The importance of calls and messages to the host, by index in the transcript; nil if the host hasn't given any.
	Score    *api.Score
	Recalled bool        // the transcript contains digests that the operation fit remembered and inserted
	Marked   []wire.Mark // cache breakpoints that the app has set in messages that these digests replace
	// The index of the first message plus one, if the message's text changes between requests; otherwise 0.
	Changing int
}

// KnownMessages returns the number of messages that the last compaction left, according to the state. It returns 0 if
// the transcript has fewer messages, because the state then belongs to another conversation, or if a host has made the
// number negative.
func (in *Input) KnownMessages() int {
	if in.State.Messages < 0 || in.State.Messages > in.N {
		return 0
	}
	return in.State.Messages
}

// OverBytes reports whether the list of messages, as the host gave it, is larger than the policy's max_bytes.
func (in *Input) OverBytes() bool {
	t := in.Transcript
	return in.Policy.MaxBytes > 0 && in.N > 0 && t.OriginalSpan(t.List).Len() > in.Policy.MaxBytes
}
