package compact

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/passes"
)

// watched is a pass that checks, after each run, that the pass has changed nothing that belongs to others: the source,
// the policy with the pass's own parameters, the state except for its ledger and its round, and pinned items. The
// types don't prevent such changes.
type watched struct {
	passes.Pass
	name string
	t    *testing.T
	ran  *bool
}

// Run pins every fifth item, and then runs the pass.
func (w watched) Run(c passes.Run) {
	doc := c.Doc()
	for i := range doc.Items {
		doc.Items[i].Pinned = doc.Items[i].Pinned || i%5 == 2
	}
	pinned := map[int32][]byte{}
	for i := range doc.Items {
		if it := &doc.Items[i]; it.Pinned {
			pinned[it.Msg] = doc.AppendMessage(nil, it)
		}
	}
	src := bytes.Clone(doc.T.Src)
	before := w.encoded(c)
	w.Pass.Run(c)
	*w.ran = true
	if !bytes.Equal(doc.T.Src, src) {
		w.t.Errorf("%s has changed the source", w.name)
	}
	if after := w.encoded(c); !slices.Equal(after, before) {
		w.t.Errorf("%s has changed the policy, its parameters or the state:\n%s\nwas\n%s", w.name, after, before)
	}
	for i := range doc.Items {
		it := &doc.Items[i]
		if was, ok := pinned[it.Msg]; ok && !bytes.Equal(doc.AppendMessage(nil, it), was) {
			w.t.Errorf("%s has changed a pinned item: %s", w.name, was)
		}
		delete(pinned, it.Msg)
	}
	for _, was := range pinned {
		w.t.Errorf("%s has removed a pinned item: %s", w.name, was)
	}
}

// encoded returns the policy, the parameters of the pass, and the rest of the state as JSON.
func (w watched) encoded(c passes.Run) []string {
	state := *c.State()
	state.Ledger, state.Round = api.Ledger{}, 0 // a pass that removes messages updates these
	var all []string
	for _, value := range []any{c.Policy(), w.Pass, state} {
		text, err := json.Marshal(value)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

func TestPassesLeaveOthersAlone(t *testing.T) {
	for _, k := range passes.Kinds() {
		in := input(t, "native", `{"window":{"tokens":600},"summary":{"mode":"local"},"passes":[{"pass":"`+k.Name+`"}]}`+force, session(30, 4000))
		steps, err := passes.Steps(in.Policy)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		ran := false
		for i, step := range steps {
			steps[i] = watched{step, k.Name, t, &ran}
		}
		if compact(in, steps); !ran {
			t.Errorf("%s did not run", k.Name)
		}
	}
}
