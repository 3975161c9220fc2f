package sessionfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// edits sets, for each entry of the path from index begin on, the last edit that changes it.
func (p *pi) edits(begin int) {
	last := filled(p.numbers, -1)
	for _, i := range p.path[begin:] {
		if e := &p.entries[i]; e.kind == piEdit && e.target != noID {
			last[e.target] = i
		}
	}
	for _, i := range p.path[begin:] {
		if e := &p.entries[i]; e.id != noID {
			e.edit = last[e.id]
		}
	}
}

// omitted reports whether an edit removes an entry.
func (p *pi) omitted(e *piEntry) bool {
	if e.edit < 0 {
		return false
	}
	v := p.entries[e.edit].value
	return v.IsZero() || p.src[v.Start] != '{'
}

// replaced returns the content that an edit gives to a message, as JSON, or "" if the edit doesn't change it; the
// content of summaries and commands can't be changed. empty is true if nothing is left to send. was is true if the
// message was empty before the edit.
func (p *pi) replaced(e *piEntry, was bool) (content string, empty bool) {
	if p.omitted(e) || e.role == nil {
		return "", was
	}
	native := e.role.native
	if native != "user" && native != "assistant" && native != "tool_result" && native != "custom" {
		return "", was
	}
	at := find(p.src, p.entries[e.edit].value, "content")
	if at.IsZero() {
		content = "[]"
	} else if content = string(at.Slice(p.src)); content[0] == '"' && (native == "assistant" || native == "tool_result") {
		content = `[{"type":"text","text":` + content + `}]`
	}
	return content, native != "tool_result" &&
		(content == `""` || content[0] == '[' && len(elements([]byte(content))) == 0)
}

// system reads the system prompt: the texts of all valid system messages, followed by the last version of each section.
// The prompt from before a compaction is stored in the compaction. last is the index of the last compaction in the
// path, or -1.
func (p *pi) system(last int) {
	for k := max(last, 0); k < len(p.path); k++ {
		switch e := &p.entries[p.path[k]]; {
		case p.omitted(e):
		case e.kind == piSystem:
			p.prompts = append(p.prompts, e.body)
		case k == last && !e.value.IsZero() && p.src[e.value.Start] == '{':
			p.prompts = append(p.prompts, e.value)
		}
	}
	var texts []string
	for _, at := range p.prompts {
		if c := find(p.src, at, "content"); !c.IsZero() {
			if text := onlyText(scanner(p.src, c.Start)); text != "" {
				texts = append(texts, text)
			}
		}
	}
	p.texts = slices.Clip(texts)
	for _, section := range p.replay("sections") {
		texts = append(texts, jsonspan.Text(p.src, section.value))
	}
	p.System = strings.Join(texts, "\n\n")
}

// piNamed is a named section of the system prompt, or a named tool.
type piNamed struct {
	name string // the name by which later messages replace it
	// For a tool, the tool twice; for a section, the member and its text. A zero value means that it was removed.
	span, value jsonspan.Span
}

// replay returns the sections or tools that result from all valid system messages, in which later ones may replace or
// remove those of earlier ones. list is "sections" for the sections; any other value requests the tools.
func (p *pi) replay(list string) []piNamed {
	var at critbit.Map[int]
	var all []piNamed
	set := func(n piNamed) {
		i, known := at.Get(n.name)
		if !known {
			i = len(all)
			at.Set(n.name, i)
			all = append(all, n)
		}
		all[i] = n
	}
	for _, prompt := range p.prompts {
		if in := find(p.src, prompt, list); list == "sections" && !in.IsZero() && p.src[in.Start] == '{' {
			s := scanner(p.src, in.Start)
			members(s, func(key []byte) bool {
				name, from := string(key), s.KeyPos()
				value := stringSpan(s)
				set(piNamed{name, jsonspan.Span{Start: from, End: s.Pos()}, value})
				return true
			})
		}
		if list == "sections" {
			continue
		}
		for _, tool := range items(p.src, find(p.src, prompt, "toolsRemoved")) {
			set(piNamed{jsonspan.Text(p.src, find(p.src, tool, "name")), tool, jsonspan.Span{}})
		}
		for _, tool := range items(p.src, find(p.src, prompt, "toolsAdded")) {
			set(piNamed{jsonspan.Text(p.src, find(p.src, tool, "name")), tool, tool})
		}
	}
	return slices.DeleteFunc(all, func(n piNamed) bool { return n.value.IsZero() })
}

// prompt returns a single system message that combines all valid ones, as JSON, or "" if there is none.
func (p *pi) prompt(millis int64) string {
	switch len(p.prompts) {
	case 0:
		return ""
	case 1:
		return string(p.prompts[0].Slice(p.src))
	}
	out := append([]byte(`{"role":"system","content":`), jsonspan.AppendString(nil, strings.Join(p.texts, "\n\n"))...)
	for _, list := range []struct{ name, key, end string }{{"sections", `,"sections":{`, `}`}, {"tools", `,"toolsAdded":[`, `]`}} {
		all := p.replay(list.name)
		for i, n := range all {
			if i == 0 {
				out = append(out, list.key...)
			} else {
				out = append(out, ',')
			}
			out = append(out, n.span.Slice(p.src)...)
		}
		if len(all) > 0 {
			out = append(out, list.end...)
		}
	}
	return string(strconv.AppendInt(append(out, `,"timestamp":`...), max(0, millis), 10)) + "}"
}
