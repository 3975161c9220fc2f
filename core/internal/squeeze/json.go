package squeeze

import "strings"

// node is a JSON value or a key. The nodes inside it follow directly, up to but not including index next.
type node struct {
	start, end int32 // offsets in the text
	next       int32 // the index of the first node that is not inside it
	count      int32 // the number of elements of an array, or of members of an object
	kind       byte  // the first character of the value ('0' for scalars other than strings); ':' for a key
}

const (
	maxDepth = 256 // the maximum depth of JSON that is read
	minJSON  = 40  // the minimum length of JSON that is shortened, in bytes

	valueBits = 9 // the number of bits of a value's hash that are used
)

// jsonLines describes JSON values that begin at the beginning of a line.
type jsonLines struct {
	line   int   // the first line
	lines  int   // number of lines
	from   int   // the offset in the text at which the values begin
	end    int   // the offset in the text at which they end
	root   int32 // the index of the node that contains the values
	values int   // number of values
	whole  bool  // whether the values are complete; false for elements of an incomplete array
}

// json writes the JSON that begins on line i: a value that ends at the end of a line, or several lines with one value
// each, or members of an object. It returns the number of lines that it has written, or 0 if it leaves the line to others:
// no JSON begins there, or it is short, followed by other text, or part of an error message.
func (w *writer) json(i int) int {
	from := int(w.lines[i]) + indentOf(w.line(i))
	if from < w.noJSON || !w.allows(JSON) {
		return w.joinMembers(i)
	}
	j := jsonLines{line: i, from: from}
	if !w.firstJSON(&j) {
		return w.joinMembers(i)
	}
	rest := false
	if j.lines, rest = w.linesTo(i, j.end); rest && (j.whole || j.lines > 1) {
		return 0
	}
	if j.whole && w.src[from] == '{' {
		w.moreJSON(&j)
	}
	if j.end-from < minJSON {
		return 0
	}
	root := &w.nodes[j.root]
	root.end, root.next, root.count = int32(j.end), int32(len(w.nodes)), int32(j.values)
	// It is part of an error message, which continues to the end of the line.
	if j.lines == j.values && tellsError(w.src[from:j.end]) {
		return 0
	}
	return w.writeJSON(&j)
}

// firstJSON parses the first value or, if that is an incomplete array, its complete elements. It returns false if it
// finds neither.
func (w *writer) firstJSON(j *jsonLines) bool {
	w.nodes = append(w.nodes[:0], node{start: int32(j.from), kind: '['})
	j.end, j.whole = w.value(j.from)
	w.noJSON = j.end
	if j.values = 1; j.whole {
		return true
	}
	if len(w.nodes) < 2 || w.nodes[1].kind != '[' || w.nodes[1].count < minRows {
		return false
	}
	j.root, j.values = 1, int(w.nodes[1].count)
	w.nodes = w.nodes[:w.nodes[1].next]
	j.end = w.lastEnd()
	return true
}

// moreJSON parses further objects that are on lines of their own. These are JSON lines, or elements of an array that
// began earlier.
func (w *writer) moreJSON(j *jsonLines) {
	for j.line+j.lines < w.count() {
		i := j.line + j.lines
		s := w.line(i)
		at := indentOf(s)
		if at == len(s) || s[at] != '{' || int(w.lines[i])+at < w.noJSON {
			return
		}
		n := len(w.nodes)
		end, whole := w.value(int(w.lines[i]) + at)
		if w.noJSON = end; !whole {
			w.nodes = w.nodes[:n]
			return
		}
		more, rest := w.linesTo(i, end)
		if rest {
			w.nodes = w.nodes[:n]
			return
		}
		j.end = end
		j.values++
		j.lines += more
	}
}

// writeJSON writes the values as rows if they are similar, and otherwise one per line without white space. It returns
// the number of lines that it replaced.
func (w *writer) writeJSON(j *jsonLines) int {
	if w.twice = j.end-j.from > 2*minValue; w.twice {
		if w.values == nil {
			w.values = make([]int32, 1<<valueBits)
		}
		clear(w.values)
	}
	before, was := len(w.out), w.forms
	w.forms |= JSON
	switch {
	case j.values > 1 && w.rows(j.root):
		if !j.whole { // more elements follow
			w.out = append(w.out[:len(w.out)-1], ',')
		}
		w.endLine()
	case !j.whole:
		w.out, w.forms = w.out[:before], was
		return w.joinMembers(j.line)
	default:
		for n := int32(1); n < int32(len(w.nodes)); n = w.nodes[n].next {
			w.emit(n)
			w.endLine()
		}
	}
	behind := j.line + j.lines
	if tail := w.src[j.end : w.lines[behind]-1]; !blank(tail) && (j.whole || j.lines == 1) {
		w.out = append(append(w.out[:len(w.out)-1], tail...), '\n')
	}
	if len(w.out)-before >= int(w.lines[behind]-w.lines[j.line]) { // the original is just as compact
		w.forms = was
		w.out = append(append(w.out[:before], w.src[w.lines[j.line]:w.lines[behind]-1]...), '\n')
	}
	return j.lines
}

// lastEnd returns the end offset of the last complete value inside the first value.
func (w *writer) lastEnd() int {
	last := int32(0)
	for n := int32(2); n < int32(len(w.nodes)); n = w.nodes[n].next {
		last = w.nodes[n].end
	}
	return int(last)
}

// linesTo returns the number of lines from line i up to the line that contains offset end, at which a value ends. rest
// reports whether anything follows the value on that line.
func (w *writer) linesTo(i, end int) (k int, rest bool) {
	for k = 1; int(w.lines[i+k]) <= end; k++ {
	}
	for _, c := range []byte(w.src[end : w.lines[i+k]-1]) {
		if c != ' ' && c != '\t' && c != ',' && c != ';' {
			return k, true
		}
	}
	return k, false
}

// value parses the JSON value at an offset into nodes. If the value is invalid, ok is false, and end is the offset at
// which parsing stopped.
func (w *writer) value(at int) (end int, ok bool) {
	r := nodeReader{w: w, at: at}
	for more := true; more; {
		opened, ok := r.begin()
		if !ok {
			return r.at, false
		}
		if opened {
			continue
		}
		if more, ok = r.follow(); !ok {
			return r.at, false
		}
	}
	return r.at, true
}

// nodeReader is the state of a parser that turns a JSON value into nodes.
type nodeReader struct {
	w     *writer         // has the text, and gets the nodes
	at    int             // the position in the text
	stack [maxDepth]int32 // the indexes of the open arrays and objects
	depth int             // number of open arrays and objects
}

// space skips white space. It returns false at the end of the text.
func (r *nodeReader) space() bool {
	for r.at < len(r.w.src) && space(r.w.src[r.at]) {
		r.at++
	}
	return r.at < len(r.w.src)
}

// begin reads a scalar, or opens an array or an object. opened is false if there is nothing to read inside: the value
// is a scalar, or an empty array or object, which the next call of follow closes.
func (r *nodeReader) begin() (opened, ok bool) {
	if !r.space() {
		return false, false
	}
	switch c := r.w.src[r.at]; {
	case c == '{' || c == '[':
		return r.open(c)
	case c == '"':
		end, ok := stringEnd(r.w.src, r.at)
		r.scalar(end, c, ok)
		return false, ok
	case c == '-' || digit(c) || c == 't' || c == 'f' || c == 'n':
		end := r.at + 1
		for end < len(r.w.src) && numeric[r.w.src[end]] {
			end++
		}
		s := r.w.src[r.at:end]
		ok := !letter(c) || s == "true" || s == "false" || s == "null"
		r.scalar(end, '0', ok)
		return false, ok
	}
	return false, false
}

// scalar adds a node that ends at the given offset if ok is set, and moves to that offset.
func (r *nodeReader) scalar(end int, kind byte, ok bool) {
	if ok {
		r.w.nodes = append(r.w.nodes, node{int32(r.at), int32(end), int32(len(r.w.nodes) + 1), 0, kind})
	}
	r.at = end
}

// open opens an array or an object. opened is false if it is empty.
func (r *nodeReader) open(c byte) (opened, ok bool) {
	if r.depth == maxDepth {
		return false, false
	}
	r.stack[r.depth] = int32(len(r.w.nodes))
	r.depth++
	r.w.nodes = append(r.w.nodes, node{start: int32(r.at), kind: c})
	r.at++
	if r.space() && r.w.src[r.at] == c+2 {
		return false, true
	}
	return true, c == '[' || r.key()
}

// key reads a key and the colon that follows it. It returns false if they are missing or incomplete.
func (r *nodeReader) key() (ok bool) {
	r.at, ok = r.w.key(r.at)
	return ok
}

// follow closes the containers that end after a value, or reads the comma and the key before the next value. more is
// false after the end of the outermost value.
func (r *nodeReader) follow() (more, ok bool) {
	for r.depth > 0 {
		if !r.space() {
			return false, false
		}
		first := r.stack[r.depth-1]
		top := &r.w.nodes[first]
		if top.next = int32(len(r.w.nodes)); top.next > first+1 {
			top.count++
		}
		switch c := r.w.src[r.at]; {
		case c == top.kind+2:
			r.at++
			top.end = int32(r.at)
			r.depth--
		case c != ',' || top.count == 0:
			return false, false
		default:
			r.at++
			if top.kind == '[' {
				return true, true
			}
			r.space()
			return true, r.key()
		}
	}
	return false, true
}

// numeric marks the characters that occur in numbers and in true, false and null.
var numeric = func() (is [256]bool) {
	for i := range is {
		c := byte(i)
		is[c] = digit(c) || letter(c) || c == '.' || c == '-' || c == '+'
	}
	return is
}()

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// key parses the key at the offset at, and the colon that follows it. end is the offset after the colon. ok is false if
// there is no key; end is then where the parser stopped.
func (w *writer) key(at int) (end int, ok bool) {
	if at >= len(w.src) || w.src[at] != '"' {
		return at, false
	}
	end, ok = stringEnd(w.src, at)
	if !ok {
		return end, false
	}
	w.nodes = append(w.nodes, node{int32(at), int32(end), int32(len(w.nodes) + 1), 0, ':'})
	for end < len(w.src) && space(w.src[end]) {
		end++
	}
	if end >= len(w.src) || w.src[end] != ':' {
		return end, false
	}
	return end + 1, true
}

// stringEnd returns the offset after the JSON string that begins at an offset. ok is false if the string doesn't end on
// the same line; then end is the next quote after the line, or the end of src.
func stringEnd(src string, at int) (end int, ok bool) {
	for at++; ; {
		i := strings.IndexByte(src[at:], '"')
		if i < 0 {
			return len(src), false
		}
		if strings.IndexByte(src[at:at+i], '\n') >= 0 {
			return at + i, false
		}
		at += i
		escapes := 0
		for src[at-1-escapes] == '\\' {
			escapes++
		}
		at++
		if escapes%2 == 0 {
			return at, true
		}
	}
}

// emit writes the value of node n without white space. It writes an array of similar objects as rows.
func (w *writer) emit(n int32) {
	v := &w.nodes[n]
	switch {
	case v.kind == '[' && v.count >= minRows && w.rows(n):
	case v.kind == '[' || v.kind == '{':
		w.emitInside(n)
	default:
		s := w.src[v.start:v.end]
		if len(s) > minBinary && w.allows(Binary) {
			w.cut(s)
			return
		}
		w.out = append(w.out, s...)
	}
}

// emitInside writes node n, which is an array or an object, with its contents. It and emit call each other, at most
// maxDepth levels deep.
func (w *writer) emitInside(n int32) {
	kind, next := w.nodes[n].kind, w.nodes[n].next
	w.out = append(w.out, kind)
	for k := n + 1; k < next; k = w.nodes[k].next {
		again := false
		if w.nodes[k].kind == ':' {
			w.out = append(w.out, w.src[w.nodes[k].start:w.nodes[k].end]...)
			w.out = append(w.out, ':')
			again = w.again(k)
			k++
		}
		if !again {
			w.emit(k)
		}
		if w.nodes[k].next < next {
			w.out = append(w.out, ',')
		}
	}
	w.out = append(w.out, kind+2)
}

// minValue is the minimum size, in bytes, of a repeated value that a reference replaces.
const minValue = 80

// again writes a reference instead of a member's value if an equal value was written earlier, under any key. key is the
// index of the node of the member's key. It returns false if it wrote nothing.
func (w *writer) again(key int32) bool {
	v := &w.nodes[key+1]
	if !w.twice || v.end-v.start < minValue || !w.allows(Repeats) {
		return false
	}
	s := w.src[v.start:v.end]
	slot := &w.values[hash(s)>>(64-valueBits)]
	first := *slot
	*slot = key
	if first == 0 || w.src[w.nodes[first+1].start:w.nodes[first+1].end] != s {
		return false
	}
	*slot = first
	w.forms |= Repeats
	w.out = append(w.out, "[as "...)
	w.out = append(w.out, w.src[w.nodes[first].start:w.nodes[first].end]...)
	w.out = append(w.out, " above]"...)
	return true
}

// minMembers is the minimum number of lines of incomplete JSON from which white space is removed.
const minMembers = 4

// memberLine parses a line of pretty-printed JSON. text is the line without leading and trailing white space. key is
// the length of the key and the colon at its beginning, or 0 if there are none. ok is false for any other line.
func memberLine(s string) (text string, key int, ok bool) {
	text = strings.TrimRight(s[indentOf(s):], " \t")
	if text == "" || len(text) > 1<<16 {
		return "", 0, false
	}
	rest := text[1:]
	switch text[0] {
	case '{', '[':
		return text, 0, rest == "" || rest == "}" || rest == "]" || rest == "}," || rest == "],"
	case '}', ']':
		return text, 0, rest == "" || rest == ","
	case '"':
		end, closed := stringEnd(text, 0)
		if !closed {
			return "", 0, false
		}
		if rest = text[end:]; rest == "" || rest == "," {
			return text, 0, true
		}
		if len(rest) > 2 && rest[:2] == ": " {
			return text, end + 1, memberValue(rest[2:])
		}
	}
	return "", 0, false
}

// memberValue reports whether value, on a line of pretty-printed JSON, is the value of a member or the opening bracket
// of one.
func memberValue(value string) bool {
	switch c := value[0]; {
	case c == '"':
		end, closed := stringEnd(value, 0)
		return closed && (end == len(value) || value[end:] == ",")
	case c == '{', c == '[':
		return len(value) == 1 || value == "{}" || value == "[]" || value == "{}," || value == "[],"
	case digit(c), c == '-', c == 't', c == 'f', c == 'n':
		return !strings.ContainsAny(value, " \"")
	}
	return false
}

// joinMembers writes lines of pretty-printed JSON, from line i on, without white space. They need not form a complete
// value; the middle of the output may have been cut out, for example. It returns the number of lines, or 0 if no such
// lines begin on line i.
func (w *writer) joinMembers(i int) int {
	if i < w.member || !w.allows(JSON) {
		return 0
	}
	k, keys := 0, 0
	for ; i+k < w.count(); k++ {
		_, key, ok := memberLine(w.line(i + k))
		if !ok {
			break
		}
		keys += bit(key > 0)
	}
	if k < minMembers || keys*3 < k {
		w.member = i + k
		return 0
	}
	w.forms |= JSON
	for at := i; at < i+k; at++ {
		w.writeMember(w.line(at))
	}
	if w.out[len(w.out)-1] != '\n' {
		w.endLine()
	}
	return k
}

// writeMember appends a line of pretty-printed JSON to the current line. It ends the current line at the end of an
// outer value.
func (w *writer) writeMember(line string) {
	text, key, _ := memberLine(line)
	if key > 0 {
		w.out = append(w.out, text[:key]...)
		text = text[key+1:]
	}
	w.out = append(w.out, text...)
	if n := len(w.out); text[0] == '}' && line[0] == '}' || n > 0 && w.out[n-1] == ',' && len(text) <= 2 && indentOf(line) <= 2 {
		w.endLine()
	}
}
