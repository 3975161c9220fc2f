package functions

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// TestArguments reads arguments of every type, valid and invalid. Error offsets are relative to the start of the arguments.
func TestArguments(t *testing.T) {
	for _, c := range []struct {
		src    string
		code   jsonspan.Code
		at     string
		offset int
	}{
		{src: `{}`},
		{src: `{"lines":3,"share":0.5,"exact":true,"name":"a","note":"b","raw":[1,{}],"names":["x",null],"pairs":[[1,2],[3],[4,5,6],null],"usage":{"input":7}}`},
		{src: `{"lines":null,"note":null,"names":null,"usage":null}`},
		{src: `{"lines":-1}`, code: api.CodeOutOfRange, at: "lines"},
		{src: `{"usage":{"input":-1}}`, code: api.CodeOutOfRange, at: "usage.input"},
		{src: `{"line":1}`, code: api.CodeUnknownField, offset: 6},
		{src: `{"usage":{"in":1}}`, code: api.CodeUnknownField, offset: 13},
		{src: `{"lines":1,"lines":1}`, code: jsonspan.DuplicateKey, offset: 11},
		{src: `{"lines":"1"}`, code: jsonspan.WrongType, offset: 12},
		{src: `{"names":[1]}`, code: jsonspan.WrongType, offset: 11},
		{src: `{"pairs":{}}`, code: jsonspan.WrongType, offset: 10},
	} {
		var lines, input int
		var share float64
		var exact bool
		var name string
		note := new(string)
		var raw api.Raw
		var names []string
		var pairs [][2]int
		err := (&Call{hook.Call{Arguments: []byte(c.src)}}).read(argument{"lines", &lines, notNegative}, argument{name: "share", to: &share},
			argument{name: "exact", to: &exact}, argument{name: "name", to: &name}, argument{name: "note", to: &note}, argument{name: "raw", to: &raw},
			argument{name: "names", to: &names}, argument{name: "pairs", to: &pairs}, argument{name: "usage", to: arguments{{"input", &input, notNegative}}})
		switch {
		case err == nil && c.code == "":
		case err == nil || err.Code != c.code || err.At != c.at || err.Offset != c.offset:
			t.Errorf("%s: %+v; want %s at %q %d", c.src, err, c.code, c.at, c.offset)
		}
		if lines == 3 && (share != 0.5 || !exact || name != "a" || *note != "b" || string(raw) != "[1,{}]" || len(names) != 2 || names[0] != "x" ||
			len(pairs) != 4 || pairs[2] != [2]int{4, 5} || input != 7) {
			t.Errorf("%s: %v %v %v %v %s %v %v %v", c.src, share, exact, name, *note, raw, names, pairs, input)
		}
		if strings.HasPrefix(c.src, `{"lines":null`) && note != nil {
			t.Error("null does not leave a pointer nil")
		}
	}
}
