package passes

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// OutputLimits holds the size limits of a tool's output in the transcript (S4.13). Lines, Bytes and Runes are ignored
// if they are 0 or less.
type OutputLimits struct {
	Lines int // the maximum number of lines
	Bytes int // in UTF-8
	Runes int // Unicode scalar values
	// Spill is the number of Unicode scalar values above which the whole output is stored elsewhere and replaced with a
	// notice. 0 means that this never happens. A negative number means the value in DefaultOutputLimits.
	Spill int
	// Mode says which lines stay: the first and the last if it is "head_tail" or "", and otherwise only the first.
	Mode string
}

// DefaultOutputLimits returns the limits that apply if the host specifies none (S4.13).
func DefaultOutputLimits() OutputLimits {
	return OutputLimits{Lines: 2000, Bytes: 51200, Runes: 204800, Spill: 204800, Mode: headTail}
}

const headTail = "head_tail"

// LimitedOutput is an output to which limits have been applied.
type LimitedOutput struct {
	Text    string // the text to pass to the model
	Changed bool   // whether Text differs from the output
	// Spilled means that Text is a notice, and that the host must store the whole output under its handle.
	Spilled bool
	Handle  string // the handle of the whole output; "" if the output isn't too large
}

const (
	truncationNotice = "\n\n[tool output truncated: showing " // S4.19
	spillFailure     = "[tool output spill failed: "          // S4.15
)

// Limit shortens an output to the lines that Mode selects. If the output is oversized, it is replaced with a notice that
// says that it is stored at place, or under its handle if place is "". failure is the reason why the host could not store
// it. An output stays unchanged if it would not become shorter, or if it ends with the notice of an earlier call.
func (l OutputLimits) Limit(text, place, failure string) LimitedOutput {
	if text == "" || limitedBefore(text) {
		return LimitedOutput{Text: text}
	}
	out, rest := l.LimitStored(text, place, failure)
	if out.Spilled || l.Fits(rest) {
		return out
	}
	cut := l.cut(rest)
	if cut == "" {
		return out
	}
	if cut += OutputNotice(cut, rest); len(cut) < len(text) {
		out.Text, out.Changed = cut, true
	}
	return out
}

// LimitStored returns the replacement for an oversized text in out, a notice that the text is
// stored at place, or under its handle if place is "". If the text isn't oversized, or if the host
// could not store it, rest is what must still be shortened: the text, after the reason for the
// failure if there was one.
func (l OutputLimits) LimitStored(text, place, failure string) (out LimitedOutput, rest string) {
	out.Text = text
	if l.Spill < 0 {
		l.Spill = DefaultOutputLimits().Spill
	}
	if l.Spill == 0 || utf8.RuneCountInString(text) <= l.Spill {
		return out, text
	}
	if out.Handle = handles.Handle([]byte(text)); failure != "" {
		return out, spillFailure + failure + "]\n\n" + text
	}
	if place == "" {
		place = out.Handle
	}
	out.Changed, out.Spilled = true, true
	out.Text = "[tool output too large: " + strconv.Itoa(utf8.RuneCountInString(text)) + " chars]\nSaved to: " + place +
		"\nSHA256: " + out.Handle
	return out, text
}

// OutputNotice returns the notice that says how many lines, bytes and characters of text are left in cut.
func OutputNotice(cut, text string) string {
	return truncationNotice + strconv.Itoa(countLines(cut)) + "/" + strconv.Itoa(countLines(text)) + " lines, " +
		FormatBytes(len(cut)) + "/" + FormatBytes(len(text)) + " bytes, " +
		strconv.Itoa(utf8.RuneCountInString(cut)) + "/" + strconv.Itoa(utf8.RuneCountInString(text)) + " chars]"
}

// limitedBefore reports whether text ends with ctxfold's notice, and so must not be cut again.
func limitedBefore(text string) bool {
	at := strings.LastIndexByte(text, '\n')
	return at > 0 && strings.HasSuffix(text, " chars]") && strings.HasPrefix(text[at-1:], truncationNotice)
}

// Fits reports whether text is within the limits.
func (l OutputLimits) Fits(text string) bool {
	return (l.Lines <= 0 || countLines(text) <= l.Lines) && (l.Bytes <= 0 || len(text) <= l.Bytes) &&
		(l.Runes <= 0 || utf8.RuneCountInString(text) <= l.Runes)
}

// CutEnd shortens text to the maximum lines, runes and bytes, in this order (S4.16). It cuts runes and bytes at the
// end.
func (l OutputLimits) CutEnd(text string) string {
	text = l.cutLines(text)
	if l.Runes > 0 && utf8.RuneCountInString(text) > l.Runes {
		text = digest.TrimRunes(text, l.Runes)
	}
	if l.Bytes > 0 && len(text) > l.Bytes {
		text = string(jsonspan.TrimRune([]byte(text[:l.Bytes])))
	}
	return text
}

// cut shortens text to the limits. It keeps both ends if Mode says so.
func (l OutputLimits) cut(text string) string {
	if !l.bothEnds() {
		return l.CutEnd(text)
	}
	text = l.cutLines(text)
	if n := utf8.RuneCountInString(text); l.Runes > 0 && n > l.Runes {
		head := l.Runes / 2
		text = text[:digest.RuneOffset(text, head)] + leftOut(n-l.Runes, "chars") +
			text[digest.RuneOffset(text, n-(l.Runes-head)):]
	}
	if l.Bytes > 0 && len(text) > l.Bytes {
		head := jsonspan.TrimRune([]byte(text[:l.Bytes/2]))
		tail := text[len(text)-(l.Bytes-l.Bytes/2):]
		for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
			tail = tail[1:]
		}
		text = string(head) + leftOut(len(text)-len(head)-len(tail), "bytes") + tail
	}
	return text
}

func leftOut(n int, unit string) string {
	return "\n... [truncated " + strconv.Itoa(n) + " " + unit + "] ...\n"
}

func (l OutputLimits) bothEnds() bool {
	mode := strings.ToLower(strings.TrimSpace(l.Mode))
	return mode == "" || mode == headTail
}

// cutLines keeps the first half of the allowed lines from the beginning and the rest from the end, with a marker in
// between. If fewer than four lines are allowed, or Mode says so, it keeps only the first ones (S4.17).
func (l OutputLimits) cutLines(text string) string {
	n := countLines(text)
	if l.Lines <= 0 || n <= l.Lines {
		return text
	}
	if !l.bothEnds() || l.Lines < 4 {
		return text[:lineEnd(text, l.Lines)]
	}
	head := l.Lines / 2
	tail := l.Lines - head
	return text[:lineEnd(text, head)] + "\n... [truncated " + strconv.Itoa(n-l.Lines) + " lines] ...\n" +
		text[lineEnd(text, n-tail)+1:]
}

// lineEnd returns the offset at which the first n lines of text end, before the line feed.
func lineEnd(text string, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at - 1
}

func countLines(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(text, "\n") + 1
}

// FormatBytes returns a number of bytes in a form for people: 1023B, 1.0KB, 1.0MB, in steps of 1,024 (S4.19).
func FormatBytes(n int) string {
	if n < 1024 {
		return strconv.Itoa(n) + "B"
	}
	kb := float64(n) / 1024
	if kb < 1024 {
		return strconv.FormatFloat(kb, 'f', 1, 64) + "KB"
	}
	return strconv.FormatFloat(kb/1024, 'f', 1, 64) + "MB"
}
