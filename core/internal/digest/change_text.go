package digest

import (
	"cmp"
	"slices"
	"strings"
)

// The maximum lengths of quotes in bytes: of an error message, of the lines of a change, and of one line.
const (
	quotedChange = 140
	quotedNew    = 240
	quotedLine   = 110
	mostDefined  = 14 // maximum number of names listed for a new file
)

// The maximum numbers of removed and added lines in a quote.
const (
	mostRemoved = 2
	mostAdded   = 3
)

// text returns a description of a change, which follows the file's path in a log entry. It names the settings and
// definitions that the change adds, removes or modifies, and quotes a few lines or a new comment. It returns "" if
// nothing is worth mentioning.
func (c *change) text() string {
	if c.created {
		return c.createdText()
	}
	if said, ok := settingChanges(c); ok {
		return Fence(said)
	}
	added, removed := telling(c.added), telling(c.removed)
	if said := swapped(removed, added); said != "" {
		return changesVerb + said
	}
	parts := nameChanges(definedIn(added, mostDefined), definedIn(removed, mostDefined))
	if (len(added) == 0) != (len(removed) == 0) && len(c.added) > 0 && len(c.removed) > 0 { // exchanged lines are neither added nor removed
		added, removed = c.added, c.removed
	}
	if len(parts) == 0 && len(removed) <= mostRemoved && len(added) <= mostAdded && size(removed)+size(added) <= quotedNew {
		return beforeAfter(removed, added)
	}
	if said := commentIn(c.added); said != "" {
		if len(parts) == 0 {
			parts = codeChanges(removed, added)
		}
		parts = append(parts, commentVerb+said+"”")
	}
	if len(parts) == 0 {
		parts = callChanges(removed, added)
	}
	if len(parts) == 0 {
		return leadingLine(removed, added)
	}
	return Fence(strings.Join(parts, editSeparator))
}

// codeChanges returns a quote of the removed and the added lines that aren't comments, as a list of one part, or nil if
// there are none or too many.
func codeChanges(removed, added []string) []string {
	removed, added = codeOf(removed), codeOf(added)
	if len(removed)+len(added) == 0 || len(removed) > mostAdded || len(added) > mostAdded || size(removed)+size(added) > quotedNew {
		return nil
	}
	return []string{beforeAfter(removed, added)}
}

// callChanges returns a note that names the function which the added lines of an edit call in
// several places and, if the removed lines called another one in several places, that one too. The
// note is a list of one part. It is nil if there is no such function, or if the function only
// prints or asserts something.
func callChanges(removed, added []string) []string {
	call, n := commonCall(added)
	if n <= 1 || reports(call) || strings.HasPrefix(call, "expect") {
		return nil
	}
	text := usesVerb + "`" + call + "(…)` in " + itoa(n) + " places"
	if was, n := commonCall(removed); n > 1 && was != call {
		text += " instead of `" + was + "(…)`"
	}
	return []string{text}
}

// leadingLine returns a quote of the most informative line of a change that can't be quoted as a
// whole: an added line or, if nothing was added, a removed line. If the change replaces one line by
// another, it quotes both. If it replaces other lines by at most mostAdded lines, leadingLine
// returns "", because one of them alone would be misleading.
func leadingLine(removed, added []string) string {
	old, now := tellingLine(removed), tellingLine(added)
	verb, quote, lines := addsVerb, now, len(added)
	switch {
	case now == "" && old == "":
		return ""
	case now == "":
		verb, quote, lines = removesVerb, old, len(removed)
	case len(added) == 1 && len(removed) == 1:
		return changesVerb + old + " to " + now
	case old != "" && len(added) <= mostAdded:
		return ""
	}
	switch lines {
	case 1:
		return verb + quote
	case 2:
		return verb + quote + " and 1 more line"
	}
	return verb + quote + " and " + itoa(lines-1) + " more lines"
}

// tellingLine returns a quote of the most informative one of lines, clipped to quotedLine bytes, or "" if there is none.
func tellingLine(lines []string) string {
	best, most := "", -1
	for _, line := range lines {
		worth := worthInQuote(line)
		switch {
		case isGuard(line):
			worth = 0
		case bindsFunction(line):
			worth = ofDefinition
		}
		if worth > most {
			best, most = line, worth
		}
	}
	if best == "" {
		return ""
	}
	return Fence(codeQuote(clipLine(best, quotedLine)))
}

// guardHeads lists the beginnings of guard clauses: "if (!id) return;", "if err != nil {".
var guardHeads = []string{"if (!", "if not ", "if !", "if err", "if (err", "if (error", "unless ", "return null", "return undefined", "return false", "return none", "return nil", "return;"}

// isGuard reports whether a line of code looks like a guard clause, which gives up if something is
// missing or has failed.
func isGuard(line string) bool { return headedBy(line, guardHeads) }

// bindsFunction reports whether a line of JavaScript begins a function that it assigns to a name:
// "const open = async () => {".
func bindsFunction(line string) bool {
	_, value, found := strings.Cut(line, " = ")
	return found && (strings.HasSuffix(value, "=> {") || strings.HasPrefix(value, "function") && strings.HasSuffix(value, "{"))
}

// codeOf returns the lines that are not comments. Blank lines count as code.
func codeOf(lines []string) (code []string) {
	for _, line := range lines {
		if commentOf(line) == "" {
			code = append(code, line)
		}
	}
	return code
}

// definesWord precedes the names that a new file defines.
const definesWord = "defines "

// createdText returns a description of a file that a call wrote as a whole: the names that it defines, its keys, its
// first comment or its first lines. It returns "" for a file that contains a diff.
func (c *change) createdText() string {
	if isDiff(c.added) {
		return ""
	}
	added := telling(c.added)
	if names := definedIn(c.added, mostDefined); len(names) > 0 {
		text := definesWord + strings.Join(names, ", ")
		if said := commentIn(c.added); said != "" && len(added) > mostSwapped {
			text += editSeparator + "“" + Fence(said) + "”"
		}
		return text
	}
	if keys := c.keys(); len(keys) > 1 && size(added) > quotedNew {
		return "keys " + Fence(strings.Join(keys, ", "))
	}
	if said := commentIn(c.added); said != "" && len(added) > mostSwapped {
		return "“" + Fence(said) + "”"
	}
	if size(added) <= quotedNew {
		added = c.indented(added)
	}
	return quoted(added, quotedNew)
}

// indented returns lines with their indentation in c.content, the text of the new file. If it
// doesn't find all of them there, in the same order, it returns lines unchanged.
func (c *change) indented(lines []string) []string {
	out := make([]string, 0, len(lines))
	for line := range strings.Lines(c.content) {
		if n := len(out); n < len(lines) && strings.TrimSpace(line) == lines[n] {
			out = append(out, strings.TrimRight(line, " \t\r\n"))
		}
	}
	if len(out) < len(lines) {
		return lines
	}
	return out
}

// description returns the text that follows the path of a change in an entry: a colon and what the change does, or the
// number of changed lines in parentheses. It is "" if a new file can't be described, or no lines changed.
func (c *change) description() string {
	n := max(len(c.added), len(c.removed))
	switch said := c.text(); {
	case said != "":
		return ": " + said
	case c.created || n == 0:
		return ""
	case n == 1:
		return " (1 line)"
	}
	return " (" + itoa(n) + " lines)"
}

// beforeAfter returns a quote of the removed and the added lines, or "" if there are neither.
func beforeAfter(removed, added []string) string {
	switch {
	case len(removed)+len(added) == 0:
		return ""
	case len(added) == 0:
		return removesVerb + quoted(removed, quotedNew)
	case len(removed) == 0:
		return addsVerb + quoted(added, quotedNew)
	}
	return changesVerb + quoted(removed, quotedNew) + " to " + quoted(added, quotedNew)
}

// The verbs with which the parts of an edit's description begin, and the separator between two parts.
const (
	addsVerb      = "adds "
	removesVerb   = "removes "
	changesVerb   = "changes "
	usesVerb      = "uses "
	commentVerb   = "adds the comment “"
	editSeparator = "; "
)

// nameChanges returns a description of the definitions that an edit adds, removes and changes, in this order, with one
// part for each. now and before are the names that its new and its old lines define.
func nameChanges(now, before []string) (parts []string) {
	tell := func(verb string, names []string) {
		if len(names) > 0 {
			parts = append(parts, verb+strings.Join(names, ", "))
		}
	}
	tell(addsVerb, without(now, before))
	tell(removesVerb, without(before, now))
	tell(changesVerb, without(now, without(now, before)))
	return parts
}

// mostParts is the maximum number of parts in the joint description of several edits to one file.
const mostParts = 3

// joinEdits joins the descriptions of several edits to one file, without repetitions. If there are too many parts, it
// drops the least informative ones.
func joinEdits(edits []string) string {
	var parts []string
	for _, edit := range edits {
		for _, part := range editParts(edit) {
			if part != "" && !slices.Contains(parts, part) && !mergeEdit(parts, part) {
				parts = append(parts, part)
			}
			if len(parts) > mostParts {
				at := leastTelling(parts)
				parts = slices.Delete(parts, at, at+1)
			}
		}
	}
	return strings.Join(parts, editSeparator)
}

// leastTelling returns the index of the least informative part: the first one that is followed by another of the same
// kind, because later parts describe the final state; if there is none, the last one that contains a quote and isn't
// the first part; otherwise the last part.
func leastTelling(parts []string) int {
	for n := range parts {
		if slices.ContainsFunc(parts[n+1:], func(part string) bool { return partKind(part) == partKind(parts[n]) }) {
			return n
		}
	}
	quote := len(parts) - 1
	for quote > 0 && !strings.Contains(parts[quote], "`") {
		quote--
	}
	return cmp.Or(quote, len(parts)-1)
}

// partKind returns the beginning of a part, which identifies its kind: the verb, and a backtick if a quote follows.
func partKind(part string) string {
	verb, rest, _ := strings.Cut(part, " ")
	if strings.HasPrefix(part, commentVerb) {
		return commentVerb
	}
	return verb + rest[:min(len(rest), strings.Count(rest[:min(1, len(rest))], "`"))]
}

// editParts splits the description of an edit at the separators. It ignores separators inside quoted code or a quoted
// comment, because these come from the file.
func editParts(edit string) (parts []string) {
	from, code, depth := 0, 0, 0 // code is the number of backticks around the code, depth the number of open quotes
	for i := 0; i < len(edit); i++ {
		rest := edit[i:]
		switch {
		case rest[0] == '`' && depth == 0:
			marks := len(rest) - len(strings.TrimLeft(rest, "`"))
			if code == 0 {
				code = marks
			} else if code == marks {
				code = 0
			}
			i += marks - 1
		case code > 0:
		case strings.HasPrefix(rest, "“"):
			depth++
		case strings.HasPrefix(rest, "”"):
			depth = max(0, depth-1)
		case depth == 0 && strings.HasPrefix(rest, editSeparator):
			parts = append(parts, edit[from:i])
			from = i + len(editSeparator)
		}
	}
	return append(parts, edit[from:])
}

// mergeEdit merges part into an earlier part with the same verb: it adds new names to the list, or adds up the numbers
// of places in which one call replaces another. It reports whether it found such an earlier part.
func mergeEdit(parts []string, part string) bool {
	what, n, rest := placesIn(part)
	for i := range parts {
		if known, more, end := placesIn(parts[i]); n > 0 && known == what && end == rest {
			parts[i] = what + itoa(n+more) + rest
			return true
		}
	}
	verb := nameVerb(part)
	if verb == "" {
		return false
	}
	for i := range parts {
		if nameVerb(parts[i]) == verb {
			known := strings.Split(parts[i][len(verb):], ", ")
			for name := range strings.SplitSeq(part[len(verb):], ", ") {
				if !slices.Contains(known, name) {
					parts[i] += ", " + name
				}
			}
			return true
		}
	}
	return false
}

// nameVerb returns the verb of a part if only names follow it, and "" otherwise.
func nameVerb(part string) string {
	for _, verb := range []string{addsVerb, removesVerb, changesVerb} {
		if strings.HasPrefix(part, verb) && !strings.ContainsAny(part, "`“") {
			return verb
		}
	}
	return ""
}

// placesIn splits "uses `x(…)` in 3 places" into the text before the number, the number, and the text after it. For any
// other text, n is 0 and the other results are "".
func placesIn(part string) (what string, n int, rest string) {
	at := strings.Index(part, "` in ")
	if !strings.HasPrefix(part, usesVerb) || at < 0 {
		return "", 0, ""
	}
	at += len("` in ")
	end := at
	for end < len(part) && part[end] >= '0' && part[end] <= '9' && end-at < 6 {
		n = n*10 + int(part[end]-'0')
		end++
	}
	return part[:at], n, part[end:]
}

// size returns the total length of the lines in bytes.
func size(lines []string) (sum int) {
	for _, line := range lines {
		sum += len(line)
	}
	return sum
}

// commonCall returns the name of a function that lines begin by calling, and the number of lines
// that begin with a call of it. If there are several such functions, it returns the first one. It
// returns "" and 0 if these lines are fewer than half of all lines.
func commonCall(lines []string) (call string, n int) {
	for _, line := range lines {
		at := strings.IndexByte(line, '(')
		if at < 6 || at > 60 || strings.ContainsAny(line[:at], " =`{") {
			continue
		}
		if call == "" {
			call = line[:at]
		}
		if line[:at] == call {
			n++
		}
	}
	if n*2 < len(lines) {
		return "", 0
	}
	return call, n
}

// mostSwapped is the maximum number of changed lines that are quoted together with the lines that they replace.
const mostSwapped = 2

// swapped returns a description of a change that replaces lines with an equal number of similar lines. Of more than
// mostSwapped lines, it describes only the first. It returns "" for any other change.
func swapped(removed, added []string) string {
	if len(removed) != len(added) || len(added) == 0 {
		return ""
	}
	old, now := middles(removed[0], added[0], 0)
	same := true
	for i := range added {
		o, n := middles(removed[i], added[i], 0)
		if len(o)*10 > len(removed[i])*7 && len(removed[i]) > 12 && (len(added) > 1 || len(o) > quotedLine) {
			return ""
		}
		same = same && o == old && n == now
	}
	switch {
	case len(added) > mostSwapped && same && old != "":
		return Fence(codeQuote(clipLine(old, quotedLine)) + " to " + codeQuote(clipLine(now, quotedLine)) + " in " + itoa(len(added)) + " lines")
	case len(added) > mostSwapped:
		return swap(removed[0], added[0]) + ", and " + itoa(len(added)-1) + " more lines like that"
	case len(added) > 1:
		return swap(removed[0], added[0]) + ", and " + swap(removed[1], added[1])
	}
	return swap(removed[0], added[0])
}

// swap returns a quote of a line before and after a change. For a long line, it quotes only the part that differs. It
// puts the quotes in backticks, joined by "to".
func swap(old, now string) string {
	if max(len(old), len(now)) > quotedLine {
		old, now = middles(old, now, contextOfSwap)
	}
	return Fence(codeQuote(clipLine(old, quotedLine)) + " to " + codeQuote(clipLine(now, quotedLine)))
}

// contextOfSwap is the minimum number of bytes quoted on each side of the part of a long line that differs.
const contextOfSwap = 16

// middles returns the parts of two lines, an old one and a new one, that differ. It removes the
// beginning and the end that the lines share, but cuts only between words, and keeps at least
// context bytes of the shared text on each side.
func middles(old, now string, context int) (string, string) {
	inside := func(c byte) bool { return byteClass[c]&(small|capital|under|digit) != 0 || c >= 0x80 }
	from := 0
	for from < len(old) && from < len(now) && old[from] == now[from] {
		from++
	}
	end := 0
	for end < len(old)-from && end < len(now)-from && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	from, end = max(0, from-context), max(0, end-context)
	for from > 0 && inside(old[from-1]) {
		from--
	}
	for end > 0 && inside(old[len(old)-end]) {
		end--
	}
	return old[from : len(old)-end], now[from : len(now)-end]
}
