package ctxfold

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// history is the history of one call.
type history struct {
	c      *Compactor
	in     Input
	asked  api.Options // with the window of a forced compaction, and the provider's count
	key    func(print string) string
	keys   []string      // of all messages, of all but the last one, and so on
	tries  int           // how often the model has failed
	paused bool          // the model failed just now and isn't called
	behind *background   // the background compaction of its beginning
	edited []*background // those of messages that it has edited, which are cancelled
	lease  lease
	cut    int // how many messages the compaction replaces that is due; 0 where that is not known
}

// mark is the key of what the compaction replaces that is due. What follows is left out where that is not known: the newest messages are
// what apps change.
func (h *history) mark() string {
	n := len(h.keys)
	switch {
	case h.cut > 0 && h.cut <= n:
		return h.keys[n-h.cut]
	case n >= 2*volatile:
		return h.keys[volatile]
	}
	return h.keys[0]
}

// volatile is how many of the newest messages are expected to be others in the next call, at most half of them.
const volatile = 4

// replaces notes how many messages a compaction replaces.
func (h *history) replaces(a *api.Planned) {
	var c covered
	if h.cut = a.Report.CutPoint; len(a.Memory) > 0 && unmarshal("fit", a.Memory, &c) == nil {
		h.cut = c.Messages
	}
}

// history computes the prints of a history.
func (c *Compactor) history(ctx context.Context, in Input) (*history, error) {
	h := &history{c: c, in: in, lease: lease{free: c.remembers.shared == nil}}
	var err error
	if h.asked, err = in.options(ctx); err != nil {
		return nil, err
	}
	var p api.Prints
	if _, err := c.do(ctx, operations.OpPrints, &p, in.mending()); err != nil {
		return nil, err
	}
	h.in.Next.Model = cmp.Or(in.Next.Model, p.Model, in.Policy.Model)
	owner := sha256.Sum256([]byte(in.Owner))
	h.key = func(print string) string {
		sum := sha256.Sum256(append(owner[:], string(p.Format)+" "+print...))
		return hex.EncodeToString(sum[:])
	}
	for _, print := range slices.Backward(p.Prints) {
		h.keys = append(h.keys, h.key(print))
	}
	return h, nil
}

// answer runs the operation fit over what is known.
func (h *history) answer(ctx context.Context, o api.Options, known *known) (*api.Planned, error) {
	return h.run(ctx, operations.OpFit, known, h.in.Policy.member(), optionsMember(o))
}

// run runs an operation over what is known.
func (h *history) run(ctx context.Context, op operations.Op, known *known, members ...member) (*api.Planned, error) {
	var entry []byte
	if known != nil {
		entry = known.Entry
	}
	memory := member{operations.InMemory, slices.Concat([]byte("["), entry, []byte("]"))}
	return h.c.answer(ctx, op, newEnvelope(append(members, memory, messagesMember(h.in.Messages))...))
}

// keep stores a record. Failing to store it costs another compaction later. It returns false if the lease has ended, so that another replica
// may have compacted the history.
func (h *history) keep(ctx context.Context, r *remembered, keys ...string) bool {
	record := marshal(r)
	ctx = context.WithoutCancel(ctx) // the compaction is paid for, so it is stored even if the caller has left
	if h.lease.holder != "" {
		return h.c.remembers.keepLeased(ctx, h.lease.key, h.lease.holder, keys, record)
	}
	_ = h.c.remembers.keep(ctx, keys, record)
	return true
}

// remembered is a record of [Records].
//
//easyjson:json
type remembered struct {
	Version int `json:"version"`
	// Entry is the memory that fit returned. Without one there is only Degraded: the model failed, and nothing was done.
	Entry    json.RawMessage `json:"entry,omitempty"`
	Degraded *degraded       `json:"degraded,omitempty"`

	// Entries, Attempts and Calls are those of a record of version 3, as the jobs of the module write them (docs/inside/loop.md).
	Entries  []jobEntry `json:"entries,omitempty"`
	Attempts []jobTries `json:"attempts,omitempty"`
	Calls    []jobCall  `json:"calls,omitempty"`
}

// jobEntry is an entry of a record of version 3.
type jobEntry struct {
	Entry json.RawMessage `json:"entry"`
	jobTries
	Window    int  `json:"window"`
	NoReserve bool `json:"no_reserve"`
}

// jobTries says how often a model failed, and when to call it again, in milliseconds since 1970.
type jobTries struct {
	Tries int   `json:"tries"`
	Again int64 `json:"again"`
}

// jobCall is the last call of a model, with its time in milliseconds since 1970.
type jobCall struct {
	Time     int64  `json:"time"`
	Model    string `json:"model"`
	Provider string `json:"provider"`
}

// jobVersion is the version of the records that all hosts on jobs share.
const jobVersion = 3

// sharedByAll reads a record of version 3: its newest entry, or its newest attempt if that is all it has.
func (r *remembered) sharedByAll() bool {
	if r.Version != jobVersion {
		return false
	}
	tries := jobTries{}
	if n := len(r.Entries); n > 0 {
		e := r.Entries[n-1]
		r.Entry, tries = e.Entry, e.jobTries
		r.Degraded = &degraded{Window: e.Window, NoReserve: e.NoReserve}
	} else if n := len(r.Attempts); n > 0 {
		r.Degraded, tries = new(degraded), r.Attempts[n-1]
	}
	r.Version, r.Entries, r.Attempts, r.Calls = recordVersion, nil, nil, nil // if it is kept again, then in this form
	if r.Degraded == nil || tries.Tries == 0 {
		r.Degraded = nil
		return len(r.Entry) > 0
	}
	r.Degraded.Tries, r.Degraded.Again = tries.Tries, tries.Again/1000
	return true
}

// degraded means that the model failed during a compaction, which should be repeated.
type degraded struct {
	// Tries is how often the model has failed; Again is when to call it again, in seconds since 1970.
	Tries int   `json:"tries"`
	Again int64 `json:"again"`
	// Window is the window in tokens that the compaction was forced for; 0 means the policy's.
	Window    int  `json:"window,omitempty"`
	NoReserve bool `json:"no_reserve,omitempty"`
}

// covered is what is read of an entry.
//
//easyjson:json
type covered struct {
	Print        string `json:"print"`
	Sent         string `json:"sent"`
	Messages     int    `json:"messages"`
	SentMessages int    `json:"sent_messages"`
	Points       []struct {
		Messages int `json:"messages"`
	} `json:"points"`
	Given *covered `json:"given"`
}

// under returns the keys that the record of an entry is kept under.
func (h *history) under(c *covered) []string {
	keys := []string{h.key(c.Print), h.key(c.Sent)}
	if c.Given != nil {
		keys = append(keys, h.key(c.Given.Print))
	}
	return keys
}

// whole is how many messages the history had that was compacted.
func (c *covered) whole() int {
	if len(c.Points) > 0 {
		return c.Points[0].Messages
	}
	return c.Messages
}

// known is what is remembered of a beginning of the history.
type known struct {
	remembered
	covered
	at      int  // of its key
	history bool // it is the history's beginning, not what was sent for it
}

const recordVersion = 2

// find finds the longest remembered beginning of the history, ignoring the keys before at. An unreadable record counts as none.
func (h *history) find(ctx context.Context, at int) *known {
	for at < len(h.keys) {
		record, n, err := h.c.remembers.find(ctx, h.keys[at:])
		if err != nil || record == nil {
			return nil
		}
		at += n
		k := &known{at: at}
		if unmarshal("record", record, &k.remembered) == nil && (k.Version == recordVersion || k.sharedByAll()) {
			if k.pause() {
				return k
			}
			if unmarshal("record", k.Entry, &k.covered) == nil {
				k.history = h.key(k.Print) == h.keys[at]
				if g := k.Given; g != nil && h.key(g.Print) == h.keys[at] {
					k.history, k.Messages, k.Points = true, g.Messages, g.Points
				}
				return k
			}
		}
		at++
	}
	return nil
}

// pause reports whether nothing was compacted because the model failed and the policy wants no other digest.
func (k *known) pause() bool { return k != nil && k.Degraded != nil && len(k.Entry) == 0 }

// stale reports whether a compaction was made while the model failed and the history still has its messages.
func (k *known) stale() bool { return k != nil && k.Degraded != nil && len(k.Entry) > 0 && k.history }

// due reports whether it is time to call the model again.
func (k *known) due(now time.Time) bool { return k.stale() && now.Unix() >= k.Degraded.Again }

// result returns the result of an answer that was made over what is known.
func (k *known) result(a *api.Planned) *Result {
	r := &Result{Messages: a.Messages, Edits: a.Edits, State: a.State, Report: a.Report, Changed: a.Report.Changed,
		Reason: a.Report.Reason, Archive: a.Archive}
	if k != nil && k.history && a.Known != nil && *a.Known >= 0 {
		r.Known = k.Messages
	}
	return r
}
