package proxy

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// HeaderSearch is a request header with which a client searches its conversation, including messages that are no longer
// sent to the endpoint. The client sends the same request as for the next turn, with a header such as
// "query=Where+does+Ines+live%3F&limit=5". The proxy does not forward it, but responds with the results of
// [ctxfold.Compactor.SearchBodies] for its messages. The value is form-encoded, with query, limit, role, after and before.
const HeaderSearch = "Ctxfold-Search"

// search responds to a request with [HeaderSearch]. It searches only the request's own messages, so clients only find
// messages that they have sent.
func (p *Proxy) search(w http.ResponseWriter, r *http.Request, c *call, at *route, body []byte) {
	list := gjson.GetBytes(body, at.list)
	if !json.Valid(body) || !list.IsArray() {
		p.refuse(w, c, http.StatusBadRequest, "there is nothing to search: the request has no list of messages")
		return
	}
	form, err := url.ParseQuery(r.Header.Get(HeaderSearch))
	if err != nil {
		p.refuse(w, c, http.StatusBadRequest, HeaderSearch+" is no form: "+err.Error())
		return
	}
	q := ctxfold.SearchQuery{Text: form.Get("query"), After: form.Get("after"), Before: form.Get("before")}
	for _, role := range form["role"] {
		q.Roles = append(q.Roles, api.Role(role))
	}
	if limit := form.Get("limit"); limit != "" {
		if q.Limit, err = strconv.Atoi(limit); err != nil || q.Limit < 1 {
			p.refuse(w, c, http.StatusBadRequest, HeaderSearch+": limit must be from 1 to 100")
			return
		}
	}
	found, err := p.Compactor.SearchBodies(r.Context(), []api.Kept{{Text: list.Raw}}, q)
	var e *ctxfold.Error
	switch {
	case errors.As(err, &e):
		p.refuse(w, c, http.StatusBadRequest, HeaderSearch+": "+e.Message)
	case err != nil:
		p.refuse(w, c, http.StatusServiceUnavailable, "the conversation could not be searched")
	default:
		w.Header().Set("Content-Type", "application/json")
		p.count(c, http.StatusOK)
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(found.Raw) // the client may have disconnected
	}
}
