package squeeze

// column is a column of a table with rows: a key that similar objects have in common.
type column struct {
	start, end int32 // the range of the key, including its quotes
	rows       int32 // the number of objects that have the key
	last       int32 // the number, from 1, of the last object that has the key
	value      int32 // the index of the node of the first value
	same       bool  // whether all values are the same
	alike      bool  // whether all values are objects with the same keys in the same order
}

// Limits for rows of similar objects.
const (
	minRows    = 2  // the minimum number of rows
	maxColumns = 64 // the maximum number of members of an object
	minFilled  = 2  // of five cells
)

// rows writes an array of similar objects as a header with the keys, followed by one row for each object:
// [{id,name,kind="bug"} ["a",1] ["b",2]]. If all objects have the same value for a key, the header contains this value.
// If an object lacks a key, its cell is empty. rows returns false if it wrote nothing.
func (w *writer) rows(n int32) bool {
	if !w.allows(Rows) || w.nodes[n].count < minRows {
		return false
	}
	base, end := len(w.cols), w.nodes[n].next
	defer func() { w.cols = w.cols[:base] }()
	t := table{base: base}
	for k := n + 1; k < end; k = w.nodes[k].next {
		if !w.addRow(&t, k) {
			return false
		}
	}
	if !w.isWorthTable(&t) {
		return false
	}
	w.forms |= Rows
	w.writeHeader(base)
	for k := n + 1; k < end; k = w.nodes[k].next {
		w.writeRow(k, base)
	}
	w.out = append(w.out, ']')
	return true
}

// table describes a list of objects while its columns are being collected.
type table struct {
	base  int   // the index of the first column
	rows  int32 // number of objects
	cells int   // number of values in all objects
	total int   // the bytes of the keys in all cells, with quotes, colons and commas
}

// addRow adds an object to a table. It returns false if the object can't be a row.
func (w *writer) addRow(t *table, k int32) bool {
	if w.nodes[k].kind != '{' || w.nodes[k].count == 0 {
		return false
	}
	t.rows++
	c := t.base - 1
	for m := k + 1; m < w.nodes[k].next; m = w.nodes[m+1].next {
		key := &w.nodes[m]
		if c = w.column(t.base, c+1, key); c < 0 || w.cols[c].last == t.rows { // the object has the key twice
			return false
		}
		w.addCell(&w.cols[c], m+1)
		w.cols[c].rows, w.cols[c].last = w.cols[c].rows+1, t.rows
		t.cells++
		t.total += int(key.end-key.start) + 2
	}
	return true
}

// addCell adds a value to a column. value is the index of its node. It records whether all values of the column are the
// same, and whether all are objects with the same keys.
func (w *writer) addCell(col *column, value int32) {
	if col.rows == 0 {
		v := &w.nodes[value]
		col.value, col.alike = value, v.kind == '{' && v.count > 0 && v.count <= maxColumns
		return
	}
	a, b := &w.nodes[col.value], &w.nodes[value]
	col.same = col.same && w.src[a.start:a.end] == w.src[b.start:b.end]
	col.alike = col.alike && w.alike(col.value, value)
}

// isWorthTable reports whether a header with rows is shorter than the objects, and whether enough cells are filled. It
// also sets column.same.
func (w *writer) isWorthTable(t *table) bool {
	cols := w.cols[t.base:]
	head, total := 6, t.total
	for i := range cols {
		cols[i].same = cols[i].same && cols[i].rows == t.rows
		head += int(cols[i].end-cols[i].start) + 1
		if cols[i].alike && !cols[i].same {
			inner := 0
			w.each(cols[i].value, func(key, _ int32) { inner += int(w.nodes[key].end-w.nodes[key].start) + 1 })
			total += inner * int(cols[i].rows)
			head += inner
		}
	}
	all := len(cols) * int(t.rows)
	return t.cells*5 >= all*minFilled && total-head-all+t.cells >= 16
}

// writeHeader writes the header: the keys of the columns. A key is followed by its value if all objects share it, or by
// the inner keys if its values are objects with the same keys. base is the index in w.cols of the first column.
func (w *writer) writeHeader(base int) {
	w.out = append(w.out, "[{"...)
	for i := range w.cols[base:] {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		col := w.cols[base+i]
		w.out = append(w.out, w.src[col.start+1:col.end-1]...)
		switch {
		case col.same:
			w.out = append(w.out, '=')
			w.emit(col.value)
		case col.alike:
			w.out = append(w.out, '{')
			w.writeMembers(col.value, func(key, _ int32) {
				w.out = append(w.out, w.src[w.nodes[key].start+1:w.nodes[key].end-1]...)
			})
			w.out = append(w.out, '}')
		}
	}
	w.out = append(w.out, '}')
}

// writeRow writes an object as a row. k is the object's node, and base the index of the first column. A row is an
// array, without the values that the header gives.
func (w *writer) writeRow(k int32, base int) {
	w.out = append(w.out, "\n["...)
	first := true
	w.cells(k, base, func(m int32, alike bool) {
		if !first {
			w.out = append(w.out, ',')
		}
		switch first = false; {
		case m == 0:
		case alike:
			w.out = append(w.out, '[')
			w.writeMembers(m, func(_, value int32) { w.emit(value) })
			w.out = append(w.out, ']')
		default:
			w.emit(m)
		}
	})
	w.out = append(w.out, ']')
}

// alike reports whether two objects have the same keys in the same order.
func (w *writer) alike(a, b int32) bool {
	if w.nodes[b].kind != '{' || w.nodes[a].count != w.nodes[b].count {
		return false
	}
	end := w.nodes[a].next
	for a, b = a+1, b+1; a < end; a, b = w.nodes[a+1].next, w.nodes[b+1].next {
		if w.src[w.nodes[a].start:w.nodes[a].end] != w.src[w.nodes[b].start:w.nodes[b].end] {
			return false
		}
	}
	return true
}

// each calls do for each member of an object, with the nodes of its key and its value.
func (w *writer) each(object int32, do func(key, value int32)) {
	for m, end := object+1, w.nodes[object].next; m < end; m = w.nodes[m+1].next {
		do(m, m+1)
	}
}

// writeMembers calls write for each member of an object, and writes commas in between.
func (w *writer) writeMembers(object int32, write func(key, value int32)) {
	w.each(object, func(key, value int32) {
		if key > object+1 {
			w.out = append(w.out, ',')
		}
		write(key, value)
	})
}

// cells calls write for each column whose value the header doesn't give, in order, with the object's value or, if it
// has none, 0. alike is true if the values in that column are all objects with the same keys in the same order. base is
// the index of the first column.
func (w *writer) cells(object int32, base int, write func(value int32, alike bool)) {
	var at [maxColumns]int32
	n := len(w.cols)
	c := base - 1
	for m := object + 1; m < w.nodes[object].next; m = w.nodes[m+1].next {
		c = w.column(base, c+1, &w.nodes[m])
		at[c-base] = m + 1
	}
	for c := base; c < n; c++ {
		if !w.cols[c].same {
			write(at[c-base], w.cols[c].alike)
		}
	}
}

// column returns the index of the column for a key. It tries the column guess first, and adds a column for a new key.
// It returns -1 if there would be too many columns. base is the index of the first column of the table.
func (w *writer) column(base, guess int, key *node) int {
	s := w.src[key.start:key.end]
	if guess < len(w.cols) && w.src[w.cols[guess].start:w.cols[guess].end] == s {
		return guess
	}
	for c := base; c < len(w.cols); c++ {
		if w.src[w.cols[c].start:w.cols[c].end] == s {
			return c
		}
	}
	if len(w.cols)-base == maxColumns {
		return -1
	}
	w.cols = append(w.cols, column{start: key.start, end: key.end, same: true})
	return len(w.cols) - 1
}
