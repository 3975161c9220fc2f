package ctxfold_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
)

func TestFileJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	j := ctxfold.NewFileJournal(path)
	if list, err := j.Events(t.Context(), "a"); err != nil || len(list) != 0 {
		t.Fatal(err, list)
	}
	want := ctxfold.Event{Type: ctxfold.EventEnd, Conversation: "a", Trigger: ctxfold.TriggerAuto, Removed: [][2]int{{1, 4}}}
	for _, e := range []ctxfold.Event{want, {Conversation: "b"}, {Type: ctxfold.EventStart, Conversation: "a"}} {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"type":"unfini`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	list, err := j.Events(t.Context(), "a")
	if err != nil || len(list) != 2 || !reflect.DeepEqual(list[0], want) {
		t.Errorf("%v, %+v", err, list)
	}
}

// brokenStore stores nothing.
type brokenStore struct{ ctxfold.Store }

func (brokenStore) Put(context.Context, string, []byte) error { return errors.New("no room") }

func TestLimitOutput(t *testing.T) {
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		dir, err := ctxfold.NewDirStore(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat("line of output\n", 20000)
		out, err := c.LimitOutput(t.Context(), text, ctxfold.OutputLimits{}, dir)
		if err != nil || !out.Spilled || !strings.Contains(out.Text, "SHA256: "+out.Handle) {
			t.Fatalf("%v, %+v", err, out)
		}
		path, err := dir.Path(out.Handle)
		if err != nil || !strings.Contains(out.Text, "Saved to: "+path) {
			t.Errorf("%v, %q", err, out.Text)
		}
		if kept, err := dir.Get(t.Context(), out.Handle); err != nil || string(kept) != text {
			t.Errorf("%v: %d bytes were kept", err, len(kept))
		}
		for _, store := range []ctxfold.Store{nil, brokenStore{}} {
			out, err := c.LimitOutput(t.Context(), text, ctxfold.OutputLimits{}, store)
			if err != nil || out.Spilled || !out.Changed || out.Handle != "" || strings.Contains(out.Text, "no room") != (store != nil) || len(out.Text) > 60000 {
				t.Errorf("%v, %.100q", err, out.Text)
			}
		}
		if out, err := c.LimitOutput(t.Context(), "short", ctxfold.OutputLimits{}, dir); err != nil || out.Changed || out.Text != "short" {
			t.Errorf("%v, %+v", err, out)
		}
		if out, err := c.LimitOutput(t.Context(), text, ctxfold.OutputLimits{Lines: -1, Bytes: -1, Chars: -1, SpillChars: -1}, dir); err != nil || out.Changed {
			t.Errorf("%v: an output without limits was changed", err)
		}
	})
}
