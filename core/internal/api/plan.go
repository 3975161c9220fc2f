package api

// Plan is what goes from plan to step, and from step to step. It is data: it can be shown, stored, and continued on
// another machine. It names the transcript by the number of its messages and a fingerprint; more messages may have come
// since. A host changes nothing in it.
//
//easyjson:json
type Plan struct {
	Version     int    `json:"version"` // that of the ABI
	Messages    int    `json:"messages"`
	Fingerprint string `json:"fingerprint"`
	Format      Format `json:"format"`
	// Model is what an answer of open has told of the messages, where the policy names none.
	Model  string `json:"model,omitempty"`
	Policy Raw    `json:"policy"` // a Policy, as it was sent
	// Options are those that the plan was made with, but for the usage: Correction has what came of it.
	Options *Options  `json:"options,omitempty"`
	State   State     `json:"state"`
	Replies []Summary `json:"replies,omitempty"`
	// Asked are the ids of the requests that wait for a reply. One that the next step does not answer counts as failed.
	Asked []string `json:"asked,omitempty"`
	// Fit tells that the plan is of fit: a step is given the same memory.
	Fit bool `json:"fit,omitempty"`
	// Correction makes the estimates agree with what the provider counted.
	Correction *Correction `json:"correction,omitempty"`
}

// SummaryRequest asks the host's model for a summary.
type SummaryRequest struct {
	ID              string `json:"id"` // to be given back with the summary
	Scope           Scope  `json:"scope"`
	System          string `json:"system"`            // the system prompt for the model
	Prompt          string `json:"prompt"`            // the user message for the model; the record of the session is fenced in it
	MaxOutputTokens int    `json:"max_output_tokens"` // the most tokens that the summary may have
	InputTokens     int    `json:"input_tokens"`      // estimate of `system` and `prompt`; never over `summary.max_input_tokens`
	// Temperature is what the model is to be asked with; absent, the host decides.
	Temperature float64 `json:"temperature,omitempty"`
	// Thinking is how much the model is to think: "high". Absent, the host decides.
	Thinking string `json:"thinking,omitempty"`
	// Lead is what a host that shows the summary as it comes shows before it; only where two are joined.
	Lead string `json:"lead,omitempty"`
}

// Summary is what the host's model answered to a request, or the error that kept it from it.
//
//easyjson:json
type Summary struct {
	ID   string `json:"id"` // of the request
	Text string `json:"text,omitempty"`
	// FinishReason is why the model stopped, in the words of any provider.
	FinishReason string `json:"finish_reason,omitempty"`
	// Error is why there is no text.
	Error  string `json:"error,omitempty"`
	Stream bool   `json:"stream,omitempty"` // the host has shown the text as it came
}

// Summaries are answers to the requests of a plan.
//
//easyjson:json
type Summaries []Summary

// MemoryEntry is what a host remembers of a compaction that fit has made. A host changes nothing in it; it may add members of its own.
//
//easyjson:json
type MemoryEntry struct {
	Version      int    `json:"version"`
	Format       Format `json:"format"`
	Messages     int    `json:"messages"`      // how many messages of the history it stands for
	Print        string `json:"print"`         // of these
	SentMessages int    `json:"sent_messages"` // how many messages were sent for them
	Sent         string `json:"sent"`          // the print of these
	Edits        Raw    `json:"edits"`         // what stood for them, as in an answer
	State        State  `json:"state"`
}

// Edit is one run of the messages of a result, in output order. It has either Keep, or Insert, or Set and Message. Indexes count in the
// list that came in.
type Edit struct {
	Keep    []int `json:"keep,omitempty"`    // [from, to]: the messages from the first index up to, not with, the second
	Insert  Raw   `json:"insert,omitempty"`  // a message that was not there
	Set     *int  `json:"set,omitempty"`     // index of a message that was changed
	Message Raw   `json:"message,omitempty"` // that message as it is now
}
