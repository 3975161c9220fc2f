// Command shorten FILE replaces the code that easyjson has generated for single values, lists and unknown keys, and for the
// beginnings and ends of objects, with calls of package jsonfield.
package main

import (
	"log"
	"os"
	"regexp"
	"strings"
)

var (
	reading = regexp.MustCompile(`if in\.IsNull\(\) \{\n\s*in\.Skip\(\)\n\s*\} else \{\n\s*(\S+) = [\w.]+\(in\.(String|Bool|Int|Int64|Uint32|Float64)\(\)\)\n\s*\}`)
	writing = regexp.MustCompile(`out\.RawString\((prefix(?:\[1:\])?)\)\n\s*out\.(String|Bool|Int|Int64|Float64)\((.*)\)\n`)
	raw     = regexp.MustCompile(`if in\.IsNull\(\) \{\n\s*in\.Skip\(\)\n\s*\} else \{\n\s*if data := in\.Raw\(\); in\.Ok\(\) \{\n\s*in\.AddError\(\((\S+)\)\.UnmarshalJSON\(data\)\)\n\s*\}\n\s*\}`)
	begins  = regexp.MustCompile(`isTopLevel := in\.IsStart\(\)\n\s*if in\.IsNull\(\) \{\n\s*if isTopLevel \{\n\s*in\.Consumed\(\)\n\s*\}\n\s*in\.Skip\(\)\n\s*return\n\s*\}\n\s*in\.Delim\('\{'\)\n`)
	ends    = regexp.MustCompile(`in\.Delim\('\}'\)\n\s*if isTopLevel \{\n\s*in\.Consumed\(\)\n\s*\}\n`)
	unknown = regexp.MustCompile(`in\.AddError\(&jlexer\.LexerError\{\n\s*Offset: in\.GetPos\(\),\n\s*Reason: "unknown field",\n\s*Data:   key,\n\s*\}\)`)
	list    = regexp.MustCompile(`if in\.IsNull\(\) \{\n\s*in\.Skip\(\)\n\s*(\w\S*) = nil\n\s*\} else \{\n\s*in\.Delim\('\['\)\n\s*if \S+ == nil \{\n` +
		`\s*if !in\.IsDelim\('\]'\) \{\n\s*\S+ = make\(\S+, 0, \d+\)\n\s*\} else \{\n\s*\S+ = \S+\{\}\n\s*\}\n\s*\} else \{\n\s*\S+ = \(\S+\)\[:0\]\n\s*\}\n` +
		`\s*for !in\.IsDelim\('\]'\) \{\n\s*var \w+ \S+\n\s*(?:jsonfield\.(String|Int)|(easyjson\w+))\(in, \S+\)\n\s*\S+ = append\(\S+, \w+\)\n` +
		`\s*in\.WantComma\(\)\n\s*\}\n\s*in\.Delim\('\]'\)\n\s*\}`)
	elements = regexp.MustCompile(`out\.RawByte\('\['\)\n\s*for \w+, \w+ := range (\S+) \{\n\s*if \w+ > 0 \{\n\s*out\.RawByte\(','\)\n\s*\}\n` +
		`\s*(?:out\.(String|Int)\(\w+\(\w+\)\)|(easyjson\w+)\(out, \w+\))\n\s*\}\n\s*out\.RawByte\('\]'\)`)
	pointer = regexp.MustCompile(`if in\.IsNull\(\) \{\n\s*in\.Skip\(\)\n\s*(\w\S*) = nil\n\s*\} else \{\n\s*if \S+ == nil \{\n\s*\S+ = new\((?:string|bool|int|float64)\)\n\s*\}\n` +
		`\s*(jsonfield\.\w+)\(in, \(\*\w+\)\(\S+\)\)\n\s*\}`)
	// These are the imports of a generated file, which have names.
	lexer    = regexp.MustCompile(`(?m)^\tjlexer "`)
	imported = regexp.MustCompile(`(?m)^\t(\w+) "[^"]*"\n`)
)

// shortened returns the text of a generated file with these calls.
func shortened(text string) string {
	text = reading.ReplaceAllStringFunc(text, func(found string) string {
		part := reading.FindStringSubmatch(found)
		return "jsonfield." + part[2] + "(in, (*" + strings.ToLower(part[2]) + ")(&" + part[1] + "))"
	})
	text = writing.ReplaceAllString(text, "jsonfield.Put$2(out, $1, $3)\n")
	text = raw.ReplaceAllString(text, "jsonfield.Value(in, &$1)")
	text = strings.ReplaceAll(text, "&*", "") // what is read by a pointer
	text = begins.ReplaceAllString(text, "isTopLevel, null := jsonfield.Begin(in)\n\tif null {\n\t\treturn\n\t}\n")
	text = ends.ReplaceAllString(text, "jsonfield.End(in, isTopLevel)\n")
	text = unknown.ReplaceAllString(text, "jsonfield.Unknown(in, key)")
	text = list.ReplaceAllStringFunc(text, func(found string) string {
		part := list.FindStringSubmatch(found)
		if part[2] != "" {
			return "jsonfield." + part[2] + "s(in, &" + part[1] + ")"
		}
		return "jsonfield.List(in, &" + part[1] + ", " + part[3] + ")"
	})
	text = elements.ReplaceAllStringFunc(text, func(found string) string {
		part := elements.FindStringSubmatch(found)
		if part[2] != "" {
			return "jsonfield.Put" + part[2] + "s(out, " + part[1] + ")"
		}
		return "jsonfield.PutList(out, " + part[1] + ", " + part[3] + ")"
	})
	text = pointer.ReplaceAllString(text, "jsonfield.Pointer(in, &$1, $2)")
	if !strings.Contains(text, "jsonfield.") || strings.Contains(text, "jsonfield \"") {
		return text
	}
	text = lexer.ReplaceAllString(text, "\tjsonfield \"github.com/ctxfold/ctxfold/internal/jsonfield\"\n$0")
	return imported.ReplaceAllStringFunc(text, func(line string) string {
		if strings.Contains(text, imported.FindStringSubmatch(line)[1]+".") {
			return line
		}
		return "" // only conversions needed it
	})
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[1], []byte(shortened(string(text))), 0o644); err != nil {
		log.Fatal(err)
	}
}
