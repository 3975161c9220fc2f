package digest

import (
	"slices"
	"strings"
)

// The sizes of quotes from a change, in bytes.
const (
	quotedChange = 140
	quotedNew    = 240
	quotedLine   = 110
	mostDefined  = 14 // names that a new file defines
)

// text describes a change for an entry, to follow the path. It names what the change defines, adds and removes, or
// quotes a value before and after, or a new comment. If there is none of these, it quotes the first lines.
func (c *change) text() string {
	added, removed := telling(c.added), telling(c.removed)
	switch {
	case c.created && isDiff(c.added):
		return ""
	case c.created:
		if names := definedIn(c.added, mostDefined); len(names) > 0 {
			return "defines " + strings.Join(names, ", ")
		}
		if said := commentIn(c.added); said != "" && len(added) > mostSwapped {
			return "“" + Fence(said) + "”"
		}
		return quoted(added, quotedNew)
	case len(added) == 0 && len(removed) == 0:
		return ""
	}
	if said := swapped(removed, added); said != "" {
		return changesVerb + said
	}
	parts := nameChanges(definedIn(added, mostDefined), definedIn(removed, mostDefined))
	if len(parts) == 0 && size(removed)+size(added) <= quotedNew {
		return c.beforeAfter(removed, added, quotedNew)
	}
	if said := commentIn(c.added); said != "" {
		parts = append(parts, "adds the comment “"+said+"”")
	}
	if len(parts) > 0 {
		return Fence(strings.Join(parts, editSeparator))
	}
	if call, n := commonCall(added); n > 1 {
		text := usesVerb + "`" + call + "(…)` in " + itoa(n) + " places"
		if was, n := commonCall(removed); n > 1 && was != call {
			text += " instead of `" + was + "(…)`"
		}
		return Fence(text)
	}
	text := c.beforeAfter(removed, added, quotedChange)
	if strings.HasSuffix(text, " …") {
		text += namesBeyond(added, text)
	}
	return text
}

// The verbs that begin a part of the description of an edit, and the separator between two parts.
const (
	addsVerb      = "adds "
	removesVerb   = "removes "
	changesVerb   = "changes "
	usesVerb      = "uses "
	editSeparator = "; "
)

// nameChanges describes which definitions an edit adds, removes and changes.
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

// joinEdits joins the descriptions of several edits of one file. What they say twice is said once.
func joinEdits(edits []string) string {
	var parts []string
	for _, edit := range edits {
		for _, part := range editParts(edit) {
			if part != "" && !slices.Contains(parts, part) && !mergeEdit(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	return strings.Join(parts, editSeparator)
}

// editParts divides the description of an edit at its separators. Those inside of quoted code or of a quoted comment belong to the file.
func editParts(edit string) (parts []string) {
	from, code, depth := 0, 0, 0 // the length of the marks around the code, in bytes, and the number of open quotes
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

// mergeEdit adds what a part of a description says to an earlier part with the same verb, and reports whether there is one: a list of names,
// or the number of places in which a call replaces another.
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

// nameVerb returns the verb of a part of a description if only names follow it, otherwise "".
func nameVerb(part string) string {
	for _, verb := range []string{addsVerb, removesVerb, changesVerb} {
		if strings.HasPrefix(part, verb) && !strings.ContainsAny(part, "`“") {
			return verb
		}
	}
	return ""
}

// placesIn divides "uses `x(…)` in 3 places" into the words before the number, the number, and the rest. For any other text n is 0.
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

// size returns the total length of lines, in bytes.
func size(lines []string) (sum int) {
	for _, line := range lines {
		sum += len(line)
	}
	return sum
}

// beforeAfter quotes the removed and the added lines that tell something, each in about most bytes or less. If they have nothing in common, it
// only counts the lines.
func (c *change) beforeAfter(removed, added []string, most int) string {
	switch {
	case len(added) == 0:
		return removesVerb + quoted(removed, most)
	case len(removed) == 0:
		return addsVerb + quoted(added, most)
	}
	if !shareName(removed, added) {
		return "replaces " + linesAs(len(c.removed), removed) + " by " + linesAs(len(c.added), added)
	}
	return changesVerb + quoted(removed, most) + " to " + quoted(added, most)
}

// shareName reports whether two lists of lines have an identifier in common.
func shareName(a, b []string) bool {
	names := newTurnWords()
	for _, line := range a {
		names.add(line)
	}
	shared := false
	for _, line := range b {
		eachName(line, func(name string) { shared = shared || names.names.Has(name) })
	}
	return shared
}

// linesAs names n lines, with the first of them that is a whole statement.
func linesAs(n int, lines []string) string {
	text := itoa(n) + " lines"
	if n == 1 {
		text = "1 line"
	}
	for _, line := range lines {
		if bracketsIn(line) == 0 && len(line) > 7 && (strings.HasSuffix(line, ";") || strings.HasSuffix(line, ")")) {
			return text + " (" + Fence(codeQuote(clipLine(line, quotedLine))) + ")"
		}
	}
	return text
}

// commonCall returns the function call with which most of the lines begin, and how many lines do.
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

// mostSwapped is the maximum number of changed lines that are quoted together with their old version.
const mostSwapped = 2

// swapped describes a change that replaces lines with an equal number of similar lines. If many lines change in the same way, it describes
// that only once. It returns "" for any other change.
func swapped(removed, added []string) string {
	if len(removed) != len(added) || len(added) == 0 {
		return ""
	}
	old, now := middles(removed[0], added[0])
	same := true
	for i := range added {
		o, n := middles(removed[i], added[i])
		if len(o)*10 > len(removed[i])*7 && len(added) > 1 && len(removed[i]) > 12 {
			return ""
		}
		same = same && o == old && n == now
	}
	var b strings.Builder
	for i := range added {
		if i == mostSwapped {
			if same {
				return Fence(codeQuote(clipLine(old, quotedLine)) + " to " + codeQuote(clipLine(now, quotedLine)) + " in " + itoa(len(added)) + " lines")
			}
			return b.String() + ", and " + itoa(len(added)-i) + " more lines like that"
		}
		if i > 0 {
			b.WriteString(", and ")
		}
		b.WriteString(quoted(removed[i:i+1], quotedLine) + " to " + quoted(added[i:i+1], quotedLine))
	}
	return b.String()
}

// middles returns the parts of two lines between their common beginning and their common end, in whole words.
func middles(old, now string) (string, string) {
	inside := func(c byte) bool { return byteClass[c]&(small|capital|under|digit) != 0 || c >= 0x80 }
	from := 0
	for from < len(old) && from < len(now) && old[from] == now[from] {
		from++
	}
	for from > 0 && inside(old[from-1]) {
		from--
	}
	end := 0
	for end < len(old)-from && end < len(now)-from && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	for end > 0 && inside(old[len(old)-end]) {
		end--
	}
	return old[from : len(old)-end], now[from : len(now)-end]
}
