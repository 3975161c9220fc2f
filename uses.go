package ctxfold

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"github.com/ctxfold/ctxfold/api"
)

// Next describes the next call of a model, and the provider's prompt cache.
type Next struct {
	// Model and Provider identify who is called, by any names. If the last call of the conversation went to another one, the cache is cold.
	// If Model is empty, Fit reads it from the request body or the policy.
	Model, Provider string

	// Idle is the time since the last call of the conversation, for a program that knows it better. Zero is measured, from the last call
	// seen by this Compactor or by a replica that shares its Records. The first one isn't idle.
	Idle time.Duration

	// Cold says why the cache is cold, for a program that knows. It overrides what is measured.
	Cold api.Cold
}

// longestIdle is the longest idle time that core accepts. A wrong clock may measure more.
const longestIdle = 1_000_000_000 * time.Second

// options adds what is known of the prompt cache to a call's options.
func (n Next) options(o *api.Options, last use, now time.Time) {
	o.Idle, o.Cold = n.Idle.Seconds(), n.Cold
	if o.Idle == 0 && last.Time != 0 {
		o.Idle = min(max(0, now.Sub(time.Unix(last.Time, 0))), longestIdle).Seconds()
	}
	switch {
	case o.Cold != "":
	case differ(n.Provider, last.Provider):
		o.Cold = api.ColdProvider
	case differ(n.Model, last.Model):
		o.Cold = api.ColdModel
	}
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }

// use is the last call of a conversation. The zero value is none.
//
//easyjson:json
type use struct {
	Version int `json:"version"`
	// Time is in seconds since 1970: a clock that runs while the machine sleeps.
	Time     int64  `json:"time"`
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
}

func (n Next) use(now time.Time) use {
	return use{Version: recordVersion, Time: now.Unix(), Model: n.Model, Provider: n.Provider}
}

// uses are the last calls of conversations, by the key of the history that was sent. It forgets the oldest calls.
type uses struct {
	mu           sync.Mutex
	newer, older map[string]use
}

// maxUses is the number of calls known at most; at least half as many are. A forgotten call doesn't count as idle.
const maxUses = 8192

// last returns the newest call of the longest known beginning of a history.
func (u *uses) last(keys []string) use {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, key := range keys {
		for _, known := range []map[string]use{u.newer, u.older} {
			if last, ok := known[key]; ok {
				return last
			}
		}
	}
	return use{}
}

func (u *uses) note(key string, last use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.newer == nil || len(u.newer) >= maxUses {
		u.newer, u.older = map[string]use{}, u.newer
	}
	u.newer[key] = last
}

// useKeys returns the keys under which shared records keep the calls.
func useKeys(keys []string) []string {
	own := make([]string, len(keys))
	for i, key := range keys {
		sum := sha256.Sum256([]byte("use " + key))
		own[i] = hex.EncodeToString(sum[:])
	}
	return own
}

// last returns the last call of a history. Replicas learn of each other's calls from their records.
func (h *history) last(ctx context.Context) (last use) {
	if h.c.remembers.near == nil {
		return h.c.uses.last(h.keys)
	}
	record, _, err := h.c.remembers.find(ctx, useKeys(h.keys))
	if err != nil || record == nil || unmarshal("record", record, &last) != nil {
		return use{}
	}
	var shared remembered
	switch {
	case last.Version == recordVersion:
		return last
	case last.Version == jobVersion && unmarshal("record", record, &shared) == nil && len(shared.Calls) > 0:
		call := shared.Calls[len(shared.Calls)-1]
		return use{Version: recordVersion, Time: call.Time / 1000, Model: call.Model, Provider: call.Provider}
	}
	return use{}
}

// note notes that the history is sent now.
func (h *history) note(ctx context.Context) {
	last := h.in.Next.use(h.c.now())
	if h.c.remembers.near == nil {
		h.c.uses.note(h.keys[0], last)
		return
	}
	_ = h.c.remembers.keep(context.WithoutCancel(ctx), useKeys(h.keys[:1]), marshal(last)) // a call that isn't stored is unknown later
}

// chills reports whether a policy has gate.idle, which no preset has.
func chills(p *Policy) bool {
	if p.Raw == nil {
		return p.Gate.Idle > 0
	}
	var of struct {
		Gate struct {
			Idle int `json:"idle"`
		} `json:"gate"`
	}
	return json.Unmarshal(p.Raw, &of) == nil && of.Gate.Idle > 0
}
