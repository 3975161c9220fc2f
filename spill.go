package ctxfold

import (
	"context"
	"encoding/json"
)

// OutputLimits are how large a tool's output may be before it becomes a part of the transcript. Zero values are the
// defaults of docs/ABI.md (limit_tool_output); a negative value is no limit.
type OutputLimits struct {
	Lines int
	Bytes int
	// Chars and SpillChars are Unicode scalar values. An output over SpillChars is kept in the store as a whole.
	Chars, SpillChars int
	// Mode is "head_tail", which is the default, or "head".
	Mode string
}

// LimitedOutput is what a tool's output became.
type LimitedOutput struct {
	Text    string
	Changed bool
	// Spilled says that Text is a notice, and that the whole output is in the store under Handle.
	Spilled bool
	Handle  string
}

// LimitOutput shortens the output of a tool, whether it succeeded or failed, before it is added to the transcript. What is
// too large is kept in store, and a notice with its handle (and, of a [DirStore], its file) stands for it. Where store is
// nil or fails, the output is cut, and says so. The error is that of ctx or of the limits.
func (c *Compactor) LimitOutput(ctx context.Context, text string, l OutputLimits, store Store) (LimitedOutput, error) {
	arguments := map[string]any{}
	for _, n := range []struct {
		key   string
		value int
	}{{"max_lines", l.Lines}, {"max_bytes", l.Bytes}, {"max_chars", l.Chars}, {"spill_chars", l.SpillChars}} {
		if n.value != 0 {
			arguments[n.key] = max(0, n.value)
		}
	}
	if l.Mode != "" {
		arguments["mode"] = l.Mode
	}
	if store == nil {
		arguments["spill_chars"] = 0
	}
	out, err := c.limitOutput(ctx, text, arguments)
	if err != nil || !out.Spilled {
		return out, err
	}
	if err := store.Put(ctx, out.Handle, []byte(text)); err != nil {
		if ctx.Err() != nil {
			return LimitedOutput{}, ctx.Err()
		}
		c.log.Warn("ctxfold: an output was not kept", "bytes", len(text), "error", err)
		arguments["spill_error"] = err.Error()
		return c.limitOutput(ctx, text, arguments)
	}
	if dir, ok := store.(interface{ Path(string) (string, error) }); ok {
		if path, err := dir.Path(out.Handle); err == nil {
			arguments["place"] = path
			return c.limitOutput(ctx, text, arguments)
		}
	}
	return out, nil
}

func (c *Compactor) limitOutput(ctx context.Context, text string, arguments map[string]any) (LimitedOutput, error) {
	var a struct {
		Text             string
		Changed, Spilled bool
		Handle           string
	}
	args, err := json.Marshal(arguments)
	if err != nil {
		return LimitedOutput{}, err
	}
	quoted, err := quote(text)
	if err != nil {
		return LimitedOutput{}, err
	}
	if err := c.ask(ctx, "limit_tool_output", &a, member{key: "text", value: quoted}, member{key: "arguments", value: args}); err != nil {
		return LimitedOutput{}, err
	}
	if !a.Spilled {
		a.Handle = ""
	}
	return LimitedOutput(a), nil
}
