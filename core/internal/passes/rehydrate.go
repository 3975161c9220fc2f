package passes

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/api"
	"github.com/ctxfold/ctxfold/core/internal/archive"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// rehydratePass puts the files back that were read last before a fold took their content away, each as a message of the
// user behind the digest, the newest last.
//
//easyjson:json
type rehydratePass struct {
	Pass           string `json:"pass"`
	MaxFiles       int    `json:"max_files"`
	Tokens         int    `json:"tokens"`
	Tool           string `json:"tool"`
	AlwaysNewest   bool   `json:"always_newest"`
	ShrinkMessages bool   `json:"shrink_messages"`
}

func init() {
	Register(Kind{
		Name: "rehydrate",
		Doc:  "puts the files back that were read last before a fold took their content away, each as a message of the user behind the digest, the newest last.",
		Make: func() Pass { return new(rehydratePass) },
		Params: []Param{
			{"max_files", "5", "max_files is how many files are restored at the most."}, // S3.38
			{"tokens", "8000", "tokens is how much they may take together."},
			{"tool", `""`, `tool is the only tool whose results are files, compared without case, _ and -; "" is every tool that is known to read one.`},
			{"always_newest", "false", "always_newest restores the file read last although it alone takes more than Tokens, as long as the target has room for it."}, // S3.40
			{"shrink_messages", "false", "shrink_messages keeps the number of messages below what it was before the fold."},                                          // S3.44
		},
		Messages: []*view.Message{{Origin: view.OfFile, Role: transcript.User, Prefix: view.RestoredPrefix, Companion: true}},
		Counts: []view.Counter{{Name: "restored", Text: "files put back after the fold",
			At: func(r *api.Report) *int { return &r.Restored }}},
	})
}

// How much is restored where nothing else is said (S3.38).
const (
	MaxRestored    = 5    // files
	RestoredTokens = 8000 // tokens
)

func (p *rehydratePass) Check() string {
	if p.MaxFiles < 0 || p.MaxFiles > 1<<20 {
		return "max_files must be from 0 to 1,048,576 files"
	}
	return tokensRange("tokens", p.Tokens)
}

func (p *rehydratePass) Follows() bool { return true }

func (p *rehydratePass) Run(c *Run) {
	if p.ShrinkMessages {
		own := *p // the policy's serves other runs
		p, own.MaxFiles = &own, min(p.MaxFiles, len(c.Folded)-2)
	}
	r := rehydration{View: c.View, pass: p, exact: !c.Policy.Safe(), room: policy.MaxTokens}
	if !r.exact && c.Target > 0 {
		r.room = c.Target - c.Total
	}
	dropped, kept := make([]int32, len(c.Folded)), make([]int32, len(c.Items))
	for i, it := range c.Folded {
		dropped[i] = it.Msg
	}
	for i, it := range c.Items {
		kept[i] = it.Msg
	}
	files := r.files(dropped, kept)
	for _, f := range slices.Backward(files) { // each goes right behind the digest, so the oldest ends up first
		c.Insert(c.digest+1, c.F.Message(nil, transcript.User, f.Text))
	}
	for _, f := range files {
		c.Act(api.Action{Action: api.ActionRestore, Pass: "rehydrate", Message: int(c.Folded[f.Index].In), Tokens: -f.Tokens, Path: f.Path})
	}
	c.Report.Restored += len(files)
}

// RestoredFile is a file that was read and is put back.
type RestoredFile struct {
	Index  int // of the message with its content, among those dropped
	Path   string
	Text   string // of the message that puts it back
	Tokens int    // of that message
}

// RehydrateRecentReads is the files that were read last in the messages dropped of v, oldest first, that do not stand in the
// messages kept as well: at most maxFiles files of together at most budget tokens, but the newest one whatever its size (S3.38 to S3.41).
// tool is the tool that reads files, "" any that is known to. exact goes by reads alone; otherwise a file that was changed
// after it was read is not put back.
func RehydrateRecentReads(v *view.View, dropped, kept []int32, maxFiles, budget int, tool string, exact bool) []RestoredFile {
	r := rehydration{View: v, exact: exact, room: policy.MaxTokens,
		pass: &rehydratePass{MaxFiles: maxFiles, Tokens: budget, Tool: tool, AlwaysNewest: true}}
	return r.files(dropped, kept)
}

// rehydration is the choice of the files that are put back.
type rehydration struct {
	*view.View
	pass  *rehydratePass
	exact bool
	room  int // tokens that there are in all
}

// files are those put back, oldest first.
func (r *rehydration) files(dropped, kept []int32) (files []RestoredFile) {
	if r.pass.MaxFiles <= 0 || len(dropped) == 0 {
		return nil
	}
	budget := min(r.pass.Tokens, r.room)
	seen := r.visible(kept)
	for i, m := range slices.Backward(dropped) {
		msg := &r.T.Messages[m]
		for n := msg.First + msg.Count - 1; n >= msg.First; n-- {
			if path := r.edited(n); path != "" {
				seen.Add(path) // what was read before is no longer what the file holds
			}
			path := r.read(n)
			if path == "" || seen.Has(path) {
				continue
			}
			text := r.content(n)
			if text == "" || text == archive.ClearedMarker {
				continue
			}
			seen.Add(path)
			f := RestoredFile{Index: i, Path: path, Text: view.RestoredPrefix + " " + path + "\n\n" + text}
			f.Tokens = r.P.NewMessage(transcript.User, f.Text)
			if f.Tokens > budget && !(r.pass.AlwaysNewest && len(files) == 0 && f.Tokens <= r.room) {
				slices.Reverse(files)
				return files // those behind it are older
			}
			budget -= f.Tokens
			if files = append(files, f); len(files) == r.pass.MaxFiles {
				slices.Reverse(files)
				return files
			}
		}
	}
	slices.Reverse(files)
	return files
}

// read is the path of the file whose content the part at index n is the result of reading; "" if it is none.
func (r *rehydration) read(n int32) string {
	p := &r.T.Parts[n]
	if p.Kind != transcript.ToolResult || p.Pair < 0 || p.Has(transcript.IsError) {
		return ""
	}
	name := digest.ToolName(r.T, int(n))
	if r.pass.Tool != "" && digest.ToolKey(name) != digest.ToolKey(r.pass.Tool) || r.pass.Tool == "" && !digest.ReadsFile(name) {
		return ""
	}
	return digest.Path(r.T, &r.T.Parts[p.Pair])
}

// edited is the path of the file that the tool call at index n changes; "" if it is none.
func (r *rehydration) edited(n int32) string {
	p := &r.T.Parts[n]
	if p.Kind != transcript.ToolCall || r.exact || !digest.EditsFile(r.T.Text(p.Name)) {
		return ""
	}
	return digest.Path(r.T, p)
}

// visible are the files whose content still stands in messages, and those that were changed in them.
func (r *rehydration) visible(messages []int32) *critbit.Map[struct{}] {
	seen := new(critbit.Map[struct{}])
	for _, m := range messages {
		msg := &r.T.Messages[m]
		for n := msg.First; n < msg.First+msg.Count; n++ {
			if path := r.read(n); path != "" && !archive.Cleared(r.View, n) {
				seen.Add(path)
			}
			if path := r.edited(n); path != "" {
				seen.Add(path)
			}
		}
	}
	return seen
}

// content is the text of a tool result as it came in, whatever passes have put in its place. Exactly, what a pass has cleared is
// gone (S3.41).
func (r *rehydration) content(n int32) string {
	if r.exact && archive.Cleared(r.View, n) {
		return ""
	}
	body := r.Original(n)
	if r.T.IsString(body) {
		return r.T.Text(body)
	}
	var text []byte
	for _, in := range r.T.Inner(int(n)) {
		if in.Kind == transcript.Text {
			text = r.T.AppendText(text, in.Body)
		}
	}
	return string(text)
}
