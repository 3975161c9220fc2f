package ctxfold_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/host"
)

// folded compacts a chat three times and returns the result with its state.
func folded(t *testing.T, c *ctxfold.Compactor, s ctxfold.Store) ctxfold.Input {
	t.Helper()
	var list []string
	for n := range 60 {
		text := fmt.Sprintf("Message %d is about nothing much, and goes on for a while so that there is something to fold away.", n)
		switch n {
		case 7:
			text = "My sister Ines keeps bees on the roof in Coimbra."
		case 33:
			text = "[2024-03-09] The boat is called Andorinha."
		}
		list = append(list, fmt.Sprintf(`{"role":%q,"content":%q}`, []string{"user", "assistant"}[n%2], text))
	}
	in := ctxfold.Input{Store: s, Format: "openai-chat", Force: true,
		Policy: ctxfold.RawPolicy(`{"window":{"tokens":100000},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":60}]}`)}
	for _, n := range []int{20, 40, 60} {
		if in.Messages == nil {
			in.Messages = json.RawMessage("[" + strings.Join(list[:n], ",") + "]")
		} else {
			in.Messages = json.RawMessage(strings.TrimSuffix(string(in.Messages), "]") + "," + strings.Join(list[n-20:n], ",") + "]")
		}
		r, err := c.CompactWith(context.Background(), in, nil)
		if err != nil || !r.Report.Changed {
			t.Fatalf("%v, %+v", err, r)
		}
		in.Messages, in.State = r.Messages, r.State
	}
	in.Force = false
	return in
}

// TestSearch finds messages that three consecutive compactions have folded, one inside the other, and nothing else.
func TestSearch(t *testing.T) {
	ctx := context.Background()
	c := open(t, host.Options{})
	store := ctxfold.NewMemoryStore(0)
	in := folded(t, c, store)
	other := `[{"role":"user","content":"Somebody else keeps bees in Coimbra."}]`
	if err := store.Put(ctx, handleOf(other), []byte(other)); err != nil {
		t.Fatal(err)
	}
	a, err := c.Search(ctx, in, store, ctxfold.SearchQuery{Text: "Where does Ines keep her bees?"})
	if err != nil || len(a.Results) == 0 || len(a.Results) > 10 || len(a.Searched.Missing) > 0 || a.Searched.Bodies < 3 {
		t.Fatalf("%v, %+v", err, a)
	}
	if r := a.Results[0]; r.Role != "assistant" || !strings.Contains(r.Snippet, "bees on the roof in Coimbra") {
		t.Errorf("found %+v", r)
	}
	if strings.Contains(string(a.Raw), "Somebody else") {
		t.Error("a body of another conversation was searched")
	}
	a, err = c.Search(ctx, in, store, ctxfold.SearchQuery{Text: "boat", Limit: 1, Roles: []api.Role{api.RoleAssistant}, After: "2024-03", Before: "2024"})
	if err != nil || len(a.Results) != 1 || a.Results[0].Date != "2024-03-09" {
		t.Errorf("%v, %+v", err, a)
	}
	from := a.Results[0].Handle
	a, err = c.Search(ctx, in, store, ctxfold.SearchQuery{Text: "bees", Handles: []string{from, strings.Repeat("0", 16)}})
	if err != nil || a.Searched.Bodies != 1 || !slices.Contains(a.Searched.Missing, strings.Repeat("0", 16)) {
		t.Errorf("%v, %+v", err, a)
	}
	var e *ctxfold.Error
	if _, err := c.Search(ctx, in, store, ctxfold.SearchQuery{Text: "…"}); !errors.As(err, &e) || e.Code != "empty_query" {
		t.Errorf("%v, want empty_query", err)
	}
	if _, err := c.Search(ctx, in, store, ctxfold.SearchQuery{Text: "x", Limit: 101}); !errors.As(err, &e) || e.Code != "out_of_range" || e.Path != "limit" {
		t.Errorf("%v, want out_of_range", err)
	}
	a, err = c.Search(ctx, in, ctxfold.NewMemoryStore(0), ctxfold.SearchQuery{Text: "bees"})
	if err != nil || len(a.Results) != 0 || len(a.Searched.Missing) == 0 {
		t.Errorf("an empty store: %v, %+v", err, a)
	}
}

// TestNoStore passes no store to the methods that read one.
func TestNoStore(t *testing.T) {
	c, ctx := ctxfold.New(ctxfold.Options{}), t.Context()
	in := ctxfold.Input{Messages: json.RawMessage(`[{"role":"user","content":"Count the bees."}]`)}
	_, restored := c.Restore(ctx, in, nil)
	_, searched := c.Search(ctx, in, nil, ctxfold.SearchQuery{Text: "bees"})
	_, recalled := c.Recall(ctx, nil, "openai-chat", json.RawMessage(`{"handle":"0123456789abcdef"}`))
	for name, err := range map[string]error{"Restore": restored, "Search": searched, "Recall": recalled} {
		if !errors.Is(err, ctxfold.ErrStore) || !strings.Contains(err.Error(), "NewMemoryStore") {
			t.Errorf("%s: %v, want ErrStore and what to pass", name, err)
		}
	}
}

// TestRecallByQuery answers calls of the tool that search by a query.
func TestRecallByQuery(t *testing.T) {
	ctx := context.Background()
	c := open(t, host.Options{})
	store := ctxfold.NewMemoryStore(0)
	in := folded(t, c, store)
	call := json.RawMessage(`"{\"query\":\"bees in Coimbra\"}"`)
	said, err := c.Recall(ctx, store, "openai-chat", call, in)
	if err != nil || !strings.Contains(said, "bees on the roof in Coimbra") || !strings.Contains(said, "\nhandle ") {
		t.Fatalf("%v, %q", err, said)
	}
	var from string
	var message int
	at := said[strings.Index(said, "\nhandle ")+1:]
	if _, err := fmt.Sscanf(at, "handle %s message %d,", &from, &message); err != nil {
		t.Fatalf("%v, %q", err, at)
	}
	said, err = c.Recall(ctx, store, "openai-chat", json.RawMessage(fmt.Sprintf(`{"handle":%q,"message":%d}`, from, message)))
	if err != nil || !strings.Contains(said[:min(len(said), 80)], "My sister Ines") {
		t.Errorf("%v, %q", err, said)
	}
	if said, err := c.Recall(ctx, store, "openai-chat", call); err != nil || !strings.HasPrefix(said, "Nothing can be searched here") {
		t.Errorf("%v, %q", err, said)
	}
	v, err := c.Conversation(ctx, ctxfold.ConversationOptions{Messages: in.Messages, State: in.State, Format: in.Format, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close(ctx)
	if said, err := v.Recall(ctx, call); err != nil || !strings.Contains(said, "bees on the roof") {
		t.Errorf("%v, %q", err, said)
	}
	if a, err := v.Search(ctx, ctxfold.SearchQuery{Text: "bees"}); err != nil || len(a.Results) == 0 {
		t.Errorf("%v, %+v", err, a)
	}
}

// searcher is a store with its own search.
type searcher struct {
	ctxfold.Store
	asked ctxfold.SearchQuery
	err   error
}

func (s *searcher) Search(_ context.Context, q ctxfold.SearchQuery) (*api.Found, error) {
	s.asked = q
	if s.err != nil {
		return nil, s.err
	}
	return &api.Found{Results: []api.FoundMessage{{Handle: strings.Repeat("a", 16), Role: "user", Snippet: "from the <conversation> index"}}}, nil
}

func TestSearcher(t *testing.T) {
	ctx := context.Background()
	c := open(t, host.Options{})
	s := &searcher{Store: ctxfold.NewMemoryStore(0)}
	in := folded(t, c, s)
	a, err := c.Search(ctx, in, s, ctxfold.SearchQuery{Text: "bees", Limit: 3})
	if err != nil || len(a.Results) != 1 || s.asked.Limit != 3 || len(s.asked.Handles) == 0 {
		t.Fatalf("%v, %+v, asked %+v", err, a, s.asked)
	}
	said, err := c.Recall(ctx, s, "openai-chat", json.RawMessage(`{"query":"bees"}`))
	if err != nil || !strings.Contains(said, "from the ‹conversation> index") {
		t.Errorf("%v, %q", err, said)
	}
	s.err = errors.New("the index is away")
	if _, err := c.Search(ctx, in, s, ctxfold.SearchQuery{Text: "bees"}); !errors.Is(err, ctxfold.ErrStore) || !errors.Is(err, s.err) {
		t.Errorf("%v, want ErrStore", err)
	}
}
