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

// identifying lists substrings of header names that identify a client, such as keys, tokens, cookies, organizations and
// users. Gateways use their own header names, so names are matched by substring. A header that matches needlessly costs
// an extra compaction; a header that is missed would let a client get another client's digest.
var identifying = []string{"auth", "key", "token", "secret", "cookie", "organization", "project", "tenant", "account", "workspace", "user",
	"identity", "principal", "email", "consumer", "customer", "client-id", "org-id", "team", "portkey", "helicone", "cf-aig", "signature"}

// changing lists headers that match, although their values change with each request or don't identify a client.
var changing = []string{"User-Agent", "Idempotency-Key", "X-Idempotency-Key", "X-Portkey-Trace-Id", "X-Portkey-Span-Id", "X-Portkey-Span-Name",
	"X-Portkey-Request-Timeout", "Helicone-Request-Id", "Sec-Websocket-Key", "X-Amz-Security-Token-Date"}

// credentialParameters lists query parameters that identify a client.
var credentialParameters = []string{"key", "api-key", "api_key", "subscription-key", "access_token"}

// members lists the members of a body that name the client's user.
var members = []string{"user", "safety_identifier", "metadata.user_id"}

// Credentials distinguishes owners by the credentials in a request. It returns a hash of all headers with keys, tokens,
// cookies, organizations, projects or users, and of keys in the query. If a request has none of these, its connection is
// the owner, so that clients without a key share nothing. A client whose key changes, for example because its token is
// valid for an hour, becomes another owner.
func Credentials(r *http.Request) string {
	sum := sha256.New()
	if !credentials(sum, r) {
		fmt.Fprintf(sum, "connection %q %q %q\n", r.RemoteAddr, r.Header.Values("X-Forwarded-For"), r.Header.Values("Forwarded"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// SharedCredentials is like [Credentials], but clients without a key share remembered compactions. It is for clients that
// belong together, such as all clients on one user's machine.
func SharedCredentials(r *http.Request) string {
	sum := sha256.New()
	credentials(sum, r)
	return hex.EncodeToString(sum.Sum(nil))
}

// credentials writes the credentials of a request to w. any is false if the request has none.
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

// ownerOf returns the owner of a request's conversation. If the program has set Owner, that function decides. Otherwise
// the owner depends on the credentials, the user named in the body, and the system prompt. The system prompt is ignored if
// the client names its conversation, so that it may contain retrieved text that changes with each request. That name is
// always part of the owner.
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

// steadyRunes is how much of a system prompt is used to identify the conversation's owner, in runes. Apps usually put text that changes
// with each request at the end.
const steadyRunes = 500

// steady returns the beginning of a system prompt without words that may depend on the time: words with digits, and the
// names of days, months and times of day.
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

// system returns the system prompt of a request in any of the APIs, as JSON, or "" if there is none.
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
