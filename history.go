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

// history is a history that a program has given, in one call.
type history struct {
	c      *Compactor
	in     Input
	asked  api.Options // with the window for which a compaction is forced, and what the provider has counted
	key    func(print string) string
	keys   []string      // of the whole history, of all messages but the last one, and so on
	tries  int           // how often the model has failed before
	paused bool          // it has failed just before, and is not asked
	behind *background   // the compaction of its beginning in the background
	edited []*background // those of messages that it has edited, which are cancelled
	lease  lease
}

// history takes the prints of a history.
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

// keep keeps a record. What cannot be kept costs another compaction, and not this one. It reports false where the lease has ended, so
// that another replica may have compacted the history.
func (h *history) keep(ctx context.Context, r *remembered, keys ...string) bool {
	record := marshal(r)
	ctx = context.WithoutCancel(ctx) // the compaction is paid for, so it is kept although the caller may have gone
	if h.lease.holder != "" {
		return h.c.remembers.keepLeased(ctx, h.keys[0], h.lease.holder, keys, record)
	}
	_ = h.c.remembers.keep(ctx, keys, record)
	return true
}

// remembered is a record of [Records].
//
//easyjson:json
type remembered struct {
	Version int `json:"version"`
	// Entry is what fit has answered as memory. Without one there is only Degraded: the model failed, and nothing was done.
	Entry    json.RawMessage `json:"entry,omitempty"`
	Degraded *degraded       `json:"degraded,omitempty"`
}

// degraded says that the model failed when a compaction was made, so that it should be made again.
type degraded struct {
	// Tries is how often the model has failed, and Again when to ask it again, in seconds since 1970.
	Tries int   `json:"tries"`
	Again int64 `json:"again"`
	// Window is the window that the compaction was forced for, in tokens; 0 is the policy's.
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
}

// known is what is remembered of a beginning of the history.
type known struct {
	remembered
	covered
	at      int  // of its key
	history bool // it is the history's beginning, and not what was sent for it
}

const recordVersion = 2

// find finds the longest beginning of the history that is remembered, not counting the keys before at. A record that cannot be
// read is as good as none.
func (h *history) find(ctx context.Context, at int) *known {
	for at < len(h.keys) {
		record, n, err := h.c.remembers.find(ctx, h.keys[at:])
		if err != nil || record == nil {
			return nil
		}
		at += n
		k := &known{at: at}
		if unmarshal("record", record, &k.remembered) == nil && k.Version == recordVersion {
			if k.pause() {
				return k
			}
			if unmarshal("record", k.Entry, &k.covered) == nil {
				k.history = h.key(k.Print) == h.keys[at]
				return k
			}
		}
		at++
	}
	return nil
}

// pause tells that nothing was compacted, because the model failed and the policy wants no other digest.
func (k *known) pause() bool { return k != nil && k.Degraded != nil && len(k.Entry) == 0 }

// stale tells that a compaction was made while the model failed, and that the history still has what it was made of.
func (k *known) stale() bool { return k != nil && k.Degraded != nil && len(k.Entry) > 0 && k.history }

// due tells that it is time to ask the model again.
func (k *known) due(now time.Time) bool { return k.stale() && now.Unix() >= k.Degraded.Again }

// result is the result of an answer that was made over what is known.
func (k *known) result(a *api.Planned) *Result {
	r := &Result{Messages: a.Messages, Edits: a.Edits, State: a.State, Report: a.Report, Changed: a.Report.Changed,
		Reason: a.Report.Reason, Archive: a.Archive}
	if k != nil && k.history && a.Known != nil && *a.Known >= 0 {
		r.Known = k.Messages
	}
	return r
}
