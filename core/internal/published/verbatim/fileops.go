package verbatim

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// FileOps lists the files that tools have read and those that they have modified, sorted and without duplicates
// (S1.18). A file that was both read and modified is in both lists (S1.32).
type FileOps struct {
	Read     []string
	Modified []string
}

// The names of the tools in S1.31.
var (
	opReads = []string{"read", "grep", "find", "ls"}
	opEdits = []string{"write", "edit"}
)

// ExtractFileOps collects the argument "path" from calls to the tools that S1.31 names. It ignores calls whose
// arguments are not a JSON object with a string under that key.
func ExtractFileOps(t *transcript.Transcript, messages []int32) FileOps {
	var ops FileOps
	for _, m := range messages {
		for _, p := range t.PartsOf(int(m)) {
			if p.Kind != transcript.ToolCall || p.Body.IsZero() {
				continue
			}
			name := t.Text(p.Name)
			read, edit := slices.Contains(opReads, name), slices.Contains(opEdits, name)
			if !read && !edit {
				continue
			}
			path := lastPath([]byte(digest.CallArgs(t, &p)))
			switch {
			case path == "":
			case read:
				ops.Read = append(ops.Read, path)
			default:
				ops.Modified = append(ops.Modified, path)
			}
		}
	}
	return ops.tidy()
}

// Merge returns the files in o and other combined (S1.33).
func (o FileOps) Merge(other FileOps) FileOps {
	return FileOps{append(slices.Clone(o.Read), other.Read...),
		append(slices.Clone(o.Modified), other.Modified...)}.tidy()
}

func (o FileOps) tidy() FileOps {
	for _, list := range []*[]string{&o.Read, &o.Modified} {
		sorting.Ordered(*list)
		*list = slices.Compact(*list)
	}
	return o
}

// lastPath returns the string under the key "path" in a JSON object. If the key is repeated, the last one counts, as in
// Go's encoding/json. It returns "" if args is no object, or if the last value of the key is no string.
func lastPath(args []byte) (path string) {
	s := jsonspan.New(args)
	if s.Kind() != jsonspan.Object {
		return ""
	}
	for key := range s.Members {
		switch mine := string(key) == "path"; {
		case mine && s.Kind() == jsonspan.String:
			path = jsonspan.Text(args, s.Text().Span)
		case mine:
			path = ""
			s.Skip()
		default:
			s.Skip()
		}
	}
	if s.End(); s.Err() != nil {
		return ""
	}
	return path
}
