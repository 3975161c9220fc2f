package extending_test

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// A message of the format morse is {"who","says"}; of the one that answers with {"call":{"key","fn","with"}} next to it where it calls a
// tool, and of the tool with the "key" of the call.
func init() {
	wire.Register(&wire.Format{
		Name: "morse",
		Doc:  "what was said, and who has",
		List: "said",
		Signs: wire.Signs{
			Keys: "who says key call",
			Own:  "key:who key:says list:said",
		},
		ReadMessage: readMorse,
		Message:     writeMorse,
		ResultBody: func(dst []byte, _ *transcript.Transcript, _ int32, text string) ([]byte, transcript.Measure) {
			return jsonspan.AppendString(dst, text), jsonspan.MeasureText(text)
		},
		Tool: `{"fn":%n,"about":%d,"with":%p}`,
		Results: func(dst []byte, calls []wire.Call, text string) []byte {
			for i, c := range calls {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = append(append(dst, `{"who":"tool","key":`...), c.ID...)
				dst = append(jsonspan.AppendString(append(dst, `,"says":`...), text), '}')
			}
			return dst
		},
		FreshID: "again_",
		Rules: wire.Rules{
			Unanswered: "MO1", Orphan: "MO1", Duplicate: "MO2", Empty: "MO3", Role: "MO4",
			Answers: wire.NextMessages, ResultRole: transcript.Tool,
		},
	})
}

var speakers = []struct {
	name string
	role transcript.Role
}{{"rules", transcript.System}, {"you", transcript.User}, {"me", transcript.Assistant}, {"tool", transcript.Tool}}

func readMorse(r *wire.Reader, m *transcript.Message) {
	var says jsonspan.Str
	var key jsonspan.Span
	call := transcript.Part{Kind: transcript.ToolCall, List: transcript.Member, Parent: -1}
	m.Role = transcript.Other
	for r.Object(); ; {
		name, ok := r.Key()
		if !ok {
			break
		}
		at := r.KeyPos()
		switch string(name) {
		case "who":
			m.RoleSpan = r.Text().Span
			for _, s := range speakers {
				if r.Err() == nil && jsonspan.EqualText(r.Src(), m.RoleSpan, s.name) {
					m.Role = s.role
				}
			}
		case "says":
			says = r.Text()
		case "key":
			key = r.Text().Span
		case "call":
			for r.Object(); ; {
				name, ok := r.Key()
				if !ok {
					break
				}
				switch string(name) {
				case "key":
					call.ID = r.Text().Span
				case "fn":
					fn := r.Text()
					call.Name, call.NameSz = fn.Span, fn.Measure
				default:
					with := r.Skip()
					call.Body, call.Size = with.Span, with.Measure
				}
			}
			call.Span = jsonspan.Span{Start: at, End: r.Pos()}
		default:
			r.Skip()
		}
	}
	m.Content = says.Span
	part := transcript.Part{Kind: transcript.Text, List: transcript.NoList, Parent: -1, Span: says.Span, Body: says.Span, Size: says.Measure}
	if m.Role == transcript.Tool {
		part.Kind, part.ID = transcript.ToolResult, key
	}
	if !says.IsZero() {
		r.Add(part)
	}
	if !call.Span.IsZero() {
		r.Add(call)
	}
}

func writeMorse(dst []byte, role transcript.Role, text string) []byte {
	for _, s := range speakers {
		if s.role == role {
			dst = append(append(append(dst, `{"who":"`...), s.name...), `","says":`...)
		}
	}
	return append(jsonspan.AppendString(dst, text), '}')
}
