package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// A shell may return before its command has ended, with an id. A later call of another tool, which names the id, then
// returns the outcome of the command.

// addCommand adds the command of a shell whose result is part n of message i. failed means that the tool reported an
// error. If the command runs on, it is added when its outcome is known.
func (r *turnReader) addCommand(i int, n int32, script, output string, failed bool) {
	if script == "" {
		return
	}
	c := r.started(i, script, output, failed)
	if work, _ := startedWork(r.t, n); work.ID != "" {
		r.shells.Set(work.ID, c)
		return
	}
	r.addOutcome(c)
}

// awaited returns the running command whose output a call reads, or nil.
func (r *turnReader) awaited(call *transcript.Part) (c *execution) {
	if r.shells.Len() == 0 || !polling.hasTool(r.t.Name(call.Name)) {
		return nil
	}
	args := argumentsOf(r.t, call)
	s := jsonspan.New(args)
	if len(args) == 0 || s.Kind() != jsonspan.Object {
		return nil
	}
	for key := range s.Members {
		name, value := lower(string(key)), strings.Trim(string(s.Skip().Slice(args)), `"`)
		if known, found := r.shells.Get(value); found && !known.over && strings.HasSuffix(name, "id") {
			c = known
		}
	}
	return c
}

// addAwaited adds a command that ran on if output, which a call in message i returned, says that the command has ended.
// failed means that this call reported an error.
func (r *turnReader) addAwaited(i int, c *execution, output string, failed bool) {
	if exitIn(output) == "" {
		return
	}
	c.run, c.message, c.output = runOf(c.script, output, failed), i, withoutEnvelope(output)
	r.addOutcome(c)
}
