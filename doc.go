// Package ctxfold keeps the transcript of an LLM conversation within the model's context window: it clears what is old, folds
// older turns into a digest, and leaves a transcript that the provider accepts. It asks the program for a summary when one is
// wanted.
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
//   - [Compactor.Fit], for a program that keeps its whole history and gives all of it each turn. It gets what to send, and what
//     was compacted once is remembered.
//   - [Compactor.Conversation], for a program that goes on with one conversation for long. The messages stay in the engine, so
//     that a turn costs what is new in it; the conversation is compacted after turns, tells events ([Journal]), and gets one
//     more try when the provider says that it does not fit.
//   - [Compactor.Compact], for a transcript that is replaced with the result. The program keeps the state
//     ([Compactor.CompactWith]).
//
// Messages are [encoding/json.RawMessage] in and out. They are never decoded into structs, so a message that is kept is
// kept byte for byte, whatever fields its provider has added to it.
//
// The work is done by code that is compiled into the program. Package github.com/ctxfold/ctxfold/host gives the same [Compactor]
// over the WebAssembly module in a sandbox, and the same bytes as answers. What the operations do is in docs/ABI.md; nothing in
// this package decides about a transcript.
package ctxfold

//go:generate sh generate.sh
