package proxy_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/host/proxy"
	"github.com/ctxfold/ctxfold/internal/testing/provider"
)

// TestSearch searches the messages that a client sends, without a request to the endpoint.
func TestSearch(t *testing.T) {
	e := &provider.Endpoint{}
	base := serve(t, e, proxy.Options{})
	const list = `[{"role":"user","content":"Hello"},{"role":"user","content":"Ines lives in Évora."},{"role":"user","content":"And now?"}]`
	ask := func(path, body, form string) (int, string) {
		t.Helper()
		r, _ := http.NewRequest(http.MethodPost, base+path, strings.NewReader(body))
		r.Header.Set(proxy.HeaderSearch, form)
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		text, _ := io.ReadAll(a.Body)
		return a.StatusCode, string(text)
	}
	for path, body := range map[string]string{"/v1/chat/completions": `{"model":"m","messages":` + list + `}`, "/v1/responses": `{"model":"m","input":` + list + `}`,
		"/v1/messages": `{"model":"m","max_tokens":9,"messages":` + list + `}`} {
		status, text := ask(path, body, "query=Where+does+Ines+live%3F&limit=1&role=user")
		var a api.Found
		if err := json.Unmarshal([]byte(text), &a); err != nil || status != http.StatusOK || len(a.Results) != 1 || a.Results[0].Index != 1 ||
			a.Results[0].Snippet != "Ines lives in Évora." {
			t.Errorf("%s: %v, %d %s", path, err, status, text)
		}
	}
	for form, want := range map[string]string{"query=%3F": "no word", "limit=3": "no word", "query=x&limit=0": "limit must be", "query=x&limit=101": "limit must be",
		"query=x&role=boss": "a role must be", "query=%zz": "is no form"} {
		if status, text := ask("/v1/chat/completions", `{"messages":`+list+`}`, form); status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s, want %q", form, status, text, want)
		}
	}
	for _, body := range []string{`{"messages":"x"}`, `{`, ``} {
		if status, text := ask("/v1/chat/completions", body, "query=x"); status != http.StatusBadRequest || !strings.Contains(text, "nothing to search") {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
}
