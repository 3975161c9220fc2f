package compact

import (
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// RestoredPrefix begins the message that holds a restored file (S3.38).
const RestoredPrefix = "[Restored file after compaction]"

// rehydratePass puts the files back that were read last before a fold took their content away, each as a message of the
// user behind the digest, the newest last.
//
//easyjson:json
type rehydratePass struct {
	Pass string `json:"pass"`
	// MaxFiles is how many files are restored at the most.
	MaxFiles int `json:"max_files"`
	// Tokens is how much they may take together.
	Tokens int `json:"tokens"`
	// ShrinkMessages keeps the number of messages below what it was before the fold (S3.44).
	ShrinkMessages bool `json:"shrink_messages"`
}

func init() { register("rehydrate", func() pass { return &rehydratePass{MaxFiles: 5, Tokens: 8000} }) }

func (p *rehydratePass) check() string {
	if p.MaxFiles < 0 || p.MaxFiles > 1<<20 {
		return "max_files must be from 0 to 1,048,576 files"
	}
	return tokensRange("tokens", p.Tokens)
}

func (p *rehydratePass) follows() bool { return true }

func (p *rehydratePass) run(c *Run) {
	files, budget := p.MaxFiles, p.Tokens
	if c.Target > 0 {
		budget = min(budget, c.Target-c.Total)
	}
	if p.ShrinkMessages {
		files = min(files, len(c.folded)-2)
	}
	if files <= 0 || len(c.folded) == 0 {
		return
	}
	seen := c.visibleFiles()
	var restored [][]byte
	var actions []Action
	for i := len(c.folded) - 1; i >= 0 && len(restored) < files; i-- {
		msg := &c.T.Messages[c.folded[i].Msg]
		for n := msg.First + msg.Count - 1; n >= msg.First && len(restored) < files; n-- {
			if path := c.fileEdited(n); path != "" {
				seen[path] = true // what was read before is no longer what the file holds
			}
			path := c.fileRead(n)
			if path == "" || seen[path] {
				continue
			}
			seen[path] = true
			text := c.originalText(n)
			if text == "" || text == ClearedMarker {
				continue
			}
			text = RestoredPrefix + " " + path + "\n\n" + text
			cost := c.P.NewMessage(transcript.User, text)
			if cost > budget {
				i = 0 // the files behind it are older
				break
			}
			budget -= cost
			restored = append(restored, c.F.Message(nil, transcript.User, text))
			actions = append(actions, Action{Action: "restore", Pass: "rehydrate", Message: int(c.folded[i].In), Tokens: -cost, Path: path})
		}
	}
	for k, text := range restored { // each goes right behind the digest, so the oldest ends up first
		c.Insert(c.digest+1, text)
		c.act(actions[len(actions)-1-k])
	}
	c.Report.Restored += len(restored)
}

// fileRead is the path of the file whose content the part at index n is the result of reading; "" if it is none.
func (c *Run) fileRead(n int32) string {
	p := &c.T.Parts[n]
	if p.Kind != transcript.ToolResult || p.Pair < 0 || p.Has(transcript.IsError) || !digest.ReadsFile(digest.ToolName(c.T, int(n))) {
		return ""
	}
	return digest.Path(c.T, &c.T.Parts[p.Pair])
}

// fileEdited is the path of the file that the tool call at index n changes; "" if it is none. A preset that reproduces a
// published system does not look.
func (c *Run) fileEdited(n int32) string {
	p := &c.T.Parts[n]
	if p.Kind != transcript.ToolCall || !c.Policy.Safe() || !digest.EditsFile(c.T.Text(p.Name)) {
		return ""
	}
	return digest.Path(c.T, p)
}

// visibleFiles are the files whose content still stands in the items, and those that were changed in them.
func (c *Run) visibleFiles() map[string]bool {
	seen := map[string]bool{}
	for _, it := range c.Items {
		msg := &c.T.Messages[it.Msg]
		for n := msg.First; n < msg.First+msg.Count; n++ {
			if path := c.fileRead(n); path != "" && !c.cleared(n) {
				seen[path] = true
			}
			if path := c.fileEdited(n); path != "" {
				seen[path] = true
			}
		}
	}
	return seen
}

// originalText is the text of a tool result as it came in, whatever passes have put in its place.
func (c *Run) originalText(n int32) string {
	body := c.Original(n)
	if c.T.IsString(body) {
		return c.T.Text(body)
	}
	var text []byte
	for _, in := range c.T.Inner(int(n)) {
		if in.Kind == transcript.Text {
			text = c.T.AppendText(text, in.Body)
		}
	}
	return string(text)
}
