package wire_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

var writeTypes = flag.Bool("types", false, "write how types are treated into testdata/types.json and docs/guides/formats.md anew")

// typed is a type of parts or items in an SDK, or a role or a key of its messages, with a sample. If it is inside another type, the name
// says so. A test in js/test/judges compares the names with the types of the SDKs.
type typed struct {
	Format  string `json:"format"`
	Type    string `json:"type"`
	Sample  string `json:"sample"`
	Treated string `json:"treated"`
}

// treatment describes how the type in its sample is read.
func (e *typed) treatment(t *transcript.Transcript) string {
	name, where, _ := strings.Cut(e.Type, " in ")
	name, role := strings.CutPrefix(name, "role ")
	name, _, _ = strings.Cut(name, "$") // a type that an application ends
	var found *transcript.Part
	for i := range t.Parts {
		p := &t.Parts[i]
		inside := strings.HasPrefix(where, "a ")
		if p.Has(transcript.Stored) && p.List == transcript.Member || inside != (p.Parent >= 0) || role || !p.Span.IsZero() && !bytes.Contains(t.Bytes(p.Span), []byte(`"`+name)) {
			continue
		}
		if found == nil || p.Span.Len() < found.Span.Len() {
			found = p
		}
	}
	if found == nil {
		if t.Messages[0].Variant == transcript.Digest || t.Messages[0].Variant == transcript.Branch {
			return "message with a digest"
		}
		return "message of the " + t.Messages[0].Role.String()
	}
	says := strings.ReplaceAll(found.Kind.String(), "_", " ")
	for _, f := range []struct {
		flag transcript.Flags
		says string
	}{
		{transcript.Server, "the provider's own"}, {transcript.Summary, "a summary of what is before it"}, {transcript.Said, "the user's words"},
		{transcript.Signed, "whole or not at all"}, {transcript.ProviderOnly, "its message stays"}, {transcript.Tied, "stays with what follows it"},
		{transcript.Step, "a step begins"}, {transcript.NotSent, "costs nothing"}, {transcript.Mark, "no content"},
	} {
		if found.Has(f.flag) {
			says += ", " + f.says
		}
	}
	if found.Kind == transcript.ToolResult && !found.Has(transcript.Server) && found.Body.IsZero() && len(t.InnerParts(slices.IndexFunc(t.Parts, func(p transcript.Part) bool { return p.Span == found.Span }))) > 0 {
		says += ", not cleared"
	}
	return says
}

const (
	typesFile  = "../../../testdata/types.json"
	formatsDoc = "../../../docs/guides/formats.md"
	typesBegin = "<!-- types: written by go test ./core/internal/wire -run TestTypes -types -->\n"
	typesEnd   = "<!-- /types -->\n"
)

// TestTypes reads every type in the SDKs, and checks that the format knows it and treats it as the table says.
func TestTypes(t *testing.T) {
	src, err := os.ReadFile(typesFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []typed
	if err := json.Unmarshal(src, &all); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		e := &all[i]
		f := wire.ByName(e.Format)
		if f == nil {
			t.Fatalf("there is no format %q", e.Format)
		}
		s := jsonspan.New([]byte(e.Sample))
		read := f.Read(s)
		if s.Err() != nil {
			t.Errorf("%s, %s: %v", e.Format, e.Type, s.Err())
			continue
		}
		name, _, _ := strings.Cut(e.Type, " in ")
		name, role := strings.CutPrefix(name, "role ")
		known := strings.Contains(name, "$") || strings.HasSuffix(name, "_tool_result") || f.HasSign("type:"+name) || f.HasSign("item:"+name) || role && f.HasSign("role:"+name)
		inside := f.Parts != "contents" // detection looks at the types of parts
		if !known && inside && strings.Contains(e.Sample, `"type":"`+name+`"`) {
			t.Errorf("%s does not name the type %s", e.Format, name)
		}
		if says := e.treatment(read); says != e.Treated && !*writeTypes {
			t.Errorf("%s, %s is %s, and the table says %s", e.Format, e.Type, says, e.Treated)
		} else {
			e.Treated = says
		}
	}
	doc, err := os.ReadFile(formatsDoc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), typesBegin)
	_, after, end := strings.Cut(rest, typesEnd)
	if !ok || !end {
		t.Fatal("docs/guides/formats.md has no place for the table of types")
	}
	want := before + typesBegin + typesTable(all) + typesEnd + after
	if !*writeTypes {
		if want != string(doc) {
			t.Error("the table of types in docs/guides/formats.md is not that of testdata/types.json (-types writes it)")
		}
		return
	}
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, e := range all {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(e)
		b.WriteString("  " + strings.TrimSpace(line.String()))
		if i < len(all)-1 {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	b.WriteString("]\n")
	for file, text := range map[string]string{typesFile: b.String(), formatsDoc: want} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// typesTable returns a row for each treatment in each format, with the types that are treated in this way.
func typesTable(all []typed) string {
	type row struct {
		format, treated string
		types           []string
	}
	var rows []row
	for _, e := range all {
		n := slices.IndexFunc(rows, func(r row) bool { return r.format == e.Format && r.treated == e.Treated })
		if n < 0 {
			n, rows = len(rows), append(rows, row{e.Format, e.Treated, nil})
		}
		name, where, in := strings.Cut(e.Type, " in ")
		name, role := strings.CutPrefix(name, "role ")
		name = "`" + name + "`"
		if role {
			name = "role " + name
		}
		if in {
			name += " in " + where
		}
		rows[n].types = append(rows[n].types, name)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a.format, b.format) })
	b := "| format | types | how they are treated |\n|---|---|---|\n"
	for _, r := range rows {
		b += "| `" + r.format + "` | " + strings.Join(r.types, ", ") + " | " + r.treated + " |\n"
	}
	return b
}
