package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// source is an input text with its name for error messages.
type source struct {
	name string
	text []byte
	// skipped is the size of what precedes the text in the file, such as a byte order mark, in bytes.
	skipped int
	// made means that the text was derived from the user's input, so that offsets in it mean nothing to the user.
	made bool
	// noSession is the error with the reason why the text is not a session file.
	noSession *ctxfold.Error
}

// inputs are the inputs of an operation, by the names that the field In of [ctxfold.Error] has for them.
type inputs map[string]source

// locate adds the position in the input file to an error in an input. If the input is of a kind that the command doesn't
// take, such as JSON Lines, the error says what to do instead. Other errors are returned unchanged.
func (in inputs) locate(err error) error {
	var e *ctxfold.Error
	if !errors.As(err, &e) {
		return err
	}
	s, ok := in[e.Input]
	if !ok {
		return err
	}
	if e.Code == "invalid_json" && isBatch(s.text) {
		return fmt.Errorf("%s has a transcript in each line: `ctxfold batch --help` shows what works on such files", s.name)
	}
	if (e.Code == api.CodeInvalidJSON || e.Code == api.CodeUnknownSession) && isMessages(s.text) {
		return fmt.Errorf("%s has a message in each line: put them into a list, for example with `jq -s . FILE | ctxfold … -`", s.name)
	}
	// A complete transcript followed by another object was probably meant to be JSON Lines.
	if at := e.Offset; s.noSession != nil && e.Code == "invalid_json" && at < len(s.text) && s.text[at] == '{' && json.Valid(s.text[:at]) {
		e = s.noSession
	}
	return inputError{e, s}
}

// job is a command's input and its compactor.
type job struct {
	*ctxfold.Compactor
	ctxfold.Input
	sources inputs
	session *ctxfold.Session // the session that the transcript came from, or nil
	file    []byte           // the session file
}

// start reads the input of a command, opens it if it is a session file, and creates the compactor. policy is nil for
// commands without a policy. state is the value of --state, and timeout limits each request for a summary; 0 is the
// default.
func (f *flags) start(c *cobra.Command, args []string, policy *policyFlags, state string, timeout time.Duration) (*job, error) {
	j := &job{sources: inputs{}}
	if policy != nil {
		s, err := policy.read(f, c)
		if err != nil {
			return nil, err
		}
		j.sources["policy"], j.Policy, j.Force = s, ctxfold.RawPolicy(s.text), policy.force
	}
	if state != "" {
		s, err := f.readJSON(state)
		// Before the first compaction of a conversation, the state file does not exist yet.
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		j.sources["state"], j.State = s, s.text
	}
	name, err := f.fileArgument(c, args)
	if err != nil {
		return nil, err
	}
	s, err := f.readJSON(name)
	if err != nil {
		return nil, err
	}
	j.sources["messages"], j.Messages = s, s.text
	if j.Compactor, err = f.compactor(c.Context(), timeout); err != nil {
		return nil, err
	}
	if err := j.openSession(c.Context()); err != nil || policy == nil {
		return j, err
	}
	j.Usage, err = policy.readUsage(c)
	return j, err
}

func atMostOneFile(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(c, "there is one FILE too many: %s", args[1])
	}
	return nil
}

func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(c, "%s takes no argument, and %q is one", c.Name(), args[0])
	}
	return nil
}

// fileArgument returns the FILE argument. The default is "-", which means standard input, unless that is a terminal;
// then it returns an error.
func (f *flags) fileArgument(c *cobra.Command, args []string) (string, error) {
	switch {
	case len(args) == 1:
		return args[0], nil
	case isTerminal(f.in):
		return "", usage(c, "there is no input: name a FILE, or pipe one in")
	}
	return "-", nil
}

// readJSON reads a JSON file; "-" is standard input. It returns an error if the file is empty or isn't UTF-8.
func (f *flags) readJSON(name string) (source, error) {
	s, err := f.read(name)
	if err != nil {
		return s, err
	}
	for _, coding := range codings {
		if bytes.HasPrefix(s.text, []byte(coding.mark)) {
			return s, fmt.Errorf("%s is %s: convert it first, for example with `%s`", s.name, coding.name, coding.way)
		}
	}
	// JSON allows no byte order mark, but some editors write one.
	if text, ok := bytes.CutPrefix(s.text, []byte("\ufeff")); ok {
		s.skipped, s.text = len(s.text)-len(text), text
	}
	if len(bytes.TrimSpace(s.text)) == 0 {
		return s, fmt.Errorf("%s is empty: it must hold JSON", s.name)
	}
	return s, nil
}

// codings lists formats of files that users may pass by mistake instead of JSON: how such a file begins, its name, and a remedy.
var codings = []struct{ mark, name, way string }{
	{"\x1f\x8b", "compressed with gzip", "gunzip -c FILE | ctxfold … -"},
	{"\x28\xb5\x2f\xfd", "compressed with zstd", "zstd -dc FILE | ctxfold … -"},
	{"PK\x03\x04", "a ZIP archive", "unzip -p FILE | ctxfold … -"},
	{"\xff\xfe", "UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE | ctxfold … -"},
	{"\xfe\xff", "UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE | ctxfold … -"},
}

// isBatch reports whether text has one transcript per line, judged by its first line.
func isBatch(text []byte) bool {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if len(bytes.TrimSpace(rest)) == 0 || !json.Valid(first) {
		return false
	}
	if first[0] == '[' {
		return true
	}
	var body struct{ Messages, Input, Contents []json.RawMessage }
	return json.Unmarshal(first, &body) == nil && len(body.Messages)+len(body.Input)+len(body.Contents) > 0
}

// isMessages reports whether text has one message per line, judged by its first line.
func isMessages(text []byte) bool {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	var message struct {
		Role           string
		Content, Parts json.RawMessage
	}
	return bytes.HasPrefix(bytes.TrimSpace(rest), []byte("{")) && json.Unmarshal(first, &message) == nil && message.Role != "" &&
		(message.Content != nil || message.Parts != nil)
}

func (f *flags) read(name string) (source, error) {
	var s source
	var err error
	if name == "-" {
		s.name = "standard input"
		s.text, err = io.ReadAll(f.in)
	} else {
		s.name = name
		s.text, err = os.ReadFile(name)
	}
	if err != nil {
		return s, unreadable(s.name, err)
	}
	return s, nil
}

// unreadable returns an error with the reason why a file can't be read, which names the file only once.
func unreadable(name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("cannot read %s: %w", name, err)
}

// policyFlags are the flags that determine the policy.
type policyFlags struct {
	policy string // the file with the policy
	preset string // the name of a preset
	format string // the wire format
	window string // the window, as parseWindow reads it
	model  string // the name of the model
	usage  string // the provider's count, as readUsage reads it
	force  bool   // whether to compact below the limit
}

// register adds the flags to a command. counts also adds --usage, for commands that accept the provider's count.
func (p *policyFlags) register(c *cobra.Command, counts bool) {
	c.Flags().StringVar(&p.policy, "policy", "", "the policy: JSON `text`, @FILE or FILE (docs/reference/policy.md)")
	c.Flags().StringVar(&p.preset, "preset", "", "the preset to start from (see ctxfold presets)")
	c.Flags().StringVar(&p.format, "format", "", "the wire format, if it should not be detected (see ctxfold info)")
	c.Flags().StringVar(&p.window, "window", "", "the context window of the model, in `tokens`, such as 200000, 32k or 1m; \"unlimited\" for none")
	c.Flags().StringVar(&p.model, "model", "", "the `NAME` of the model that the transcript is for; it gives the window and the tokenizer, if they are known")
	if counts {
		c.Flags().StringVar(&p.usage, "usage", "", "what the provider counted for the last call: `TOKENS` up to the last message, or JSON (docs/reference/abi.md)")
	}
	completeFromInfo(c, "preset", func(i *api.Info) (names []string) {
		for _, p := range i.Presets {
			names = append(names, string(p.Name))
		}
		return names
	})
	completeFromInfo(c, "format", func(i *api.Info) (names []string) {
		for _, f := range i.Formats {
			names = append(names, string(f.Name))
		}
		return names
	})
}

// registerForce adds the flag --force.
func (p *policyFlags) registerForce(c *cobra.Command) {
	c.Flags().BoolVar(&p.force, "force", false, "compact even if it is not due")
}

// readUsage returns the provider's count from --usage, or nil without the flag; the count in the
// session file then applies, if there is one. A value that is neither a positive number nor a count
// as JSON is an error.
func (p *policyFlags) readUsage(c *cobra.Command) (*api.Usage, error) {
	if p.usage == "" {
		return nil, nil
	}
	if n, err := strconv.Atoi(p.usage); err == nil {
		if n <= 0 {
			return nil, usage(c, "--usage must be more than 0 tokens")
		}
		return &api.Usage{Message: -1, TotalTokens: n}, nil
	}
	u := &api.Usage{Message: -1}
	d := json.NewDecoder(strings.NewReader(p.usage))
	d.DisallowUnknownFields()
	if err := d.Decode(u); err != nil {
		return nil, usage(c, `--usage must be a number of tokens, or JSON like {"message":41,"total_tokens":48987}: %v`, err)
	}
	return u, nil
}

// read returns the policy from --policy, changed by the other flags. It returns an error if the policy can't be read,
// or if a flag's value is invalid.
func (p *policyFlags) read(f *flags, c *cobra.Command) (source, error) {
	s, err := p.readPolicy(f)
	if err != nil {
		return s, err
	}
	over := map[string]any{}
	changed := c.Flags().Changed
	if changed("preset") {
		over["preset"] = p.preset
	}
	if changed("format") {
		over["format"] = p.format
	}
	if changed("model") {
		over["model"] = p.model
	}
	if changed("window") {
		window, err := parseWindow(p.window)
		if err != nil {
			return s, usage(c, "%v", err)
		}
		over["window"] = window
	}
	if len(over) == 0 {
		return s, nil
	}
	return s.with(over)
}

// maxWindow is the maximum context window of a policy, in tokens.
const maxWindow = 1_000_000_000

// parseWindow parses a window in tokens: a number, optionally followed by k (thousands) or m (millions), or
// "unlimited". It returns the window of a policy, or an error for any other text.
func parseWindow(text string) (map[string]any, error) {
	if text == "unlimited" {
		return map[string]any{"unlimited": true}, nil
	}
	number, unit := strings.ToLower(strings.NewReplacer("_", "", ",", "").Replace(text)), 1
	for suffix, times := range map[string]int{"k": 1000, "m": 1_000_000} {
		if head, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = head, times
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	tokens := n * float64(unit)
	if err != nil || !(tokens >= 1 && tokens <= maxWindow) || tokens != math.Trunc(tokens) || strings.ContainsAny(number, "exinp+-") {
		return nil, fmt.Errorf("--window must be more than 0 tokens, such as 200000, 32k or 1m, or unlimited: it is %q", text)
	}
	return map[string]any{"tokens": int(tokens)}, nil
}

// with returns a policy with additional members, from flags or from compare. It returns an error if the policy isn't a
// JSON object.
func (s source) with(over map[string]any) (source, error) {
	if s.text == nil {
		s.text = []byte("{}")
		s.name = "the flags"
	}
	merged, err := lay(s.text, over)
	if err != nil {
		return s, fmt.Errorf("%s: the policy is not a JSON object: %w", s.name, err)
	}
	return source{name: s.name, text: merged, made: true}, nil
}

func (p *policyFlags) readPolicy(f *flags) (source, error) {
	switch text := strings.TrimSpace(p.policy); {
	case text == "":
		return source{}, nil
	case strings.HasPrefix(text, "{"):
		return source{name: "--policy", text: []byte(p.policy)}, nil
	default:
		return f.readJSON(strings.TrimPrefix(text, "@"))
	}
}

// lay merges the members of over into a JSON object, recursively, and returns the result. It returns an error if object
// isn't a JSON object.
func lay(object []byte, over map[string]any) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	if members == nil {
		members = map[string]json.RawMessage{}
	}
	for key, value := range over {
		var text []byte
		var err error
		if inner, ok := value.(map[string]any); ok && members[key] != nil {
			text, err = lay(members[key], inner)
		} else {
			text, err = json.Marshal(value)
		}
		if err != nil {
			return nil, err
		}
		members[key] = text
	}
	return json.Marshal(members)
}
