package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// identifying are parts of the names of headers that say who asks: keys, tokens, cookies, organizations, users. Gateways have names of their
// own for these, so a name is judged by what it contains. A header too many costs a compaction, one too few shares a digest.
var identifying = []string{"auth", "key", "token", "secret", "cookie", "organization", "project", "tenant", "account", "workspace", "user",
	"identity", "principal", "email", "consumer", "customer", "client-id", "org-id", "team", "portkey", "helicone", "cf-aig", "signature"}

// changing are headers with such a name whose value is another one with each request, or says nothing of who asks.
var changing = []string{"User-Agent", "Idempotency-Key", "X-Idempotency-Key", "X-Portkey-Trace-Id", "X-Portkey-Span-Id", "X-Portkey-Span-Name",
	"X-Portkey-Request-Timeout", "Helicone-Request-Id", "Sec-Websocket-Key", "X-Amz-Security-Token-Date"}

// credentialParameters are those of the query.
var credentialParameters = []string{"key", "api-key", "api_key", "subscription-key", "access_token"}

// members are those of a body that name the user for whom a client asks.
var members = []string{"user", "safety_identifier", "metadata.user_id"}

// Credentials tells owners apart by what identifies a client: a hash of all headers with keys, tokens, cookies, organizations, projects or
// users, and of keys in the query. A request without any has the owner of its connection, so that clients without a key share nothing. An
// owner whose key changes, such as a token that is good for an hour, is another one.
func Credentials(r *http.Request) string {
	sum := sha256.New()
	if !credentials(sum, r) {
		fmt.Fprintf(sum, "connection %q %q %q\n", r.RemoteAddr, r.Header.Values("X-Forwarded-For"), r.Header.Values("Forwarded"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// SharedCredentials is Credentials for clients without a key that all belong together, such as those of one user's own machine: they share
// what is remembered.
func SharedCredentials(r *http.Request) string {
	sum := sha256.New()
	credentials(sum, r)
	return hex.EncodeToString(sum.Sum(nil))
}

// credentials writes what identifies a client, and reports whether there is anything.
func credentials(w io.Writer, r *http.Request) (any bool) {
	var names []string
	for name := range r.Header {
		lower := strings.ToLower(name)
		if !slices.Contains(changing, name) && slices.ContainsFunc(identifying, func(part string) bool { return strings.Contains(lower, part) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(w, "%s %q\n", name, r.Header.Values(name))
		any = true
	}
	query := r.URL.Query()
	for _, name := range credentialParameters {
		if values := query[name]; len(values) > 0 {
			fmt.Fprintf(w, "?%s %q\n", name, values)
			any = true
		}
	}
	return any
}

// ownerOf is whose conversation a request belongs to. With an Owner of its own the program decides; otherwise the user whom the body names counts
// too, and the system prompt, unless the client names its conversation: what it retrieves for the system prompt may then change with each request.
func (p *Proxy) ownerOf(r *http.Request, at *route, body []byte) string {
	own := p.Owner != nil && !p.ShareAnonymous
	who := Credentials
	if p.Owner != nil {
		who = p.Owner
	}
	owner := who(r)
	if !own {
		sum := sha256.New()
		for _, name := range members {
			fmt.Fprintf(sum, "%s %q\n", name, gjson.GetBytes(body, name).Raw)
		}
		if r.Header.Get(HeaderConversation) == "" {
			fmt.Fprintf(sum, "system %q\n", steady(at.system(body)))
		}
		owner += hex.EncodeToString(sum.Sum(nil))
	}
	return owner + "\x00" + r.Header.Get(HeaderConversation)
}

// steadyRunes is how much of a system prompt counts. What apps change with each request is usually at its end.
const steadyRunes = 500

// steady is the beginning of a system prompt without what a clock changes in it: words with digits, names of days and months.
func steady(prompt string) string {
	if runes := []rune(prompt); len(runes) > steadyRunes {
		prompt = string(runes[:steadyRunes])
	}
	words := strings.Fields(prompt)
	words = slices.DeleteFunc(words, func(word string) bool {
		return strings.ContainsAny(word, "0123456789") || slices.Contains(clockWords, strings.ToLower(strings.Trim(word, ".,;:()")))
	})
	return strings.Join(words, " ")
}

var clockWords = strings.Fields(`monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april may
	june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec am pm utc gmt morning afternoon evening night`)

// system is the system prompt of a request, wherever its API has it.
func (at *route) system(body []byte) string {
	for _, name := range []string{"system", "instructions", "systemInstruction", "system_instruction"} {
		if v := gjson.GetBytes(body, name); v.Exists() && v.Type != gjson.Null {
			return v.Raw
		}
	}
	first := gjson.GetBytes(body, at.list+".0")
	if role := first.Get("role").String(); role == "system" || role == "developer" {
		return first.Get("content").Raw
	}
	return ""
}
