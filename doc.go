// Package ctxfold keeps the transcript of an LLM conversation within the model's context window. It clears what is old, folds older turns
// into a digest, and leaves a transcript that the provider accepts. When it wants a summary it asks the program for it.
//
//	c := ctxfold.New(ctxfold.Options{})
//	r, err := c.Fit(ctx, ctxfold.Input{Messages: history, Policy: policy}, ctxfold.SummarizerFunc(
//		func(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
//			text, err := model.Complete(ctx, q.System, q.Prompt, q.MaxOutputTokens)
//			return ctxfold.Summary{Text: text}, err
//		}))
//	...
//	answer, err := model.Call(ctx, r.Messages)
//
// There are three ways to use it, by who keeps the messages:
//
//   - [Compactor.Fit] is for a program that has the whole history and gives all of it each turn. It returns what to send, and
//     remembers what it has compacted ([Records]).
//   - [Compactor.Conversation] is for one long conversation. The messages stay in the engine, so a turn costs what is new in it. A
//     [Conversation] compacts after turns, keeps events in a [Journal], and calls a model again whose window was too small.
//   - [Compactor.Compact] is for a transcript that the result replaces. The program keeps the state ([Compactor.CompactWith]).
//
// A [Policy] says when to compact and how; its zero value is a good one. What is removed can be kept in a [Store], put back
// ([Compactor.Restore]), searched, and recalled by the model.
//
// Messages are [encoding/json.RawMessage] in and out, and are never decoded: a message that is kept is kept byte for byte.
//
// Package api has the types of reports and other answers, package pass the passes of a policy. Package host runs the same operations as a
// WebAssembly module in a sandbox, with the same [Compactor] and the same bytes as answers. docs/reference/abi.md describes the operations.
package ctxfold

//go:generate sh generate.sh
