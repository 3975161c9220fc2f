package ctxfold

import (
	"context"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/object"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// OutputLimits are the limits for a tool's output in the transcript. Zero values mean the defaults in
// docs/reference/abi.md (limit_tool_output); negative values mean no limit.
type OutputLimits struct {
	Lines int
	Bytes int
	// Chars and SpillChars are counted in Unicode scalar values. An output longer than SpillChars is stored in full
	// elsewhere.
	Chars, SpillChars int
	Mode              api.LimitMode
}

// LimitOutput shortens a tool's output, whether the tool succeeded or failed, before it is added to the transcript. A large output is put
// into store and replaced by a notice that names its handle and, for a [DirStore], its file. If store is nil or fails, the output is cut
// and a notice says so. It returns an error if ctx has ended or the limits are invalid.
func (c *Compactor) LimitOutput(ctx context.Context, text string, l OutputLimits, store Store) (api.LimitedOutput, error) {
	given := func(o *object.Object) {
		for _, n := range []struct {
			key   string
			value int
		}{{"max_lines", l.Lines}, {"max_bytes", l.Bytes}, {"max_chars", l.Chars}} {
			if n.value != 0 {
				o.Int(n.key, max(0, n.value))
			}
		}
		if l.SpillChars != 0 || store == nil {
			spill := max(0, l.SpillChars)
			if store == nil {
				spill = 0
			}
			o.Int("spill_chars", spill)
		}
		if l.Mode != "" {
			o.String("mode", string(l.Mode))
		}
	}
	limit := func(key, value string) (out api.LimitedOutput, err error) {
		o := object.New(nil)
		if given(o); key != "" {
			o.String(key, value)
		}
		_, err = c.do(ctx, operations.OpLimitToolOutput, &out, newEnvelope(textMember(text), member{operations.InArguments, o.End()}))
		if !out.Spilled {
			out.Handle = ""
		}
		return out, err
	}
	out, err := limit("", "")
	if err != nil || !out.Spilled {
		return out, err
	}
	if err := store.Put(ctx, out.Handle, []byte(text)); err != nil {
		if ctx.Err() != nil {
			return api.LimitedOutput{}, ctx.Err()
		}
		c.log.Warn("ctxfold: an output was not kept", "bytes", len(text), "error", err)
		return limit("spill_error", err.Error())
	}
	if dir, ok := store.(interface{ Path(string) (string, error) }); ok {
		if path, err := dir.Path(out.Handle); err == nil {
			return limit("place", path)
		}
	}
	return out, nil
}
