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

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/object"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// Check says whether compaction is due.
func (c *Compactor) Check(ctx context.Context, in Input) (*api.Check, error) {
	o, err := in.options(ctx)
	if err != nil {
		return nil, err
	}
	return c.check(ctx, &in, o)
}

func (c *Compactor) check(ctx context.Context, in *Input, o api.Options) (a *api.Check, err error) {
	a = new(api.Check)
	a.Raw, err = c.do(ctx, operations.OpCheck, a, in.envelope(o))
	return a, err
}

// Estimate gives the size of a transcript and of each of its messages, in tokens, by the estimator of the policy.
func (c *Compactor) Estimate(ctx context.Context, in Input) (*api.Estimate, error) {
	o, err := in.options(ctx)
	if err != nil {
		return nil, err
	}
	return c.estimate(ctx, in.envelope(o))
}

// EstimateText gives the size of a plain text, in tokens, by the estimator of the policy. Bytes of text that are not
// UTF-8 count as U+FFFD.
func (c *Compactor) EstimateText(ctx context.Context, text string, policy Policy) (*api.Estimate, error) {
	return c.estimate(ctx, newEnvelope(policy.member(), textMember(text)))
}

func (c *Compactor) estimate(ctx context.Context, e envelope) (a *api.Estimate, err error) {
	a = new(api.Estimate)
	a.Raw, err = c.do(ctx, operations.OpEstimate, a, e)
	return a, err
}

// FunctionInput is what a function is given; docs/reference/functions.md says what each one needs.
type FunctionInput struct {
	Policy    Policy
	State     json.RawMessage
	Messages  json.RawMessage
	Text      *string         // nil is none
	Arguments json.RawMessage // a JSON object
}

// Function runs one named step of a compaction, such as "find_cut_point" or "truncate_head_tail", and returns its result, a JSON value.
// docs/reference/functions.md lists the steps. A name that isn't one is an [*Error] with the code unknown_function.
func (c *Compactor) Function(ctx context.Context, name string, in FunctionInput) (json.RawMessage, error) {
	members := []member{{operations.InName, object.AppendString(nil, name)}, in.Policy.member(), {operations.InState, in.State},
		{operations.InArguments, in.Arguments}}
	if in.Text != nil {
		members = append(members, textMember(*in.Text))
	}
	var a api.FunctionResult
	_, err := c.do(ctx, operations.OpFunction, &a, newEnvelope(append(members, member{operations.InMessages, in.Messages})...))
	return a.Result, err
}

// Validate lists the rules of its wire format that a transcript breaks.
func (c *Compactor) Validate(ctx context.Context, in Input) (a *api.Validation, err error) {
	a = new(api.Validation)
	e := in.mending()
	if a.Raw, err = c.do(ctx, operations.OpValidate, a, e); err != nil {
		return nil, err
	}
	for i := range a.Violations {
		v := &a.Violations[i]
		_, v.Offset = e.locate(v.Path, v.Offset)
	}
	return a, nil
}

// Repair repairs a transcript without compacting it: it does about each violation what Validate says.
func (c *Compactor) Repair(ctx context.Context, in Input) (a *api.Repaired, err error) {
	a = new(api.Repaired)
	a.Raw, err = c.do(ctx, operations.OpRepair, a, in.mending())
	return a, err
}

// Convert writes a transcript in another wire format, for a conversation that continues with another provider. What could not be carried
// over is in Lost, one entry each, and the result is valid for the new format (docs/guides/formats.md, Conversion). A list of messages gives
// a list, and its system prompt as System where the new format has it next to the list; a request body gives one. A format that there is
// none of, or that cannot be written, is an [*Error] with the code unknown_format.
func (c *Compactor) Convert(ctx context.Context, in Input, to api.Format) (a *api.Converted, err error) {
	a = new(api.Converted)
	members := []member{in.Policy.member(), optionsMember(api.Options{Format: in.Format}), {operations.InTo, object.AppendString(nil, string(to))},
		messagesMember(in.Messages)}
	a.Raw, err = c.do(ctx, operations.OpConvert, a, newEnvelope(members...))
	return a, err
}

// Digests lists the messages that compactions have written, and what is in them, for programs that show a conversation: nobody in it has
// said them. With the State of the Input it is certain which ones are; without it their role and place tell (docs/inside/threats.md).
func (c *Compactor) Digests(ctx context.Context, in Input) ([]api.Digest, error) {
	var a api.Digests
	members := []member{in.Policy.member(), optionsMember(api.Options{Format: in.Format}), {operations.InState, in.State}, messagesMember(in.Messages)}
	_, err := c.do(ctx, operations.OpDigests, &a, newEnvelope(members...))
	return a.Digests, err
}

// Detect names the wire format of a transcript.
func (c *Compactor) Detect(ctx context.Context, messages json.RawMessage) (a *api.Detection, err error) {
	a = new(api.Detection)
	a.Raw, err = c.do(ctx, operations.OpDetect, a, newEnvelope(messagesMember(messages)))
	return a, err
}

// Session is the live conversation of a coding agent's session file: what the agent's next request would hold.
type Session struct{ api.Opened }

// Input is the conversation for the operations: Raw as its Messages, which brings the format, the model, the system prompt and the
// provider's count along. Results hold the list of messages alone.
func (s *Session) Input() Input { return Input{Messages: s.Raw} }

// Open takes the live conversation out of the session file of a coding agent, given as it is on disk. A file that isn't one is an [*Error]
// with the code unknown_session. A last line that is cut off is skipped, as a crash leaves one.
func (c *Compactor) Open(ctx context.Context, file []byte) (*Session, error) {
	s := new(Session)
	var err error
	s.Raw, err = c.do(ctx, operations.OpOpen, &s.Opened, envelope{request: file})
	if answer := (*Error)(nil); errors.As(err, &answer) {
		answer.In = operations.MemberTable[operations.InFile].Name
	}
	return s, err
}

// Save writes what a compaction has left of a session file's conversation into that file, given as it is on disk, and returns the
// new file: one that its agent resumes with just these messages. Lines stay as they are, and a compaction is added as the
// agent itself writes one; docs/guides/sessions.md says what each agent gets. A result that has not changed gives the file as it is.
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
	members := []member{{operations.InFile, object.AppendString(nil, string(file))},
		{operations.InTokens, strconv.AppendInt(nil, int64(r.Report.Tokens.Before), 10)}}
	if !now.IsZero() {
		members = append(members, member{operations.InTime, now.UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`)})
	}
	var a api.Saved
	if _, err := c.do(ctx, operations.OpSave, &a, newEnvelope(append(members, messagesMember(r.Messages))...)); err != nil {
		return nil, err
	}
	return append(file[:a.Kept:a.Kept], a.Text...), nil
}

// Info describes the module: its version, wire formats, presets, estimators, passes and limits.
func (c *Compactor) Info(ctx context.Context) (a *api.Info, err error) {
	a = new(api.Info)
	a.Raw, err = c.do(ctx, operations.OpInfo, a, newEnvelope())
	return a, err
}

// envelope is a request about the transcript as the conversation has it.
func (in *Input) envelope(o api.Options) envelope {
	return newEnvelope(in.Policy.member(), optionsMember(o), member{operations.InState, in.State}, messagesMember(in.Messages))
}

// mending is a request about the rules of the wire format.
func (in *Input) mending() envelope {
	return newEnvelope(in.Policy.member(), optionsMember(api.Options{Format: in.Format, Answer: in.answer()}), messagesMember(in.Messages))
}

func textMember(text string) member { return member{operations.InText, object.AppendString(nil, text)} }

// messagesMember makes sure that there is a value, so that the core can say what is wrong with it.
func messagesMember(value []byte) member {
	if len(value) == 0 {
		value = []byte("null")
	}
	return member{operations.InMessages, value}
}

// do runs one operation, decodes its answer, and returns its bytes too.
func (c *Compactor) do(ctx context.Context, op operations.Op, answer unmarshaler, e envelope) (json.RawMessage, error) {
	return c.doOn(ctx, c.engine, op, answer, e)
}

func (c *Compactor) doOn(ctx context.Context, by Caller, op operations.Op, answer unmarshaler, e envelope) (json.RawMessage, error) {
	raw, err := c.callOn(ctx, by, op.String(), e.request)
	if err != nil {
		return nil, e.rebase(err)
	}
	return raw, unmarshal(op.String(), raw, answer)
}

// These are what easyjson generates.
type (
	marshaler   interface{ MarshalEasyJSON(*jwriter.Writer) }
	unmarshaler interface{ UnmarshalEasyJSON(*jlexer.Lexer) }
)

func marshal(v marshaler) []byte {
	w := jwriter.Writer{NoEscapeHTML: true, Flags: jwriter.NilSliceAsEmpty}
	v.MarshalEasyJSON(&w)
	text, _ := w.BuildBytes() // fails only where a custom marshaler does, and none of these can
	return text
}

func unmarshal(what string, text []byte, v unmarshaler) error {
	l := jlexer.Lexer{Data: text}
	v.UnmarshalEasyJSON(&l)
	if err := l.Error(); err != nil {
		return fmt.Errorf("ctxfold: %s: the answer breaks the ABI: %w", what, err)
	}
	return nil
}
