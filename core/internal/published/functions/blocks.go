package functions

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/mailru/easyjson/jlexer"
)

// block holds the arguments for compaction_block; the defaults are those in S0.42.
type block struct {
	config    exact.BlockConfig
	focus     *string // must be nil with wire_safe (S0.48)
	newest    bool    // whether the loop is the newest one
	createdAt api.Raw // any JSON value
	// sections holds sections that the host provides (S0.50). Each of them replaces the section that ctxfold made; a
	// null removes it.
	sections api.Raw
}

// given is a block that the host has stored, with the id of its loop.
type given struct {
	loop  string // the id of the loop
	block *exact.Block
}

func (c *Call) block(more ...argument) (*block, *Error) {
	b := &block{config: exact.BlockConfig{KeepFirstTurns: 2, KeepRecentTurns: 10, MaxSummaryTokens: 2000, MaxLines: 50},
		newest:    true,
		createdAt: api.Raw("null")}
	err := c.read(append([]argument{{"keep_first_turns", &b.config.KeepFirstTurns, someTokens},
		{"keep_recent_turns", &b.config.KeepRecentTurns, someTokens},
		{"max_summary_tokens", &b.config.MaxSummaryTokens, someTokens},
		{"tool_output_max_lines", &b.config.MaxLines, someTokens}, {name: "focus_message", to: &b.focus},
		{name: "is_most_recent", to: &b.newest},
		{name: "created_at", to: &b.createdAt}, {name: "sections", to: &b.sections}}, more...)...)
	if err == nil && b.focus != nil && c.Policy.IsWireSafe() { // S0.48: the published system declares focus but never uses it
		err = outOfRange("focus_message",
			"has no effect on lines; have a model write keep_compacted, with summary.instructions")
	}
	return b, err
}

// finish sets the creation time of a block, and puts the host's sections in place of those in the block. It returns an
// error if the sections are not an object of sections.
func (a *block) finish(b *exact.Block) *Error {
	b.CreatedAt = a.createdAt
	if len(a.sections) == 0 {
		return nil
	}
	s := jsonspan.New(a.sections)
	if s.Kind() != jsonspan.Object {
		return &Error{Code: jsonspan.WrongType, At: "sections", Message: "sections must be an object"}
	}
	section := func(at string, raw api.Raw, to **exact.Section) *Error {
		if *to = nil; string(raw) == "null" {
			return nil
		}
		*to = &exact.Section{}
		return decodeAt(at, raw, *to)
	}
	for key := range s.Members {
		name := string(key)
		at, raw := "sections."+name, api.Raw(s.Skip().Slice(a.sections))
		var err *Error
		switch name {
		case "keep_first":
			if b.KeepFirst = nil; string(raw) != "null" {
				b.KeepFirst = &exact.TurnRange{}
				err = decodeAt(at, raw, b.KeepFirst)
			}
		case "keep_recent":
			err = section(at, raw, &b.KeepRecent)
		case "keep_compacted":
			err = section(at, raw, &b.KeepCompacted)
		default:
			err = &Error{Code: api.CodeUnknownField, At: at, Message: "unknown section: " + name}
		}
		if err != nil {
			return err
		}
	}
	return s.Err()
}

// decodeAt decodes raw, the JSON of an argument, into v. Errors name the argument by the path at.
func decodeAt(at string, raw api.Raw, v policy.Unmarshaler) *Error {
	err := policy.Decode(raw, v)
	if err != nil {
		err.At, err.Offset = at, 0
	}
	return err
}

func (c *Call) input() view.Input {
	return view.Input{Transcript: c.Transcript, Format: c.Format, Estimator: c.Estimator, Policy: c.Policy,
		State: c.State,
		N:     len(c.Transcript.Messages)}
}

func init() {
	register("turn_map", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		var asked, groups, ranges [][2]int
		if err := c.read(argument{name: "ranges", to: &asked}); err != nil {
			return nil, err
		}
		turns := exact.Turns(c.Transcript, 0, len(c.Transcript.Messages))
		for _, turn := range turns {
			groups = append(groups, [2]int{turn[0], turn[1] - 1})
		}
		for _, span := range asked {
			messages := [2]int{0, -1} // a missing range is empty: its end is before its start
			if span[0] >= 0 && span[0] <= span[1] && span[1] < len(turns) {
				messages = [2]int{turns[span[0]][0], turns[span[1]][1] - 1}
			}
			ranges = append(ranges, messages)
		}
		return object(dst, member{"turn_count", len(turns)}, member{"groups", groups}, member{"ranges", ranges}), nil
	})
	register("compaction_block", Messages, func(c *Call, dst []byte) ([]byte, *Error) {
		a, err := c.block()
		if err != nil {
			return nil, err
		}
		b := exact.NewBlocks(c.input()).Make(0, len(c.Transcript.Messages), a.newest, a.config)
		if err := a.finish(&b); err != nil {
			return nil, err
		}
		return value(dst, b), nil
	})
	register("session_context", Messages, sessionContext)
}

// sessionContext returns the messages that the model sees for a session of several loops; each loop is a range of the
// transcript (S0.45). It returns an error if an argument is wrong, or if a block contains anything that isn't a
// message.
func sessionContext(c *Call, dst []byte) ([]byte, *Error) {
	// scope is the number of loops to show in addition to the newest one; if it is negative, as many loops as fit in
	// budget are shown.
	current, scope, budget, again := "", 3, 0, false
	var loops []exact.Loop
	var kept []given
	a, err := c.block(
		argument{name: "loops", to: func(l *jlexer.Lexer) {
			each(l, func(int) {
				var loop exact.Loop
				read(l, arguments{{name: "id", to: &loop.ID}, {name: "parent", to: &loop.Parent},
					{name: "messages", to: &loop.To}})
				loops = append(loops, loop)
			})
		}},
		argument{name: "current", to: &current}, argument{name: "scope", to: &scope},
		argument{name: "max_context_tokens", to: &budget},
		argument{name: "compact", to: &again},
		argument{name: "blocks", to: func(l *jlexer.Lexer) {
			each(l, func(int) {
				var b given
				read(l, arguments{{name: "loop", to: &b.loop}, {name: "block", to: func(l *jlexer.Lexer) {
					b.block = &exact.Block{}
					b.block.UnmarshalEasyJSON(l)
				}}})
				kept = append(kept, b)
			})
		}})
	if err != nil {
		return nil, err
	}
	at := 0
	for i := range loops {
		n := loops[i].To
		if n < 0 || n > len(c.Transcript.Messages)-at {
			return nil, outOfRange("loops", "have more messages than there are")
		}
		loops[i].From, loops[i].To = at, at+n
		at += n
	}
	maker := exact.NewBlocks(c.input())
	chain := exact.Chain(loops, current)
	scope = maker.InScope(chain, scope, budget)
	blocks := blocksOf(chain, kept)
	context, err := shown(maker, chain, scope, blocks)
	if err != nil {
		return nil, err
	}
	var events [][]member
	if len(chain) > 0 && again {
		newest := len(chain) - 1
		// The event tells the application about a compaction of loops (S0.49). Its counts are those of the messages
		// that the model sees.
		event := func(kind string, tokens, messages int, more ...member) {
			e := []member{{"type", kind}, {"loop_id", chain[newest].ID}, {"estimated_tokens", tokens},
				{"message_count", messages}}
			events = append(events, append(append(e, more...), member{"timestamp", a.createdAt}))
		}
		tokens, messages, count := maker.Estimate(context), len(context), 0
		event("compaction_started", tokens, messages)
		for i, l := range chain {
			if l.Absent || len(chain)-i > scope || i < newest && blocks[i] != nil {
				continue
			}
			b := maker.Make(l.From, l.To, i == newest, a.config)
			if b.CreatedAt = a.createdAt; i == newest {
				if err := a.finish(&b); err != nil {
					return nil, err
				}
			}
			blocks[i] = &b
			count++
		}
		if context, err = shown(maker, chain, scope, blocks); err != nil {
			return nil, err
		}
		event("compaction_ended", tokens, messages, some("estimated_tokens_after", maker.Estimate(context)),
			some("messages_after", len(context)),
			some("loops_compacted", count))
	}
	var ids []string
	var made [][]member
	for i, b := range blocks {
		ids = append(ids, chain[i].ID)
		if b != nil {
			made = append(made, []member{{"loop", chain[i].ID}, {"block", *b}})
		}
	}
	return object(dst, member{"chain", ids}, member{"blocks", made}, member{"context", context},
		member{"events", events}), nil
}

// shown returns the messages that the model sees for a chain of loops. It returns an error if a
// block contains anything that isn't a message. The parameters are those of [exact.Blocks.Context].
func shown(maker *exact.Blocks, chain []exact.Loop, scope int, blocks []*exact.Block) ([]api.Raw, *Error) {
	list, ok := maker.Context(chain, scope, blocks)
	if !ok {
		return nil, outOfRange("blocks", "hold what is no message of the format")
	}
	return list, nil
}

// blocksOf returns the stored block of each loop in a chain, or nil for a loop without one.
func blocksOf(chain []exact.Loop, kept []given) []*exact.Block {
	sorting.Stable(kept, func(x, y given) int { return cmp.Compare(x.loop, y.loop) })
	blocks := make([]*exact.Block, len(chain))
	for i, l := range chain {
		if k, found := slices.BinarySearchFunc(kept, l.ID, func(b given, id string) int { return cmp.Compare(b.loop, id) }); found {
			blocks[i] = kept[k].block
		}
	}
	return blocks
}
