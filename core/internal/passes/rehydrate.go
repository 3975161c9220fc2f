package passes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// RehydratePass restores the most recently read files of which a fold removed the content. Each file becomes a user
// message after the digest, with the newest file last. Its fields are the parameters that its Kind describes.
//
//easyjson:json
type RehydratePass struct {
	Pass           string `json:"pass"`            // the pass's name
	MaxFiles       int    `json:"max_files"`       // maximum number of files to restore
	Tokens         int    `json:"tokens"`          // maximum size of all of them, in tokens
	Tool           string `json:"tool"`            // the only tool whose results are files; "" for all that read files
	AlwaysNewest   bool   `json:"always_newest"`   // whether the newest file may exceed Tokens
	ShrinkMessages bool   `json:"shrink_messages"` // whether the fold must leave fewer messages than before
}

func init() {
	Register(Kind{
		Name: "rehydrate",
		Doc:  "restores the files that were read last and whose content a fold removed, each as a user message after the digest, the newest last.",
		Make: func() Pass { return new(RehydratePass) },
		Params: []Param{
			{"max_files", "5", "max_files is the maximum number of files to restore."}, // S3.38
			{"tokens", "8000", "tokens is the maximum size of all restored files together, in tokens."},
			{"tool", `""`, `tool is the only tool whose results are files, compared without case, _ and -; "" is every tool that is known to read one.`},
			{"always_newest", "false", "always_newest restores the file read last even if it alone takes more than tokens, as long as the target has room for it."}, // S3.40
			{"shrink_messages", "false", "shrink_messages keeps the number of messages below the number before the fold."},                                          // S3.44
		},
		Messages: []*authorship.Message{{Origin: authorship.OfFile, Role: transcript.User, Prefix: authorship.RestoredPrefix, Companion: true}},
		Counts: []report.Counter{{Name: "restored", Text: "files restored after the fold",
			At: func(r *api.Report) *int { return &r.Restored }}},
	})
}

// Check reports numbers out of range; it returns "" if there are none.
func (p *RehydratePass) Check() string {
	if p.MaxFiles < 0 || p.MaxFiles > 1<<20 {
		return "max_files must be from 0 to 1,048,576 files"
	}
	return tokensRange("tokens", p.Tokens)
}

// CompletesPrevious marks the pass as a [Completer]; it does nothing.
func (p *RehydratePass) CompletesPrevious() {}

// Run restores files as far as the target has room; without a target, only the parameters limit them.
func (p *RehydratePass) Run(c Run) {
	doc := c.Doc()
	room := policy.MaxTokens
	if c.Target() > 0 {
		room = c.Target() - doc.Total
	}
	p.Restore(c, NewRehydration(doc, room))
}

// Restore puts files back that the fold removed. r selects these files.
func (p *RehydratePass) Restore(c Run, r *Rehydration) {
	doc := c.Doc()
	r.MaxFiles, r.Tokens, r.Tool, r.AlwaysNewest = p.MaxFiles, p.Tokens, p.Tool, p.AlwaysNewest
	if p.ShrinkMessages {
		r.MaxFiles = min(p.MaxFiles, len(c.Fold().Items)-2)
	}
	dropped, kept := make([]int32, len(c.Fold().Items)), make([]int32, len(doc.Items))
	for i, it := range c.Fold().Items {
		dropped[i] = it.Msg
	}
	for i, it := range doc.Items {
		kept[i] = it.Msg
	}
	files := r.Files(dropped, kept)
	for _, f := range slices.Backward(files) { // each message is inserted directly after the digest, so the oldest ends up first
		doc.Insert(c.Fold().Digest+1, doc.NewMessage(c.Fold().Digest, transcript.User, f.Text))
	}
	for _, f := range files {
		c.Report().AddAction(api.Action{Action: api.ActionRestore, Pass: "rehydrate",
			Message: int(c.Fold().Items[f.Index].In), Tokens: -f.Tokens, Path: f.Path})
	}
	c.Report().Restored += len(files)
}

// RestoredFile is a file that was read earlier and is restored.
type RestoredFile struct {
	Index  int    // the index, among the dropped messages, of the message with the file's content
	Path   string // as the tool call names it
	Text   string // the text of the message that restores it
	Tokens int    // the size of that message
	part   int32  // the index in Parts of the result with the content
}

// Rehydration selects the files to restore.
type Rehydration struct {
	view             *view.View // the view in which the files were read
	room             int        // the available room in tokens
	MaxFiles, Tokens int        // the maximum number of files, and their maximum total size in tokens
	Tool             string     // the only tool whose results are files; "" for all that read files
	AlwaysNewest     bool       // whether the newest file may exceed Tokens, up to room
	// Whole means that only successful reads of whole files count. Files come first if a kept message says that they
	// haven't changed since they were read.
	Whole bool
	// Changes passes to see the path of each file that a tool call changes; earlier reads of that file are then outdated.
	// Content returns the text of a tool result to restore, or "" if there is none.
	Changes func(t *transcript.Transcript, call *transcript.Part, see func(path string))
	Content func(result int32) string
}

// NewRehydration returns a selection from the files that were read in a view, with room for the given number of tokens.
func NewRehydration(v *view.View, room int) *Rehydration {
	r := &Rehydration{view: v, room: room, Whole: true, Changes: digest.ChangedFiles}
	r.Content = r.Original
	return r
}

// Files returns the files to restore from the messages in dropped, oldest first: the most recently read ones that the
// messages in kept lack. If AlwaysNewest is set, the newest file may exceed Tokens, as long as there is room for it
// (S3.38 to S3.41). It returns nil if nothing was dropped or no file fits.
func (r *Rehydration) Files(dropped, kept []int32) (files []RestoredFile) {
	if r.MaxFiles <= 0 || len(dropped) == 0 {
		return nil
	}
	budget := min(r.Tokens, r.room)
	if wanted := r.pointedAt(kept); wanted.Len() > 0 {
		files = r.choose(nil, &budget, dropped, kept, func(n int32) bool {
			return slices.ContainsFunc(digest.PointsTo(r.view.T, n), wanted.Has)
		})
	}
	files = r.choose(files, &budget, dropped, kept, func(int32) bool { return true })
	sorting.Func(files, func(a, b RestoredFile) int { return cmp.Or(a.Index-b.Index, int(a.part-b.part)) })
	return files
}

// choose appends files read in the messages in dropped, newest first, as far as the budget in
// tokens allows. It leaves out files that the messages in kept show, and considers only results for
// which allowed returns true.
func (r *Rehydration) choose(files []RestoredFile, budget *int, dropped, kept []int32,
	allowed func(result int32) bool) []RestoredFile {
	seen := r.visible(kept)
	for _, f := range files {
		seen.add(f.Path)
	}
	for i, m := range slices.Backward(dropped) {
		msg := &r.view.T.Messages[m]
		for n := msg.First + msg.Count - 1; n >= msg.First; n-- {
			f := r.fileAt(n, seen, allowed)
			if f.Path == "" {
				continue
			}
			if f.Tokens > *budget && !(r.AlwaysNewest && len(files) == 0 && f.Tokens <= r.room) {
				return files // the remaining files are older
			}
			f.Index = i
			*budget -= f.Tokens
			if files = append(files, f); len(files) >= r.MaxFiles {
				return files
			}
		}
	}
	return files
}

// fileAt returns the file whose content is the result at part n if it may be restored and is not in seen, and a file
// without a path otherwise. It adds that file to seen, or the files that the part changes.
func (r *Rehydration) fileAt(n int32, seen *knownFiles, allowed func(result int32) bool) (f RestoredFile) {
	r.changed(n, seen)
	path := r.read(n)
	if path == "" || seen.has(path) {
		return f
	}
	text := r.Content(n)
	if text == "" || handles.BeginsMarked(text) || r.Whole && digest.ReadingOf(r.view.T, n, text) != digest.ReadsWhole || !allowed(n) {
		return f
	}
	seen.add(path)
	f = RestoredFile{part: n, Path: path, Text: authorship.RestoredPrefix + " " + path + "\n\n" + text}
	f.Tokens = r.view.P.NewMessage(transcript.User, f.Text)
	return f
}

// pointedAt returns the keys of the reads that messages refer to by saying that a file hasn't
// changed since then. The set is empty unless r.Whole is set.
func (r *Rehydration) pointedAt(messages []int32) *critbit.Map[struct{}] {
	keys := new(critbit.Map[struct{}])
	for _, m := range messages {
		msg := &r.view.T.Messages[m]
		for n := msg.First; r.Whole && n < msg.First+msg.Count; n++ {
			if r.read(n) != "" && digest.ResultReading(r.view.T, n) == digest.ReadsSame {
				for _, key := range digest.PointsTo(r.view.T, n) {
					keys.Add(key)
				}
			}
		}
	}
	return keys
}

// read returns the path of the file whose content is the result at part n, or "" if there is none.
func (r *Rehydration) read(n int32) string {
	t := r.view.T
	p := &t.Parts[n]
	if p.Kind != transcript.ToolResult || p.Pair < 0 || p.Has(transcript.IsError) {
		return ""
	}
	name := digest.ToolName(t, int(n))
	if r.Tool != "" && digest.ToolKey(name) != digest.ToolKey(r.Tool) || r.Tool == "" && !digest.ReadsFile(name) {
		return ""
	}
	return digest.Path(t, &t.Parts[p.Pair])
}

// changed adds the files that the tool call at part n changes to seen.
func (r *Rehydration) changed(n int32, seen *knownFiles) {
	if p := &r.view.T.Parts[n]; p.Kind == transcript.ToolCall {
		r.Changes(r.view.T, p, seen.add)
	}
}

// visible returns the files that need not be restored, because their content is still in the messages or because the
// messages change them.
func (r *Rehydration) visible(messages []int32) *knownFiles {
	seen := new(knownFiles)
	for _, m := range messages {
		msg := &r.view.T.Messages[m]
		for n := msg.First; n < msg.First+msg.Count; n++ {
			if path := r.read(n); path != "" && !handles.Cleared(r.view, n) && (!r.Whole || digest.ResultReading(r.view.T, n) == digest.ReadsWhole) {
				seen.add(path)
			}
			r.changed(n, seen)
		}
	}
	return seen
}

// knownFiles is a set of files. An absolute path counts as an element if it ends with a relative
// path in the set.
type knownFiles struct {
	paths    critbit.Map[struct{}]
	relative []string // the relative paths, up to mostRelative
}

// mostRelative is the maximum number of relative paths that are compared with absolute ones.
const mostRelative = 64

// add adds a path. It ignores "", the path of an unknown file.
func (k *knownFiles) add(path string) {
	if path == "" || k.paths.Has(path) {
		return
	}
	k.paths.Add(path)
	if path[0] != '/' && len(k.relative) < mostRelative {
		k.relative = append(k.relative, "/"+strings.TrimPrefix(path, "./"))
	}
}

// has reports whether the set has the file with a path.
func (k *knownFiles) has(path string) bool {
	return k.paths.Has(path) || path[0] == '/' && slices.ContainsFunc(k.relative, func(end string) bool { return strings.HasSuffix(path, end) })
}

// Original returns the text that the tool result at part n had in the input, even if passes have replaced it.
func (r *Rehydration) Original(n int32) string { return originalText(r.view, n) }

// originalText returns the text of the tool result at part n before any edit. The texts in a list of parts are joined
// with line feeds.
func originalText(v *view.View, n int32) string {
	t, body := v.T, v.Original(n)
	if t.IsString(body) {
		return t.Text(body)
	}
	var text []byte
	for _, in := range t.InnerParts(int(n)) {
		if in.Kind == transcript.Text {
			if len(text) > 0 {
				text = append(text, '\n')
			}
			text = t.AppendText(text, in.Body)
		}
	}
	return string(text)
}
