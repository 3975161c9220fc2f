package ctxfold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/mailru/easyjson/jlexer"
	"github.com/mailru/easyjson/jwriter"
)

// Check says whether compaction is due.
func (c *Compactor) Check(ctx context.Context, in Input) (*Check, error) {
	o, err := in.options(ctx)
	if err != nil {
		return nil, err
	}
	return c.check(ctx, &in, o)
}

func (c *Compactor) check(ctx context.Context, in *Input, o options) (_ *Check, err error) {
	a := new(Check)
	e := newEnvelope(in.Policy.member(), o.member(), member{key: "state", value: in.State}, messagesMember(in.Messages))
	if a.Raw, err = c.do(ctx, "check", a, e); err != nil {
		return nil, err
	}
	return a, nil
}

// Estimate gives the size of a transcript and of each of its messages, in tokens, by the estimator of the policy.
func (c *Compactor) Estimate(ctx context.Context, in Input) (*Estimate, error) {
	o, err := in.options(ctx)
	if err != nil {
		return nil, err
	}
	return c.estimate(ctx, newEnvelope(in.Policy.member(), o.member(), member{key: "state", value: in.State}, messagesMember(in.Messages)))
}

// EstimateText gives the size of a plain text, in tokens, by the estimator of the policy. Bytes of text that are not
// UTF-8 count as U+FFFD.
func (c *Compactor) EstimateText(ctx context.Context, text string, policy Policy) (*Estimate, error) {
	quoted, err := quote(text)
	if err != nil {
		return nil, err
	}
	return c.estimate(ctx, newEnvelope(policy.member(), member{key: "text", value: quoted}))
}

func quote(text string) ([]byte, error) {
	w := jwriter.Writer{NoEscapeHTML: true}
	w.String(text)
	quoted, err := w.BuildBytes()
	if err != nil {
		return nil, fmt.Errorf("ctxfold: text: %w", err)
	}
	return quoted, nil
}

// Function runs one named step of a compaction, such as "find_cut_point" or "truncate_head_tail", and returns its result,
// a JSON value. docs/FUNCTIONS.md lists the steps. A name that is none is an [*Error] with the code unknown_function.
func (c *Compactor) Function(ctx context.Context, name string, in FunctionInput) (json.RawMessage, error) {
	quoted, err := quote(name)
	if err != nil {
		return nil, err
	}
	members := []member{{key: "name", value: quoted}, in.Policy.member(), {key: "state", value: in.State},
		{key: "arguments", value: in.Arguments}}
	if in.Text != nil {
		if quoted, err = quote(*in.Text); err != nil {
			return nil, err
		}
		members = append(members, member{key: "text", value: quoted})
	}
	var a functionAnswer
	if _, err = c.do(ctx, "function", &a, newEnvelope(append(members, member{key: "messages", value: in.Messages})...)); err != nil {
		return nil, err
	}
	return a.Result, nil
}

func (c *Compactor) estimate(ctx context.Context, e envelope) (*Estimate, error) {
	a := new(Estimate)
	var err error
	if a.Raw, err = c.do(ctx, "estimate", a, e); err != nil {
		return nil, err
	}
	return a, nil
}

// Validate lists the rules of its wire format that a transcript breaks.
func (c *Compactor) Validate(ctx context.Context, in Input) (*Validation, error) {
	a := new(Validation)
	e := newEnvelope(in.Policy.member(), options{Format: in.Format}.member(), messagesMember(in.Messages))
	var err error
	if a.Raw, err = c.do(ctx, "validate", a, e); err != nil {
		return nil, err
	}
	for i := range a.Violations {
		v := &a.Violations[i]
		_, v.Offset = e.locate(v.Path, v.Offset)
	}
	return a, nil
}

// Repair mends a transcript without compacting it: it does about each violation what Validate says.
func (c *Compactor) Repair(ctx context.Context, in Input) (*Repaired, error) {
	j, report, raw, err := c.decode(ctx, "repair", newEnvelope(in.Policy.member(), options{Format: in.Format, Answer: in.answer()}.member(), messagesMember(in.Messages)))
	if err != nil {
		return nil, err
	}
	return &Repaired{Valid: j.Valid, Report: report, Messages: j.Messages, Edits: j.Edits, Raw: raw}, nil
}

// Detect names the wire format of a transcript.
func (c *Compactor) Detect(ctx context.Context, messages json.RawMessage) (*Detection, error) {
	a := new(Detection)
	var err error
	if a.Raw, err = c.do(ctx, "detect", a, newEnvelope(messagesMember(messages))); err != nil {
		return nil, err
	}
	return a, nil
}

// Open takes the live conversation out of the session file of a coding agent, given as it is on disk. A file that is none
// is an [*Error] with the code unknown_session. A last line that is cut off is skipped, as a crash leaves one.
func (c *Compactor) Open(ctx context.Context, file []byte) (*Session, error) {
	raw, err := c.Call(ctx, "open", file)
	if err != nil {
		var answer *Error
		if errors.As(err, &answer) {
			answer.In = "file"
		}
		return nil, err
	}
	a := &Session{Raw: raw}
	return a, unmarshal("open", raw, a)
}

// Save writes what a compaction has left of a session file's conversation into that file, given as it is on disk, and returns the
// new file: one that its agent resumes with just these messages. Lines stay as they are, and a compaction is added as the
// agent itself writes one; docs/SESSIONS.md says what each agent gets. A result that has not changed gives the file as it is.
// Messages that the kind of file cannot hold are an [*Error] with the code cannot_save.
//
// Only Messages, Changed and Report of the result are read, so that the messages may come from elsewhere. now is when the
// compaction was made; the zero Time is when the file was written last.
func (c *Compactor) Save(ctx context.Context, file []byte, r *Result, now time.Time) ([]byte, error) {
	if !r.Changed {
		return file, nil
	}
	if !utf8.Valid(file) { // no session file: its reader says where
		_, err := c.Open(ctx, file)
		return nil, err
	}
	quoted, err := quote(string(file))
	if err != nil {
		return nil, err
	}
	members := []member{{key: "file", value: quoted}, {key: "tokens", value: strconv.AppendInt(nil, int64(r.Report.Tokens.Before), 10)}}
	if !now.IsZero() {
		members = append(members, member{key: "time", value: now.UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`)})
	}
	var a savedJSON
	if _, err := c.do(ctx, "save", &a, newEnvelope(append(members, messagesMember(r.Messages))...)); err != nil {
		return nil, err
	}
	return append(file[:a.Kept:a.Kept], a.Text...), nil
}

// Info describes the module: its version, wire formats, presets, estimators, passes and limits.
func (c *Compactor) Info(ctx context.Context) (*Info, error) {
	a := new(Info)
	var err error
	if a.Raw, err = c.do(ctx, "info", a, newEnvelope()); err != nil {
		return nil, err
	}
	return a, nil
}

// messagesMember makes sure that there is a value, so that the core can say what is wrong with it.
func messagesMember(value []byte) member {
	if len(value) == 0 {
		value = []byte("null")
	}
	return member{key: "messages", value: value}
}

// do runs one operation, decodes its answer, and returns its bytes too.
func (c *Compactor) do(ctx context.Context, op string, answer unmarshaler, e envelope) (json.RawMessage, error) {
	raw, err := c.Call(ctx, op, e.request)
	if err != nil {
		return nil, e.rebase(err)
	}
	return raw, unmarshal(op, raw, answer)
}

// These are what easyjson generates for the types of this package.
type (
	marshaler   interface{ MarshalEasyJSON(*jwriter.Writer) }
	unmarshaler interface{ UnmarshalEasyJSON(*jlexer.Lexer) }
)

func marshal(v marshaler) ([]byte, error) {
	w := jwriter.Writer{NoEscapeHTML: true, Flags: jwriter.NilSliceAsEmpty}
	v.MarshalEasyJSON(&w)
	return w.BuildBytes()
}

func unmarshal(op string, text []byte, v unmarshaler) error {
	l := jlexer.Lexer{Data: text}
	v.UnmarshalEasyJSON(&l)
	if err := l.Error(); err != nil {
		return fmt.Errorf("ctxfold: %s: the answer is not as the ABI says: %w", op, err)
	}
	return nil
}
