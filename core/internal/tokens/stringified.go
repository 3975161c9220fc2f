package tokens

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// stringified measures a value as compact JSON; nothing where there is none (S2.3).
func stringified(t *transcript.Transcript, value transcript.Span) transcript.Measure {
	if value.Zero() {
		return transcript.Measure{}
	}
	return jsonspan.New(t.Bytes(value)).Skip().Measure
}

// oldCalls estimates the calls of a list [{"toolName","args"}].
func (p *Profile) oldCalls(list []byte) int {
	total := 0
	s := jsonspan.New(list)
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			s.Skip()
			continue
		}
		for s.Object(); ; {
			key, ok := s.Key()
			if !ok {
				break
			}
			switch {
			case string(key) == "args":
				total += p.divide(p.units(s.Skip().Measure))
			case string(key) == "toolName" && s.Kind() == jsonspan.String:
				total += p.divide(p.units(s.Text().Measure))
			default:
				s.Skip()
			}
		}
	}
	return total
}
