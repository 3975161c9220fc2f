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

// Check reports whether compaction is due, with the sizes that the decision is based on. It doesn't compact anything,
// and it needs no Store.
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

// Estimate returns the size of a transcript and of each of its messages, in tokens, by the policy's estimator.
func (c *Compactor) Estimate(ctx context.Context, in Input) (*api.Estimate, error) {
	o, err := in.options(ctx)
	if err != nil {
		return nil, err
	}
	return c.estimate(ctx, in.envelope(o))
}

// EstimateText returns the size of a plain text, in tokens, by the policy's estimator. Bytes that aren't valid UTF-8
// count as U+FFFD.
func (c *Compactor) EstimateText(ctx context.Context, text string, policy Policy) (*api.Estimate, error) {
	return c.estimate(ctx, newEnvelope(policy.member(), textMember(text)))
}

func (c *Compactor) estimate(ctx context.Context, e envelope) (a *api.Estimate, err error) {
	a = new(api.Estimate)
	a.Raw, err = c.do(ctx, operations.OpEstimate, a, e)
	return a, err
}

// FunctionInput is the input of a function; docs/reference/functions.md lists what each function needs.
type FunctionInput struct {
	Policy    Policy
	State     json.RawMessage
	Messages  json.RawMessage
	Text      *string         // nil means no text
	Arguments json.RawMessage // a JSON object
}

// Function runs one named step of a compaction, such as "find_cut_point" or "truncate_head_tail", and returns its
// result as JSON. docs/reference/functions.md lists the steps. An unknown name results in an [*Error] with the code
// unknown_function.
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

// Validate lists the places where a transcript breaks the rules of its wire format. A valid transcript has none. It
// returns an error only if the transcript can't be read.
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

// Repair fixes a transcript without compacting it: it carries out the repairs that Validate lists. Violations that only
// the caller can fix stay in the report's Left.
func (c *Compactor) Repair(ctx context.Context, in Input) (a *api.Repaired, err error) {
	a = new(api.Repaired)
	a.Raw, err = c.do(ctx, operations.OpRepair, a, in.mending())
	return a, err
}

// Convert rewrites a transcript in another wire format, so that the conversation can continue with another provider.
// Lost lists everything that couldn't be carried over, and the result is valid for the new format
// (docs/guides/formats.md, Conversion). A list of messages becomes a list, with the system prompt in System if the
// new format keeps it outside the list; a request body becomes a request body. A format that is unknown or can't be
// written results in an [*Error] with the code unknown_format.
func (c *Compactor) Convert(ctx context.Context, in Input, to api.Format) (a *api.Converted, err error) {
	a = new(api.Converted)
	members := []member{in.Policy.member(), optionsMember(api.Options{Format: in.Format}), {operations.InTo, object.AppendString(nil, string(to))},
		messagesMember(in.Messages)}
	a.Raw, err = c.do(ctx, operations.OpConvert, a, newEnvelope(members...))
	return a, err
}

// Digests lists the messages that compactions wrote, with their contents, for programs that display a conversation.
// The State of the Input identifies them with certainty; without it they are recognized by role and position
// (docs/inside/threats.md).
func (c *Compactor) Digests(ctx context.Context, in Input) ([]api.Digest, error) {
	var a api.Digests
	members := []member{in.Policy.member(), optionsMember(api.Options{Format: in.Format}), {operations.InState, in.State}, messagesMember(in.Messages)}
	_, err := c.do(ctx, operations.OpDigests, &a, newEnvelope(members...))
	return a.Digests, err
}

// Detect returns the wire format that a transcript is most likely in, and the other candidates. It returns an error if
// messages isn't a list of messages or a request body.
func (c *Compactor) Detect(ctx context.Context, messages json.RawMessage) (a *api.Detection, err error) {
	a = new(api.Detection)
	a.Raw, err = c.do(ctx, operations.OpDetect, a, newEnvelope(messagesMember(messages)))
	return a, err
}

// Session is the live conversation in a coding agent's session file, as the agent would send it in its next request.
type Session struct{ api.Opened }

// Input returns the conversation as an Input for the operations. Its Messages are Raw, which also contains the
// format, the model, the system prompt and the provider's token count. The operations return only the list of
// messages.
func (s *Session) Input() Input { return Input{Messages: s.Raw} }

// Open reads the live conversation from the bytes of a coding agent's session file. Any other file results in an
// [*Error] with the code unknown_session. An incomplete last line, which a crash leaves behind, is skipped.
func (c *Compactor) Open(ctx context.Context, file []byte) (*Session, error) {
	s := new(Session)
	var err error
	s.Raw, err = c.do(ctx, operations.OpOpen, &s.Opened, envelope{request: file})
	if answer := (*Error)(nil); errors.As(err, &answer) {
		answer.Input = operations.MemberTable[operations.InFile].Name
	}
	return s, err
}

// Save writes the result of compacting a session file's conversation into that file. It takes the bytes of the file
// and returns those of the new file, from which the agent resumes with exactly these messages. Existing lines stay,
// and the compaction is appended in the agent's own format (docs/guides/sessions.md). If the result is unchanged, so
// is the file. Messages that this kind of file can't hold result in an [*Error] with the code cannot_save.
//
// Save reads only Messages, Changed and Report of the result, so the messages may come from elsewhere. The parameter
// now is the time of the compaction; the zero Time means the time of the last entry in the file.
func (c *Compactor) Save(ctx context.Context, file []byte, r *Result, now time.Time) ([]byte, error) {
	if !r.Changed {
		return file, nil
	}
	if !utf8.Valid(file) { // not a session file: Open reports the position of the error
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

// envelope returns a request that contains the conversation's transcript, policy and state, and the options o.
func (in *Input) envelope(o api.Options) envelope {
	return newEnvelope(in.Policy.member(), optionsMember(o), member{operations.InState, in.State}, messagesMember(in.Messages))
}

// mending returns a request for validating or repairing the transcript.
func (in *Input) mending() envelope {
	return newEnvelope(in.Policy.member(), optionsMember(api.Options{Format: in.Format, Answer: in.answer()}), messagesMember(in.Messages))
}

func textMember(text string) member { return member{operations.InText, object.AppendString(nil, text)} }

// messagesMember returns the messages as a member of a request. It substitutes null for missing messages, so that the
// core reports the error.
func messagesMember(value []byte) member {
	if len(value) == 0 {
		value = []byte("null")
	}
	return member{operations.InMessages, value}
}

// do runs one operation on the Compactor's engine, decodes its response into answer, and also returns the raw response.
// An error response of the core becomes an [Error].
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

// The interfaces of the methods that easyjson generates.
type (
	marshaler   interface{ MarshalEasyJSON(*jwriter.Writer) }
	unmarshaler interface{ UnmarshalEasyJSON(*jlexer.Lexer) }
)

func marshal(v marshaler) []byte {
	w := jwriter.Writer{NoEscapeHTML: true, Flags: jwriter.NilSliceAsEmpty}
	v.MarshalEasyJSON(&w)
	text, _ := w.BuildBytes() // cannot fail for these types
	return text
}

func unmarshal(name string, text []byte, v unmarshaler) error {
	l := jlexer.Lexer{Data: text}
	v.UnmarshalEasyJSON(&l)
	if err := l.Error(); err != nil {
		return fmt.Errorf("ctxfold: %s: the answer breaks the ABI: %w", name, err)
	}
	return nil
}

// Classify classifies a failed model call and reports whether compacting and retrying may help.
func (c *Compactor) Classify(ctx context.Context, f api.Failure) (v api.Verdict, err error) {
	_, err = c.do(ctx, operations.OpClassifyError, &v, newEnvelope(member{operations.InArguments, marshal(&f)}))
	return v, err
}
