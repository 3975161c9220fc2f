package core_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/mailru/easyjson/jlexer"
)

// jobCore is what the hosts of a simulated world call.
type jobCore interface {
	// start and event are the operations loop_start and loop_event; nil if the call failed, which violates the simulation.
	start(j *simulatedJob, messages string) *api.JobProgress
	event(j *simulatedJob, e *api.JobEvent, messages string) *api.JobProgress
	// refusal says why a provider refuses the messages; "" if it accepts them.
	refusal(w *world, messages []string) string
	// restore returns the whole history behind sent messages, from the bodies that the world has stored.
	restore(w *world, messages []string, state api.Raw) []string
}

// wholeCore is the core that hosts call, through JSON.
type wholeCore struct{}

func (wholeCore) start(j *simulatedJob, messages string) *api.JobProgress {
	members := []string{`"policy":` + j.policy, `"settings":` + encoded(j.settings), `"options":{"answer":"edits"` + j.w.options + `}`}
	if j.kept != nil && j.kept.state != nil {
		members = append(members, `"state":`+string(j.kept.state))
	}
	return progressOf(j, j.w.call("loop_start", append(members, `"messages":`+messages)...))
}

func (wholeCore) event(j *simulatedJob, e *api.JobEvent, messages string) *api.JobProgress {
	members := []string{`"job":` + string(j.job), `"event":` + encoded(e)}
	if messages != "" {
		members = append(members, `"messages":`+messages)
	}
	return progressOf(j, j.w.call("loop_event", members...))
}

func (wholeCore) refusal(w *world, messages []string) string {
	var valid struct {
		Valid      bool
		Violations json.RawMessage
	}
	answer := w.call("validate", `"policy":{"format":"openai-chat"}`, `"messages":[`+strings.Join(messages, ",")+`]`)
	if json.Unmarshal(answer, &valid) == nil && valid.Valid {
		return ""
	}
	return "what is sent is refused: " + string(valid.Violations)
}

func (wholeCore) restore(w *world, messages []string, state api.Raw) []string {
	var bodies []string
	for _, handle := range slices.Sorted(maps.Keys(w.bodies)) {
		bodies = append(bodies, fmt.Sprintf(`{"handle":%q,"body":%s}`, handle, w.bodies[handle]))
	}
	members := []string{`"policy":{"format":"openai-chat"}`, `"bodies":[` + strings.Join(bodies, ",") + `]`, `"messages":[` + strings.Join(messages, ",") + `]`}
	if state != nil {
		members = append(members, `"state":`+string(state))
	}
	var whole struct{ Messages json.RawMessage }
	if answer := w.call("restore", members...); json.Unmarshal(answer, &whole) != nil {
		w.violated("nothing comes back: %.300s", answer)
	}
	return elements(string(whole.Messages))
}

// call runs an operation of the whole core, and requires an answer that is no error.
func (w *world) call(op string, members ...string) api.Raw {
	answer := core.Call(op, []byte("{"+strings.Join(members, ",")+"}"))
	if strings.HasPrefix(string(answer), `{"error"`) {
		w.violated("%s: %s", op, answer)
		return nil
	}
	return answer
}

func progressOf(j *simulatedJob, answer api.Raw) *api.JobProgress {
	if answer == nil {
		return nil
	}
	var p api.JobProgress
	l := jlexer.Lexer{Data: answer}
	if p.UnmarshalEasyJSON(&l); l.Error() != nil {
		j.w.violated("%s: %v in %s", j.name, l.Error(), answer)
		return nil
	}
	return &p
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// elements returns the elements of a JSON list, without white space around them.
func elements(list string) (texts []string) {
	if list == "" {
		return nil
	}
	s := jsonspan.New([]byte(list))
	for s.Array(); s.Elem(); {
		v := s.Skip()
		texts = append(texts, list[v.Start:v.End])
	}
	if s.Err() != nil {
		panic(list)
	}
	return texts
}

// edit is one edit of a result.
type edit struct {
	Keep            []int
	Insert, Message json.RawMessage
	Set             *int
}

// edited applies the edits of a result, as JSON, to the messages from which they were made. was says which message each of the new ones
// was, or -1.
func edited(edits json.RawMessage, messages []string) (sent []string, was []int, err error) {
	var list []edit
	if err := json.Unmarshal(edits, &list); err != nil {
		return nil, nil, err
	}
	for _, e := range list {
		switch {
		case e.Keep != nil:
			for i := e.Keep[0]; i < e.Keep[1]; i++ {
				sent, was = append(sent, messages[i]), append(was, i)
			}
		case e.Set != nil:
			sent, was = append(sent, string(e.Message)), append(was, *e.Set)
		default:
			sent, was = append(sent, string(e.Insert)), append(was, -1)
		}
	}
	return sent, was, nil
}
