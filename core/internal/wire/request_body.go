package wire

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// bodyMembers lists the members of request bodies, in any format, that contain information about the messages. A member
// whose value is of another kind is skipped; 0 means any kind.
var bodyMembers = []struct {
	name string
	kind jsonspan.Kind
	read func(r *Reader)
}{
	{"system", 0, (*Reader).system},
	{"instructions", 0, (*Reader).system},
	{"systemInstruction", 0, (*Reader).system},
	{"system_instruction", 0, (*Reader).system},
	{"systemPrompt", 0, (*Reader).system},
	{"tools", 0, (*Reader).tools},
	{"functions", 0, (*Reader).tools},
	{"response_format", 0, (*Reader).tools},
	{"toolConfig", 0, (*Reader).tools},
	{"previous_response_id", 0, (*Reader).noteElsewhere},
	{"previous_interaction_id", 0, (*Reader).noteElsewhere},
	{"conversation", 0, (*Reader).noteElsewhere},
	{"store", 0, (*Reader).noteUnstored},
	{"model", jsonspan.String, (*Reader).model},
	{"modelId", jsonspan.String, (*Reader).model},
	{"thinking", jsonspan.Object, (*Reader).ownThinking},
	{"additionalModelRequestFields", jsonspan.Object, (*Reader).additionalThinking},
	{"providerOptions", jsonspan.Object, (*Reader).optionsThinking},
}

func (r *Reader) system() {
	size := &r.T.System
	if r.Kind() == jsonspan.String {
		*size = size.Add(r.Text().Measure)
	} else {
		*size = size.Add(r.Skip().Measure)
	}
}

func (r *Reader) tools() { r.T.Tools = r.T.Tools.Add(r.Skip().Measure) }

// noteElsewhere reads a reference to a part of the conversation that the provider stores.
func (r *Reader) noteElsewhere() { r.T.Elsewhere = r.Skip().Kind != jsonspan.Null || r.T.Elsewhere }

func (r *Reader) noteUnstored() { r.T.Unstored = r.Skip().Kind == jsonspan.False }

func (r *Reader) model() { r.T.Model = r.Text().Span }

func (r *Reader) ownThinking() { r.T.Thinking = r.thinking() }

func (r *Reader) body() {
	list := false
	for name := range r.Members {
		if string(name) == r.F.List {
			r.bodyList(list)
			list = true
			continue
		}
		r.bodyMember(name)
	}
	if r.Err() == nil && !list {
		r.Fail(api.CodeNoMessages, int(r.T.Outer.Start), "this object has no list under \""+r.F.List+"\"")
	}
}

func (r *Reader) bodyMember(name []byte) {
	for i := range bodyMembers {
		if m := &bodyMembers[i]; m.name == string(name) && (m.kind == 0 || m.kind == r.Kind()) {
			m.read(r)
			return
		}
	}
	r.Skip()
}

// bodyList reads the list of messages in a request body. again is true if the body had another such list before,
// which is an error.
func (r *Reader) bodyList(again bool) {
	switch {
	case again:
		r.Fail(jsonspan.DuplicateKey, int(r.KeyPos()), "the key \""+r.F.List+"\" appears twice")
	case r.Kind() == jsonspan.Array:
		r.messages()
	default:
		r.Fail(api.CodeNoMessages, int(r.Pos()),
			"\""+r.F.List+"\" is not a list of messages, so there is nothing to compact")
	}
}
