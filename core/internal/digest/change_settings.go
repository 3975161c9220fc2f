package digest

import (
	"slices"
	"strings"
)

// settingLine is a line of a settings file. Elements of a list have no value unless they begin with a key.
type settingLine struct {
	line, key, value string // the whole line, its key, and its value, or "" without one
	item             bool   // an element of a YAML list
}

// settingFiles lists the extensions of settings files.
var settingFiles = wordListOf("json jsonc json5 yaml yml toml ini cfg conf env properties")

// isSettings reports whether path has the extension of a settings file.
func isSettings(path string) bool { return settingFiles.has(path[strings.LastIndexByte(path, '.')+1:]) }

// mostSettings is the maximum number of settings listed after a verb.
const mostSettings = 5

// settingChanges returns a description of a change to a settings file: which settings it adds, removes and changes. ok
// is false if the file isn't a settings file, other lines changed too, or old and new values can't be matched.
func settingChanges(c *change) (text string, ok bool) {
	if !isSettings(c.path) {
		return "", false
	}
	was, before := settingsIn(c.removed)
	now, after := settingsIn(c.added)
	if !before || !after || len(was)+len(now) == 0 {
		return "", false
	}
	var added, removed, changed []string
	for i, s := range now {
		hasKey := func(other settingLine) bool { return other.key == s.key }
		at := slices.IndexFunc(was, hasKey)
		switch {
		case at < 0:
			added = append(added, nameQuote(s.line))
			continue
		case slices.ContainsFunc(was[at+1:], hasKey) || slices.IndexFunc(now, hasKey) < i || slices.ContainsFunc(now[i+1:], hasKey):
			return "", false // it is unknown which old value belongs to which new value
		case was[at].value == "" && s.value != "":
			added = append(added, nameQuote(s.line))
		case was[at].value != s.value && s.value != "":
			changed = append(changed, nameQuote(s.key)+" from "+codeQuote(clipLine(was[at].value, quotedLine))+
				" to "+codeQuote(clipLine(s.value, quotedLine)))
		}
		was = slices.Delete(was, at, at+1)
	}
	for _, s := range was {
		if s.item && s.value != "" { // the key alone doesn't identify an element
			s.key = s.line
		}
		removed = append(removed, nameQuote(s.key))
	}
	var parts []string
	for i, list := range [][]string{added, removed, changed} {
		if len(list) > mostSettings {
			list = append(list[:mostSettings], "and "+itoa(len(list)-mostSettings)+" more")
		}
		if len(list) > 0 {
			parts = append(parts, []string{addsVerb, removesVerb, changesVerb}[i]+strings.Join(list, ", "))
		}
	}
	return strings.Join(parts, editSeparator), true
}

// keys returns up to mostDefined distinct keys from a settings file that a call wrote, or nil for any other file.
func (c *change) keys() (keys []string) {
	if !isSettings(c.path) {
		return nil
	}
	for _, line := range c.added {
		s, ok := settingOf(strings.TrimRight(line, ", "))
		opens := strings.HasSuffix(line, "{") || strings.HasSuffix(line, "[") || strings.HasSuffix(line, ":")
		if ok && (s.value != "" || opens) && len(keys) < mostDefined && !slices.Contains(keys, s.key) {
			keys = append(keys, s.key)
		}
	}
	return keys
}

// nameQuote returns text unchanged if it is a plain name, and in backticks otherwise.
func nameQuote(text string) string {
	if strings.ContainsAny(text, " ,;:=`\"'“()[]{}") {
		return codeQuote(clipLine(text, quotedLine))
	}
	return text
}

// settingsIn parses lines as settings, and skips comments and brackets. If any other line isn't a
// setting, or is longer than quotedNew bytes, ok is false and all is nil.
func settingsIn(lines []string) (all []settingLine, ok bool) {
	for _, line := range lines {
		line = strings.TrimRight(line, ", ")
		if strings.Trim(line, "{}[]") == "" || line[0] == '#' || strings.HasPrefix(line, "//") {
			continue
		}
		s, ok := settingOf(line)
		if !ok || len(line) > quotedNew {
			return nil, false
		}
		all = append(all, s)
	}
	return all, true
}

// settingOf parses one line as a setting: `key: value` or `key = value`, where the key may be quoted, `"element"` or
// `- element`. ok is false for any other line. The value is "" if it ends with an opening bracket.
func settingOf(line string) (s settingLine, ok bool) {
	item := strings.TrimPrefix(line, "- ")
	rest, quotes := strings.CutPrefix(item, `"`)
	s.item = line != item
	at := keyEnd(item, s.item)
	if quotes {
		at = strings.IndexByte(rest, '"') + 2
	}
	switch {
	case quotes && at > 1, at > 0 && !quotes && !strings.Contains(strings.TrimRight(item[:at], " "), " "):
		s.key, rest = strings.Trim(item[:at], `" `), strings.TrimLeft(item[at:], " ")
		if s.key == "" || rest != "" && strings.IndexByte(":=", rest[0]) < 0 {
			return s, false
		}
		s.value = strings.Trim(strings.TrimLeft(rest, ":= "), `"`)
	case s.item:
		s.key = item
	default:
		return s, false
	}
	if strings.HasSuffix(s.value, "{") || strings.HasSuffix(s.value, "[") {
		s.value = ""
	}
	if s.line = line; s.value == "" && !s.item {
		s.line = s.key
	}
	return s, true
}

// keyEnd returns the offset of the separator after the key at the beginning of a line, or -1 if there is none. The
// separator is an equals sign (except in list elements, which item identifies), or a colon before a space or the end of
// the line. A colon in an address is followed by something else.
func keyEnd(line string, item bool) int {
	for i := range len(line) {
		if line[i] == '=' && !item || line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ') {
			return i
		}
	}
	return -1
}
