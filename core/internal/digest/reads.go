package digest

import (
	"bytes"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Reading is what the result of a call that reads a file contains.
type Reading uint8

// The possible contents of such a result.
const (
	ReadsWhole  Reading = iota // the whole file
	ReadsRange                 // a part of it
	ReadsFailed                // an error
	ReadsSame                  // a note that the file has not changed since an earlier read, which has the content
)

// shortNote is the maximum length, in bytes, of a result that contains a note about a file instead of the file's
// content.
const shortNote = 700

// sameMarks lists phrases, in lower case, from results that refer to another read instead of repeating the content.
var sameMarks = []string{"unchanged since last read", "unchanged since your last read", "unchanged since the last read", "has not changed since",
	"hasn't changed since", "file is unchanged", "file unchanged", "content unchanged", "not modified since", `"status":"unchanged"`, `"status": "unchanged"`,
	"this file read has been removed to save space", "文件自上次读取以来未更改"}

// failedStarts lists, in lower case, the beginnings of results that report a failure in words.
var failedStarts = []string{"error:", "error reading", "error executing", "<tool_use_error>", "file does not exist", "file not found",
	"no such file", "enoent", "eacces", "permission denied", "cannot read", "could not read", "failed to read", "failed to open", "path does not exist",
	"the file does not exist", "traceback (most recent", "fatal:", "the user doesn't want to proceed", "your proposed edit has introduced", "no replacement was performed", "failed to edit", "text not found", "could not find the exact text",
	"the tool execution failed", "the user denied this operation", "unable to apply diff", "apply_patch verification failed", "<error_details>", `{"error"`, `{"success":false`, `{"success": false`, "invalid path"}

// failedText reports whether text reports a failure.
func failedText(text string) bool {
	if len(text) > shortNote {
		return false
	}
	low := lower(strings.TrimSpace(text))
	for _, start := range failedStarts {
		if strings.HasPrefix(low, start) {
			return true
		}
	}
	return false
}

// failedResult reports whether the result at part index n reports a failed call, by a flag or in words.
func failedResult(t *transcript.Transcript, n int32) bool {
	return t.Parts[n].Has(transcript.IsError) || failedText(noteIn(t, n))
}

// ReadingOf returns what the tool result at part index result contains. The tool must be one that reads a file. text is
// the result's text.
func ReadingOf(t *transcript.Transcript, result int32, text string) Reading {
	p := &t.Parts[result]
	if p.Has(transcript.IsError) || failedText(text) {
		return ReadsFailed
	}
	if len(text) <= shortNote {
		low := lower(text)
		for _, mark := range sameMarks {
			if strings.Contains(low, mark) {
				return ReadsSame
			}
		}
	}
	if p.Pair >= 0 && readsRange(argumentsOf(t, &t.Parts[p.Pair])) {
		return ReadsRange
	}
	return ReadsWhole
}

// ResultReading is like [ReadingOf], but takes the text from the result itself.
func ResultReading(t *transcript.Transcript, result int32) Reading {
	if !MayPoint(t, result) { // such a long text is always the content
		return ReadingOf(t, result, anyContent)
	}
	return ReadingOf(t, result, noteIn(t, result))
}

// noteIn returns the text of the tool result at part index n if it is short enough to be a note. Otherwise it returns
// anyContent.
func noteIn(t *transcript.Transcript, n int32) string {
	if body := t.Parts[n].Body; t.IsString(body) {
		raw := t.Bytes(body)
		if len(raw)-2-5*bytes.Count(raw, []byte{'\\'}) > shortNote { // an escape has at most 5 bytes more than its text
			return anyContent
		}
	}
	return ResultText(t, int(n))
}

// anyContent is an example of a text that is too long to be a note.
var anyContent = strings.Repeat(" ", shortNote+1)

// MayPoint reports whether a result is short enough to refer to another read instead of repeating the content.
func MayPoint(t *transcript.Transcript, result int32) bool {
	return t.Parts[result].Body.Len() <= 4*shortNote
}

// PointsTo returns the keys of the reads to which a result may refer if it says that a file hasn't
// changed (ReadsSame). These are reads with the same arguments or, if no part of the file was
// requested, reads of the whole file. A read that returned the content has the same keys. The
// result is nil if the call is missing.
func PointsTo(t *transcript.Transcript, result int32) []string {
	p := &t.Parts[result]
	if p.Pair < 0 {
		return nil
	}
	call := &t.Parts[p.Pair]
	keys := []string{"a " + CallArgs(t, call)}
	if path := Path(t, call); path != "" && !readsRange(argumentsOf(t, call)) {
		keys = append(keys, "p "+path)
	}
	return keys
}

// rangeKeys lists the names of arguments that request a part of a file, in lower case and without underscores.
var rangeKeys = wordListOf("offset limit viewrange startline endline linestart lineend startlineoneindexed endlineoneindexedinclusive lines linerange lineranges " +
	"range ranges start end head tail maxlines pages page from to")

// readsRange reports whether the arguments of a call request a part of a file. An offset of the first line, without a
// limit, requests the whole file.
func readsRange(args []byte) bool {
	s := jsonspan.New(args)
	if len(args) == 0 || s.Kind() != jsonspan.Object {
		return false
	}
	return rangeIn(s, args, 0)
}

// rangeIn reports whether the next value of s requests a part of a file. It descends only a few levels; depth is the
// current one.
func rangeIn(s *jsonspan.Scanner, src []byte, depth int) (found bool) {
	if depth > 4 {
		s.Skip()
		return false
	}
	switch s.Kind() {
	case jsonspan.Object:
		for key := range s.Members {
			name := ToolKey(string(key))
			if rangeKeys.has(name) && s.Kind() != jsonspan.Object {
				start := s.Pos()
				s.Skip()
				value := strings.Trim(string(src[start:s.Pos()]), " \t\r\n\"")
				first := (name == "offset" || name == "startline" || name == "start" || name == "from") && (value == "0" || value == "1")
				found = found || value != "null" && value != "" && value != "[]" && value != "false" && !first
				continue
			}
			found = rangeIn(s, src, depth+1) || found
		}
	case jsonspan.Array:
		for s.Array(); s.Err() == nil && s.Elem(); {
			found = rangeIn(s, src, depth+1) || found
		}
	default:
		s.Skip()
	}
	return found
}

// ChangedFiles calls see with each file that a tool call changes, according to its arguments: those of an editing tool, those
// in a patch, and those that a shell command writes.
func ChangedFiles(t *transcript.Transcript, call *transcript.Part, see func(path string)) {
	switch useOfCall(t, call) {
	case edits:
		for _, c := range changesOf(t, call) {
			see(c.path)
		}
	case runs:
		script := commandOf(t, call)
		folder := folderOf(script)
		shellFiles(script, func(string) {}, func(path string) { see(inFolder(folder, path)) })
	}
}
