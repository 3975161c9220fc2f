package squeeze

import "strings"

// fileLine is a parsed line of a search result: "path:12:text" for a match, or "path-12-text" for a line of context.
type fileLine struct {
	path, rest string // rest begins with the line number
	number     int    // the line number
	match      bool   // whether the line is a match
}

// maxPath is the maximum length of a path, in bytes.
const maxPath = 512

// maxDashes is the maximum number of dashes in a line after which fileLineOf looks for a line number.
const maxDashes = 8

// fileLineOf parses line s of a search result. path is the path on the previous line, or "". next is the following line.
// ok is false if s has no path with a line number.
func fileLineOf(s, path, next string) (p fileLine, ok bool) {
	if path != "" && len(s) > len(path)+2 && s[:len(path)] == path {
		if p, ok = numbered(s, len(path)); ok {
			return p, true
		}
	}
	if c := s[0]; !word(c) && c != '/' && c != '.' && c != '~' && c != '@' {
		return fileLine{}, false
	}
	if p, ok = matchLine(s); ok {
		return p, true
	}
	return contextLine(s, path, next)
}

// matchLine parses a line with a match, "path:12:text". It returns false for any other line.
func matchLine(s string) (fileLine, bool) {
	from := 0
	if len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') { // a Windows drive
		from = 2
	}
	at := strings.IndexByte(s[from:min(len(s), maxPath)], ':') + from
	if at <= from || at+1 >= len(s) || !digit(s[at+1]) || !mayBePath(s[:at]) {
		return fileLine{}, false
	}
	return numbered(s, at)
}

// contextLine parses a line of context, "path-12-text". It returns false unless the previous or the next line belongs
// to the same file.
func contextLine(s, path, next string) (fileLine, bool) {
	for from, k := 0, 0; k < maxDashes; k++ {
		i := strings.IndexByte(s[from:min(len(s), maxPath)], '-')
		if i < 0 {
			break
		}
		from += i + 1
		if from >= len(s) || !digit(s[from]) || !mayBePath(s[:from-1]) {
			continue
		}
		p, ok := numbered(s, from-1)
		if !ok {
			continue
		}
		if path == p.path || path != "" && alike(p.path, path) {
			return p, true
		}
		if q, found := lineOfFile(next, p.path); found && q.number == p.number+1 {
			return p, true
		}
	}
	return fileLine{}, false
}

// lineOfFile parses a line that begins with the given path. It returns false if no line number follows.
func lineOfFile(s, path string) (fileLine, bool) {
	if len(s) > len(path)+2 && s[:len(path)] == path {
		return numbered(s, len(path))
	}
	return fileLine{}, false
}

// numbered parses a line whose path ends at offset at. It returns false unless a separator, a line
// number of at most seven digits and the same separator follow.
func numbered(s string, at int) (fileLine, bool) {
	if s[at] != ':' && s[at] != '-' {
		return fileLine{}, false
	}
	k := digits(s[at+1:])
	end := at + 1 + k
	if k == 0 || k > 7 || end >= len(s) || s[end] != s[at] {
		return fileLine{}, false
	}
	n := 0
	for _, c := range []byte(s[at+1 : end]) {
		n = n*10 + int(c-'0')
	}
	return fileLine{s[:at], s[at+1:], n, s[at] == ':'}, true
}

// mayBePath reports whether s can be a path: it has from 3 to maxPath bytes, and contains a letter,
// and a dot, a slash or a backslash, but no white space, quotes, commas or any of (=<>.
func mayBePath(s string) bool {
	if len(s) < 3 || len(s) > maxPath {
		return false
	}
	seen := uint8(0)
	for i := 0; i < len(s); i++ {
		if seen |= inPaths[s[i]]; seen&never != 0 {
			return false
		}
	}
	return seen == separates|spells
}

// The roles that a byte can have in a path.
const (
	separates uint8 = 1 << iota // a dot, a slash or a backslash
	spells                      // a letter or a non-ASCII byte
	never                       // can't be in a path
)

var inPaths = func() (is [256]uint8) {
	for i := range is {
		switch c := byte(i); {
		case c == '.' || c == '/' || c == '\\':
			is[i] = separates
		case letter(c) || c >= 0x80:
			is[i] = spells
		case c <= ' ' || strings.IndexByte(`"'(=,<>`, c) >= 0:
			is[i] = never
		}
	}
	return is
}()

// sameFile reports whether two paths can name the same file. This is so if short is the end of long and begins at the
// name of a directory or a file.
func sameFile(long, short string) bool {
	return len(long) > len(short) && strings.HasSuffix(long, short) &&
		(long[len(long)-len(short)-1] == '/' || long[len(long)-len(short)-1] == '\\')
}

// alike reports whether one of two paths is the end of the other, so that both can name the same file.
func alike(a, b string) bool { return sameFile(a, b) || sameFile(b, a) }

// paths writes those lines of a search result, from line i on, that belong to the same file. It writes the path once,
// and below it the lines, including the separators that the search put between them. It returns the number of lines, or
// 0 if no such lines begin on line i.
func (w *writer) paths(i int) int {
	if !w.allows(Paths) {
		return 0
	}
	path, k := w.fileLines(i)
	if k == 0 {
		return 0
	}
	w.forms |= Paths
	w.out = append(append(w.out, path...), ":\n"...)
	w.belowPath(i, i+k, path)
	for i+k+1 < w.count() && w.line(i+k) == betweenHits {
		more, n, _ := w.adjacent(i + k + 1)
		if n == 0 || more != path {
			break
		}
		if !w.bare {
			w.out = append(w.out, betweenHits+"\n"...)
		}
		w.belowPath(i+k+1, i+k+1+n, path)
		k += 1 + n
	}
	return k
}

// betweenHits is the line that search programs write between hits that aren't adjacent.
const betweenHits = "--"

// belowPath writes lines that belong to the file at path, without the path and without the indentation shared by
// consecutive lines. Lines may be left out only around a hit, because file names such as "shot-0012-left.png" look like
// lines of context.
func (w *writer) belowPath(at, to int, path string) {
	for at < to {
		end, margin, hit := w.stretchOf(at, to, path)
		for ; at < end; at++ {
			p := w.lineAt(at, path)
			if w.bare && hit && !p.match {
				w.forms |= Around
				continue
			}
			n := digits(p.rest) + 1
			text := p.rest[n:]
			w.out = append(w.out, p.rest[:n]...)
			if !blank(text) {
				w.text(text[min(margin, len(text)):])
			}
			w.endLine()
		}
	}
}

// fileLines returns the path on line i, and the number of consecutive lines that belong to that file. The number is 0
// if there are too few lines, or if writing the path only once would save too little. path is then "".
func (w *writer) fileLines(i int) (path string, k int) {
	if len(w.line(i)) < 6 || len(w.line(i+1)) < 6 {
		return "", 0
	}
	path, k, size := w.adjacent(i)
	if k < 2 || size < 8+2 {
		return "", 0
	}
	return path, k
}

// lineOrNone returns line i, or "" after the last one.
func (w *writer) lineOrNone(i int) string {
	if i < w.count() {
		return w.line(i)
	}
	return ""
}

// adjacent returns the longest form of the path on line i, the number of consecutive lines that belong to that file,
// and the number of bytes taken up by all of their paths except the first. All are zero if line i has no path.
func (w *writer) adjacent(i int) (path string, k, size int) {
	s := w.line(i)
	if len(s) < 4 {
		return "", 0, 0
	}
	last, ok := fileLineOf(s, "", w.lineOrNone(i+1))
	if !ok {
		return "", 0, 0
	}
	path = last.path
	for k = 1; len(w.lineOrNone(i+k)) >= 4; k++ {
		p, ok := fileLineOf(w.lineOrNone(i+k), path, w.lineOrNone(i+k+1))
		if !ok {
			break
		}
		if p.path != path {
			if p.number != last.number+1 || !alike(p.path, path) {
				break
			}
			if len(p.path) > len(path) {
				path = p.path
			}
		}
		last = p
		size += len(p.path)
	}
	return path, k, size
}

// stretchOf returns the end of the lines with consecutive numbers that begin on line at, which is
// at most end, and the indentation that all of them share, or 1<<30 if their texts are blank. hit
// reports whether any of them is a match. path is the path of these lines.
func (w *writer) stretchOf(at, end int, path string) (to, margin int, hit bool) {
	margin = 1 << 30
	number := 0
	for to = at; to < end; to++ {
		p := w.lineAt(to, path)
		if to > at && p.number != number+1 {
			break
		}
		number = p.number
		hit = hit || p.match
		if text := p.rest[digits(p.rest)+1:]; !blank(text) {
			margin = min(margin, indentOf(text))
		}
	}
	return to, margin, hit
}

// lineAt parses line i of the file at path. The line may contain a shorter form of the path. If it
// contains none, rest is the whole line.
func (w *writer) lineAt(i int, path string) fileLine {
	s := w.line(i)
	if p, ok := lineOfFile(s, path); ok {
		return p
	}
	for from := 0; ; {
		at := strings.IndexByte(path[from:], '/')
		if at < 0 {
			break
		}
		if from += at + 1; path[from:] != "" {
			if p, ok := lineOfFile(s, path[from:]); ok {
				return p
			}
		}
	}
	return fileLine{rest: s}
}
