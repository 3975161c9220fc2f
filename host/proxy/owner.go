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

// identifying are parts of the names of headers that identify a client: keys, tokens, cookies, organizations, users.
// Gateways use their own names for these, so names are matched by substring. A header too many costs an extra
// compaction; one too few would share a digest with another client.
var identifying = []string{"auth", "key", "token", "secret", "cookie", "organization", "project", "tenant", "account", "workspace", "user",
	"identity", "principal", "email", "consumer", "customer", "client-id", "org-id", "team", "portkey", "helicone", "cf-aig", "signature"}

// changing are headers whose names match although their values change with each request or don't identify a client.
var changing = []string{"User-Agent", "Idempotency-Key", "X-Idempotency-Key", "X-Portkey-Trace-Id", "X-Portkey-Span-Id", "X-Portkey-Span-Name",
	"X-Portkey-Request-Timeout", "Helicone-Request-Id", "Sec-Websocket-Key", "X-Amz-Security-Token-Date"}

// credentialParameters are the same in the query.
var credentialParameters = []string{"key", "api-key", "api_key", "subscription-key", "access_token"}

// members are the members of a body that name the client's user.
var members = []string{"user", "safety_identifier", "metadata.user_id"}

// Credentials distinguishes owners by what identifies a client: a hash of all headers with keys, tokens, cookies,
// organizations, projects or users, and of keys in the query. Requests without any of these belong to the owner of
// their connection, so that clients without a key share nothing. A client whose key changes, such as a token that is
// valid for an hour, becomes another owner.
func Credentials(r *http.Request) string {
	sum := sha256.New()
	if !credentials(sum, r) {
		fmt.Fprintf(sum, "connection %q %q %q\n", r.RemoteAddr, r.Header.Values("X-Forwarded-For"), r.Header.Values("Forwarded"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// SharedCredentials is Credentials for clients without a key that belong together, such as those on one user's machine:
// they share what is remembered.
func SharedCredentials(r *http.Request) string {
	sum := sha256.New()
	credentials(sum, r)
	return hex.EncodeToString(sum.Sum(nil))
}

// credentials writes what identifies a client, and reports whether there was anything.
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

// ownerOf returns the owner of a request's conversation. If the program has set Owner, that decides. Otherwise the user
// that the body names counts too, and so does the system prompt, unless the client names its conversation: text that it
// retrieves for the system prompt may then change with each request.
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

// steadyRunes is how much of a system prompt counts. Apps usually put what changes with each request at its end.
const steadyRunes = 500

// steady returns the beginning of a system prompt without words that depend on a clock: words with digits, names of
// days and months.
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

// system returns the system prompt of a request in any of the APIs.
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
