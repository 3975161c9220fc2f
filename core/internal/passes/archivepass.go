package passes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// ArchivePass replaces old tool results with short summaries written by the host's model, or with excerpts if there is
// no model (S4.23 to S4.28). Calls, ids and the order of messages don't change. Its fields are the parameters that its
// Kind describes.
//
//easyjson:json
type ArchivePass struct {
	Pass         string   `json:"pass"`          // the pass's name
	KeepRecent   int      `json:"keep_recent"`   // number of newest results that stay; 0 turns the pass off
	Mode         string   `json:"mode"`          // who writes the summaries: "model" or "local"
	MinTokens    int      `json:"min_tokens"`    // minimum size of a result to summarize, in tokens
	MaxRequests  int      `json:"max_requests"`  // maximum number of summaries by the model
	MaxInput     int      `json:"max_input"`     // how much of a result the model is shown, in runes
	MaxOutput    int      `json:"max_output"`    // how much of its answer is used, in runes
	Excerpt      int      `json:"excerpt"`       // maximum length of an excerpt, in runes
	Batch        int      `json:"batch"`         // number of results per summary; 0 is 1
	MaxBatches   int      `json:"max_batches"`   // maximum number of batches; 0 is no limit
	Tools        []string `json:"tools"`         // the tools whose results may be archived; empty for all
	ExcludeTools []string `json:"exclude_tools"` // the tools whose results stay
}

func init() {
	Register(Kind{
		Name: "archive",
		Doc:  "replaces old tool results with short summaries, written by the host's model or excerpted by code. Calls, ids and order stay.",
		Make: func() Pass { return new(ArchivePass) },
		Params: []Param{
			{"keep_recent", "10", "keep_recent is the number of newest tool results that stay; 0 turns the pass off."}, // S4.23, S4.24
			{"mode", `"model"`, `mode is who writes the summaries: "model" (the host is asked, unless the policy's summary.mode is "local") or "local" (excerpts).`},
			{"min_tokens", "400", "min_tokens is the minimum size of a result to be summarized, in tokens."},
			{"max_requests", "8", "max_requests is the maximum number of summaries that the model is asked for in one compaction, for the newest results; other results become excerpts."},
			{"max_input", "12000", "max_input, max_output and excerpt are Unicode scalar values: how much of a result the model is shown, how much of its answer is used, and how much an excerpt has."}, // S4.26, S4.27
			{"max_output", "1200", ""},
			{"excerpt", "800", ""},
			{"batch", "0", "batch is the number of results that one summary covers; 0 and 1 mean one summary per result."}, // S4.30
			{"max_batches", "0", "max_batches is the maximum number of batches that are summarized in one compaction, the oldest results first; 0 means no limit."},
			{"tools", "[]", "tools are the tools whose results may be archived; empty means all. Results of exclude_tools never are."},
			{"exclude_tools", "[]", ""},
		},
		Markers: []handles.Marking{{Text: handles.SummaryMarker, Follows: true}},
		Counts:  []report.Counter{cleared},
	})
}

// Check reports an unknown mode and numbers out of range; it returns "" if there are none.
func (p *ArchivePass) Check() string {
	if p.Mode != "model" && p.Mode != "local" {
		return `mode must be "model" or "local"`
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"keep_recent", p.KeepRecent}, {"max_requests", p.MaxRequests}, {"max_input", p.MaxInput},
		{"max_output", p.MaxOutput}, {"excerpt", p.Excerpt},
		{"batch", p.Batch}, {"max_batches", p.MaxBatches}} {
		if problem := countRange(n.name, n.value, ""); problem != "" {
			return problem
		}
	}
	return tokensRange("min_tokens", p.MinTokens)
}

// Run replaces old results with summaries, once the model has written these.
func (p *ArchivePass) Run(c Run) {
	if p.KeepRecent == 0 {
		return
	}
	doc := c.Doc()
	batches := p.divide(c)
	all := slices.Concat(batches...)
	unsqueezeAll(c, all)
	texts := p.texts(c, batches)
	if len(c.Summary().Requests()) > 0 {
		after := doc.Total
		for _, r := range all {
			after -= resultSize(doc, r.part)
		}
		c.Summary().RecordForecast(all[0].item, after)
		return
	}
	for k, batch := range batches {
		said := make([]string, len(batch))
		gain := 0
		for i := range batch {
			said[i] = "\n" + texts[k]
			if i > 0 {
				said[i] = "\n" + digest.BatchStandIn(doc.T, int(batch[0].part))
			}
			batch[i].gain = clearing(doc, batch[i].part, c.Archive().Sized(handles.SummaryMarker)+said[i])
			gain += batch[i].gain
		}
		if gain > 0 {
			replace(c, batch, "archive", "archive", handles.SummaryMarker, func(i int) string { return said[i] })
		}
	}
}

// texts returns a text for each batch: the model's summary for the newest batches, and an excerpt
// for batches beyond MaxRequests and where the summary is missing or was rejected.
func (p *ArchivePass) texts(c Run, batches [][]result) []string {
	texts := make([]string, len(batches))
	local := p.Mode == "local" || c.Policy().UsesLocalDigest()
	for k, batch := range batches {
		if texts[k] = p.excerpt(c, batch); local || k < len(batches)-p.MaxRequests {
			continue
		}
		switch text, why, ok := p.summarize(c, "archive-"+strconv.Itoa(k+1), batch); {
		case ok && why == "":
			texts[k] = text
		case ok:
			c.Report().Summary.Fault = why
		}
	}
	return texts
}

// divide groups the results to archive into batches, oldest first. Each batch gets one summary (S4.30).
func (p *ArchivePass) divide(c Run) (batches [][]result) {
	doc := c.Doc()
	var old []result
	for _, r := range oldResults(c, p.KeepRecent, ToolFilter(p.Tools, p.ExcludeTools)) {
		if resultSize(doc, r.part) >= max(1, p.MinTokens) {
			old = append(old, r)
		}
	}
	for size := max(1, p.Batch); len(old) > 0 && (size == 1 || p.MaxBatches == 0 || len(batches) < p.MaxBatches); {
		n := min(size, len(old))
		batches, old = append(batches, old[:n]), old[n:]
	}
	return batches
}

// resultSize returns the size in tokens of the tool result at part n, including everything inside it.
func resultSize(doc *view.View, n int32) int {
	return doc.P.Parts(doc.T, doc.T.Parts[n:int(n)+1+len(doc.T.InnerParts(int(n)))])
}

// summarize returns the model's summary of a batch; its results are those of [summary.Writer.AskOnce]. The model gets
// as many runes of each result as fit. id identifies the request for this batch.
func (p *ArchivePass) summarize(c Run, id string, batch []result) (text string, why api.SummaryFault, ok bool) {
	doc := c.Doc()
	outputs, folded, most := make([]digest.ToolOutput, len(batch)), 0, p.MaxOutput
	for i, r := range batch {
		outputs[i] = digest.ToolOutputAt(doc.T, int(r.part))
		folded += resultSize(doc, r.part)
	}
	if p.Batch > 1 {
		most = max(most, digest.BatchOutput)
	}
	output := max(64, doc.P.ASCII(most))
	var q digest.Prompt
	for room := max(1, p.MaxInput); ; room /= 2 {
		if q = digest.ToolPrompt(outputs, p.Batch > 1, room); room < 200 || c.Summary().FitsWindow(&q, output) {
			break
		}
	}
	if text, why, ok = c.Summary().AskOnce(id, q, output, folded); why == "" {
		if text = digest.TrimRunes(digest.Fence(text), max(1, most)); p.Batch > 1 {
			text = digest.BatchBody(outputs, text)
		}
	}
	return text, why, ok
}

// excerpt returns the text that replaces a batch if the model doesn't summarize it (S4.27).
func (p *ArchivePass) excerpt(c Run, batch []result) string {
	doc := c.Doc()
	if p.Batch > 1 {
		outputs := make([]digest.ToolOutput, len(batch))
		for i, r := range batch {
			outputs[i] = digest.ToolOutputAt(doc.T, int(r.part))
		}
		return digest.BatchBody(outputs, digest.BatchExcerpt(outputs))
	}
	text := digest.ResultText(doc.T, int(batch[0].part))
	if strings.TrimSpace(text) == "" {
		text = "(empty output)"
	}
	status := "ok"
	if doc.T.Parts[batch[0].part].Has(transcript.IsError) {
		status = "error"
	}
	return "Status: " + status + "\n" + digest.TrimWithTail(text, max(1, p.Excerpt))
}
