package squeeze

import "strings"

// diffHead skips the "diff --git" line of a diff, which names both files, if it is followed by "---" and "+++" lines
// that name the same files. It returns the number of skipped lines. It returns 0 if line i is no such line.
func (w *writer) diffHead(i int) int {
	s := w.line(i)
	rest, ok := strings.CutPrefix(s, "diff --git ")
	if !ok {
		return 0
	}
	w.diff = true
	old, new, ok := strings.Cut(rest, " ")
	if !ok {
		return 0
	}
	for k := 1; k < 5 && i+k+1 < w.count(); k++ {
		if a, ok := strings.CutPrefix(w.line(i+k), "--- "); ok {
			b, ok := strings.CutPrefix(w.line(i+k+1), "+++ ")
			if ok && a == old && b == new {
				w.forms |= Context
				return 1
			}
			break
		}
	}
	return 0
}

// context reports whether s is a context line of a diff that can be left out because it contains no words.
func (w *writer) context(s string) bool {
	if strings.HasPrefix(s, "@@ -") {
		w.diff = true
		return false
	}
	if !w.diff || !w.allows(Context) {
		return false
	}
	if s == "" || s[0] != ' ' {
		w.diff = s != "" && strings.IndexByte("+-\\i", s[0]) >= 0
		return false
	}
	for i := 0; i < len(s); i++ {
		if word(s[i]) {
			return false
		}
	}
	w.forms |= Context
	return true
}
