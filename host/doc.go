// Package host runs ctxfold inside a Go program: it compacts the transcript of an LLM conversation and asks the program
// for a summary when one is wanted.
//
//	c, err := host.New(ctx, host.Options{})
//	...
//	defer c.Close(ctx)
//	r, err := c.Fit(ctx, host.Input{Messages: history, Policy: policy}, host.SummarizerFunc(
//		func(ctx context.Context, q host.Request) (host.Summary, error) {
//			text, err := model.Complete(ctx, q.System, q.Prompt, q.MaxOutputTokens)
//			return host.Summary{Text: text}, err
//		}))
//	...
//	answer, err := model.Call(ctx, r.Messages)
//
// There are three ways to use it, by who keeps the messages:
//
//   - [Compactor.Fit], for a program that keeps its whole history and gives all of it each turn. It gets what to send, and what
//     was compacted once is remembered.
//   - [Compactor.Conversation], for a program that goes on with one conversation for long. The messages stay in the module, so
//     that a turn costs what is new in it; the conversation is compacted after turns, tells events ([Journal]), and gets one
//     more try when the provider says that it does not fit.
//   - [Compactor.Compact], for a transcript that is replaced with the result. The program keeps the state
//     ([Compactor.CompactWith]).
//
// Messages are [encoding/json.RawMessage] in and out. They are never decoded into structs, so a message that is kept is
// kept byte for byte, whatever fields its provider has added to it.
//
// The work is done by the WebAssembly module that is embedded in this package and runs under wazero, so that a Go
// server gives the same answers as a browser. [EngineNative] runs the same code compiled into the program. What the
// operations do is in docs/ABI.md; nothing in this package decides about a transcript.
package host

//go:generate go run github.com/mailru/easyjson/easyjson -no_std_marshalers types.go
