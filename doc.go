// Package ctxfold keeps the transcript of an LLM conversation within the model's context window. It clears old tool results, folds older
// turns into a digest, and returns a transcript that the provider accepts. If it needs a summary, it asks the program for one.
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
// Which method to use depends on who keeps the messages:
//
//   - [Compactor.Fit] is for a program that passes its whole history each turn. It returns the messages to send, and remembers its
//     compactions (package records).
//   - [Compactor.Conversation] is for one long conversation. The messages stay in the engine, so the cost of a turn depends only
//     on what it adds. A [Conversation] compacts after turns, writes events to a [Journal], and calls a model again if its window was too small.
//   - [Compactor.Compact] is for a transcript that the result replaces. The program keeps the state ([Compactor.CompactWith]).
//
// A [Policy] determines when and how to compact; all it needs is a window. Removed content can be
// kept in a [Store], restored ([Compactor.Restore]), searched, and recalled by the model.
//
// Messages are [encoding/json.RawMessage] and are never decoded: messages that stay are preserved byte for byte.
//
// Package api contains the types of reports and other answers, and package pass the passes of a policy. Package host runs the same operations
// as a WebAssembly module in a sandbox, with the same [Compactor] and the same answers. docs/reference/abi.md describes the operations.
package ctxfold

//go:generate sh internal/apigen/easyjson.sh
