package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// open names the sets of words to which newer modules may add words.
var open = map[string]bool{"Format": true, "Preset": true, "Estimator": true, "PassName": true, "Reason": true}

// notNames are keys of objects that can't be names in a class, because they are Python keywords.
var notNames = map[string]bool{"from": true, "pass": true, "class": true}

// python returns the source of the module ctxfold.types of the Python package, which declares the types of the API as
// TypedDicts and Literals.
func (g *generator) python() []byte {
	f := &pythonFile{}
	f.WriteString(pythonHead)
	var unions bytes.Buffer
	for _, def := range g.defs {
		switch s := def.value; {
		case len(s.Enum) > 0:
			f.words(def.name, s)
		case def.name == "Edit":
			var names []string
			for _, one := range s.OneOf {
				name := camel(one.Properties[0].name) + "Edit"
				names = append(names, name)
				f.object(name, one)
			}
			fmt.Fprintf(&unions, "\n#: %s\n%s = Union[%s]\n", s.Description, def.name, strings.Join(names, ", "))
		case len(s.OneOf) > 0:
			var names []string
			for _, one := range s.OneOf {
				names = append(names, strings.TrimPrefix(one.Ref, definitions))
			}
			fmt.Fprintf(&unions, "\n#: %s\n%s = Union[\n    %s,\n]\n", s.Description, def.name, strings.Join(names, ",\n    "))
		default:
			f.object(def.name, s)
		}
	}
	f.Write(unions.Bytes())
	return f.Bytes()
}

const pythonHead = `# The JSON of docs/reference/abi.md, generated from the types of package api by ` + "`make generate`" + `. Do not edit it.
"""The types of requests and answers: TypedDicts for objects, Literals for the words in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Tuple, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired
`

// pythonFile is a Python file that is being generated.
type pythonFile struct{ bytes.Buffer }

// words writes the type of a set of words.
func (f *pythonFile) words(name string, s *schema) {
	f.WriteString("\n")
	f.comment("#: ", s.Description)
	end := "]"
	if open[name] {
		fmt.Fprintf(f, "%s = Union[str, Literal[\n", name)
		end = "]]"
	} else {
		fmt.Fprintf(f, "%s = Literal[\n", name)
	}
	for _, word := range s.Enum {
		fmt.Fprintf(f, "    %q,\n", word)
	}
	f.WriteString(end + "\n")
}

// object writes a TypedDict as a class. If a key isn't a Python name, it writes a call instead.
func (f *pythonFile) object(name string, s *schema) {
	required := map[string]bool{}
	for _, key := range s.Required {
		required[key] = true
	}
	call := false
	for _, p := range s.Properties {
		call = call || notNames[p.name]
	}
	f.WriteString("\n\n")
	if call {
		f.comment("#: ", s.Description)
		fmt.Fprintf(f, "%s = TypedDict(\n    %q,\n    {\n", name, name)
	} else {
		fmt.Fprintf(f, "class %s(TypedDict):\n", name)
		f.docstring(s.Description)
		f.WriteString("\n")
	}
	for _, p := range s.Properties {
		t := pythonType(p.value)
		if !required[p.name] {
			t = "NotRequired[" + t + "]"
		}
		if call {
			f.comment("        #: ", documentation(p.value))
			fmt.Fprintf(f, "        %q: %q,\n", p.name, t)
		} else {
			fmt.Fprintf(f, "    %s: %s\n", p.name, t)
			f.docstring(documentation(p.value))
		}
	}
	if call {
		f.WriteString("    },\n)\n")
	}
}

// documentation returns the description of a key and its default.
func documentation(s *schema) string {
	text := s.Description
	if given(s.Default) {
		if d := fmt.Sprint(s.Default); len(d) < 40 && d[0] != '[' {
			text = strings.TrimSpace(text + " Default: " + d + ".")
		}
	}
	return text
}

// pythonType returns the Python type, as an annotation, for the values of a schema.
func pythonType(s *schema) string {
	to := s.Ref
	if to == "" && len(s.AllOf) == 1 {
		to = s.AllOf[0].Ref
	}
	switch {
	case to != "":
		return strings.TrimPrefix(to, definitions)
	case s.Const != nil:
		return fmt.Sprintf("Literal['%s']", *s.Const)
	case len(s.OneOf) > 0:
		var of []string
		for _, one := range s.OneOf {
			of = append(of, pythonType(one))
		}
		return "Union[" + strings.Join(of, ", ") + "]"
	case slices.Contains(s.Enum, "openai-chat"): // the words of Format, which is open
		return "Format"
	case len(s.Enum) > 0:
		return "Literal['" + strings.Join(s.Enum, "', '") + "']"
	}
	switch s.Type {
	case "string":
		return "str"
	case "integer":
		return "int"
	case "number":
		return "float"
	case "boolean":
		return "bool"
	case "array":
		if s.Least != nil {
			return "Tuple[int, int]"
		}
		if s.Items == nil {
			return "List[Any]"
		}
		return "List[" + pythonType(s.Items) + "]"
	case "object":
		return "Dict[str, Any]"
	}
	return "Any"
}

const pythonWidth = 120

// comment writes text as lines of at most pythonWidth characters that begin with prefix.
func (f *pythonFile) comment(prefix, text string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(prefix)+len(line)+1+len(word) > pythonWidth {
			f.WriteString(prefix + line + "\n")
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		f.WriteString(prefix + line + "\n")
	}
}

// docstring writes text as the docstring of a class, or of the field on the line above.
func (f *pythonFile) docstring(text string) {
	if text == "" {
		return
	}
	text = regexp.MustCompile(`["\\]`).ReplaceAllStringFunc(text, func(c string) string { return map[string]string{`"`: "'", `\`: `\\`}[c] })
	if len(text)+10 <= pythonWidth {
		fmt.Fprintf(f, "    \"\"\"%s\"\"\"\n", text)
		return
	}
	f.WriteString("    \"\"\"\n")
	f.comment("    ", text)
	f.WriteString("    \"\"\"\n")
}
