package functions

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/policy"
)

// blockArguments are those of compaction_block; the defaults are those of S0.42.
//
//easyjson:json
type blockArguments struct {
	KeepFirstTurns   int        `json:"keep_first_turns"`
	KeepRecentTurns  int        `json:"keep_recent_turns"`
	MaxSummaryTokens int        `json:"max_summary_tokens"`
	MaxLines         int        `json:"tool_output_max_lines"`
	FocusMessage     *string    `json:"focus_message"`
	Newest           bool       `json:"is_most_recent"`
	CreatedAt        policy.Raw `json:"created_at"`
	// Sections are those that the host has made itself (S0.50): each takes the place of ours, null that of nothing.
	Sections policy.Raw `json:"sections"`
}

// contextArguments are those of session_context.
//
//easyjson:json
type contextArguments struct {
	blockArguments
	Loops   []loopArgument `json:"loops"`
	Current string         `json:"current"`
	// Scope is how many loops before the newest are looked at; below 0 as many as fit in Budget.
	Scope   int         `json:"scope"`
	Budget  int         `json:"max_context_tokens"`
	Compact bool        `json:"compact"`
	Blocks  []loopBlock `json:"blocks"`
}

type loopArgument struct {
	ID       string `json:"id"`
	Parent   string `json:"parent"`
	Messages int    `json:"messages"`
}

// loopBlock is the block of a loop.
type loopBlock struct {
	Loop  string         `json:"loop"`
	Block *compact.Block `json:"block"`
}

// contextResult is the result of session_context.
//
//easyjson:json
type contextResult struct {
	Chain   []string     `json:"chain"`
	Blocks  []loopBlock  `json:"blocks"`
	Context []policy.Raw `json:"context"`
	Events  []loopEvent  `json:"events"`
}

// loopEvent is what an application is told of a compaction of loops (S0.49). The counts are of what the model is shown.
type loopEvent struct {
	Type         string     `json:"type"` // "compaction_started" or "compaction_ended"
	Loop         string     `json:"loop_id"`
	Tokens       int        `json:"estimated_tokens"`
	Messages     int        `json:"message_count"`
	TokensAfter  int        `json:"estimated_tokens_after,omitempty"`
	MessageAfter int        `json:"messages_after,omitempty"`
	Loops        int        `json:"loops_compacted,omitempty"`
	Timestamp    policy.Raw `json:"timestamp"`
}

// turnMap is the result of turn_map. A range that there is not is empty: its end is before its start.
//
//easyjson:json
type turnMap struct {
	Turns  int      `json:"turn_count"`
	Groups [][2]int `json:"groups"`
	Ranges [][2]int `json:"ranges"`
}

//easyjson:json
type rangeArguments struct {
	Ranges [][2]int `json:"ranges"`
}

func blockDefaults() blockArguments {
	return blockArguments{KeepFirstTurns: 2, KeepRecentTurns: 10, MaxSummaryTokens: 2000, MaxLines: 50, Newest: true,
		CreatedAt: policy.Raw("null")}
}

func (a *blockArguments) config(safe bool) (compact.BlockConfig, *Error) {
	for _, n := range []struct {
		name  string
		value int
	}{{"keep_first_turns", a.KeepFirstTurns}, {"keep_recent_turns", a.KeepRecentTurns},
		{"max_summary_tokens", a.MaxSummaryTokens}, {"tool_output_max_lines", a.MaxLines}} {
		if n.value < 0 || n.value > policy.MaxTokens {
			return compact.BlockConfig{}, outOfRange(n.name, "must be from 0 to 1,000,000,000")
		}
	}
	if a.FocusMessage != nil && safe { // S0.48: it is declared, and nothing looks at it
		return compact.BlockConfig{}, outOfRange("focus_message", "has no effect on lines; have a model write keep_compacted, with summary.instructions")
	}
	return compact.BlockConfig{KeepFirstTurns: a.KeepFirstTurns, KeepRecentTurns: a.KeepRecentTurns,
		MaxSummaryTokens: a.MaxSummaryTokens, MaxLines: a.MaxLines}, nil
}

// finish puts the host's sections into a block.
func (a *blockArguments) finish(b *compact.Block) *Error {
	b.CreatedAt = a.CreatedAt
	if !a.Sections.IsDefined() {
		return nil
	}
	s := jsonspan.New(a.Sections)
	if s.Kind() != jsonspan.Object {
		return &Error{Code: jsonspan.WrongType, At: "sections", Message: "sections must be an object"}
	}
	section := func(at string, raw policy.Raw, to **compact.Section) *Error {
		if *to = nil; string(raw) == "null" {
			return nil
		}
		*to = &compact.Section{}
		return decodeAt(at, raw, *to)
	}
	for s.Object(); ; {
		key, ok := s.Key()
		if !ok {
			return s.Err()
		}
		name := string(key)
		at, raw := "sections."+name, policy.Raw(s.Skip().Of(a.Sections))
		var err *Error
		switch name {
		case "keep_first":
			if b.KeepFirst = nil; string(raw) != "null" {
				b.KeepFirst = &compact.TurnRange{}
				err = decodeAt(at, raw, b.KeepFirst)
			}
		case "keep_recent":
			err = section(at, raw, &b.KeepRecent)
		case "keep_compacted":
			err = section(at, raw, &b.KeepCompacted)
		default:
			err = &Error{Code: policy.UnknownField, At: at, Message: "there is no such section: " + name}
		}
		if err != nil {
			return err
		}
	}
}

// decodeAt decodes an argument that stands at a path.
func decodeAt(at string, raw policy.Raw, v policy.Unmarshaler) *Error {
	err := policy.Decode(raw, v)
	if err != nil {
		err.At, err.Offset = at, 0
	}
	return err
}

func (c *Call) input() compact.Input {
	return compact.Input{Transcript: c.Transcript, Format: c.Format, Estimator: c.Estimator, Policy: c.Policy, State: c.State,
		N: len(c.Transcript.Messages)}
}

func init() {
	register("turn_map", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var a rangeArguments
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		turns := compact.Turns(c.Transcript, 0, len(c.Transcript.Messages))
		r := turnMap{Turns: len(turns)}
		for _, turn := range turns {
			r.Groups = append(r.Groups, [2]int{turn[0], turn[1] - 1})
		}
		for _, span := range a.Ranges {
			messages := [2]int{0, -1}
			if span[0] >= 0 && span[0] <= span[1] && span[1] < len(turns) {
				messages = [2]int{turns[span[0]][0], turns[span[1]][1] - 1}
			}
			r.Ranges = append(r.Ranges, messages)
		}
		return object(dst, &r), nil
	})
	register("compaction_block", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		a := blockDefaults()
		if err := c.arguments(&a); err != nil {
			return nil, err
		}
		config, err := a.config(c.Policy.Safe())
		if err != nil {
			return nil, err
		}
		b := compact.NewBlocks(c.input()).Make(0, len(c.Transcript.Messages), a.Newest, config)
		if err := a.finish(&b); err != nil {
			return nil, err
		}
		return object(dst, &b), nil
	})
	register("session_context", Messages, sessionContext)
}

// sessionContext is what the model is shown of a session of several loops, whose messages follow each other (S0.45).
func sessionContext(c *Call, dst []byte) ([]byte, *Error) {
	a := contextArguments{blockArguments: blockDefaults(), Scope: 3}
	if err := c.arguments(&a); err != nil {
		return nil, err
	}
	config, err := a.config(c.Policy.Safe())
	if err != nil {
		return nil, err
	}
	var loops []compact.Loop
	at := 0
	for _, l := range a.Loops {
		if l.Messages < 0 || l.Messages > len(c.Transcript.Messages)-at {
			return nil, outOfRange("loops", "have more messages than there are")
		}
		loops = append(loops, compact.Loop{ID: l.ID, Parent: l.Parent, From: at, To: at + l.Messages})
		at += l.Messages
	}
	maker := compact.NewBlocks(c.input())
	chain := compact.Chain(loops, a.Current)
	scope := maker.InScope(chain, a.Scope, a.Budget)
	blocks := a.given(chain)
	shown := func() ([]policy.Raw, *Error) {
		list, ok := maker.Context(chain, scope, blocks)
		if !ok {
			return nil, outOfRange("blocks", "hold what is no message of the format")
		}
		return list, nil
	}
	var r contextResult
	for _, l := range chain {
		r.Chain = append(r.Chain, l.ID)
	}
	if r.Context, err = shown(); err != nil {
		return nil, err
	}
	if len(chain) > 0 && a.Compact {
		newest := len(chain) - 1
		e := loopEvent{Type: "compaction_started", Loop: chain[newest].ID, Tokens: maker.Estimate(r.Context), Messages: len(r.Context), Timestamp: a.CreatedAt}
		r.Events = append(r.Events, e)
		for i, l := range chain {
			if l.Absent || len(chain)-i > scope || i < newest && blocks[i] != nil {
				continue
			}
			b := maker.Make(l.From, l.To, i == newest, config)
			if b.CreatedAt = a.CreatedAt; i == newest {
				if err := a.finish(&b); err != nil {
					return nil, err
				}
			}
			blocks[i] = &b
			e.Loops++
		}
		if r.Context, err = shown(); err != nil {
			return nil, err
		}
		e.Type, e.TokensAfter, e.MessageAfter = "compaction_ended", maker.Estimate(r.Context), len(r.Context)
		r.Events = append(r.Events, e)
	}
	for i, b := range blocks {
		if b != nil {
			r.Blocks = append(r.Blocks, loopBlock{chain[i].ID, b})
		}
	}
	return object(dst, &r), nil
}

// given are the blocks that the host has kept, for the loops of a chain.
func (a *contextArguments) given(chain []compact.Loop) []*compact.Block {
	kept := slices.Clone(a.Blocks)
	slices.SortStableFunc(kept, func(x, y loopBlock) int { return cmp.Compare(x.Loop, y.Loop) })
	blocks := make([]*compact.Block, len(chain))
	for i, l := range chain {
		if k, found := slices.BinarySearchFunc(kept, l.ID, func(b loopBlock, id string) int { return cmp.Compare(b.Loop, id) }); found {
			blocks[i] = kept[k].Block
		}
	}
	return blocks
}
