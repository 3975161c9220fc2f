package view

import "strconv"

// Edits writes the changes to a list of messages in output order: {"keep":[from,to]} for messages that stay, as a
// half-open range of indexes, {"set":index,"message":…} for a rewritten message, and {"insert":message} for a new
// one.
type Edits struct {
	dst      []byte // the edits that are written
	from, to int    // the pending run of kept messages, as a half-open range
	any      bool   // whether dst contains any edits
}

// NewEdits returns a writer that appends to dst.
func NewEdits(dst []byte) *Edits { return &Edits{dst: append(dst, '[')} }

// Keep keeps the message at index. Consecutive messages become one range.
func (e *Edits) Keep(index int) {
	if e.from == e.to || index != e.to {
		e.flush()
		e.from = index
	}
	e.to = index + 1
}

// Insert adds a message. write appends its JSON to dst.
func (e *Edits) Insert(write func(dst []byte) []byte) {
	e.begin(`{"insert":`)
	e.dst = append(write(e.dst), '}')
}

// Set replaces the message at index. write appends the JSON of the new message to dst.
func (e *Edits) Set(index int, write func(dst []byte) []byte) {
	e.begin(`{"set":`)
	e.dst = append(strconv.AppendInt(e.dst, int64(index), 10), `,"message":`...)
	e.dst = append(write(e.dst), '}')
}

// InsertForeign adds an edit of a kind that this type doesn't know. write appends the members of its JSON object to
// dst.
func (e *Edits) InsertForeign(write func(dst []byte) []byte) {
	e.begin("{")
	e.dst = append(write(e.dst), '}')
}

// End closes the list and returns everything that was written.
func (e *Edits) End() []byte {
	e.flush()
	return append(e.dst, ']')
}

func (e *Edits) begin(text string) {
	e.flush()
	if e.any {
		e.dst = append(e.dst, ',')
	}
	e.any = true
	e.dst = append(e.dst, text...)
}

func (e *Edits) flush() {
	if e.from == e.to {
		return
	}
	from, to := e.from, e.to
	e.from, e.to = 0, 0
	e.begin(`{"keep":[`)
	e.dst = strconv.AppendInt(e.dst, int64(from), 10)
	e.dst = append(e.dst, ',')
	e.dst = strconv.AppendInt(e.dst, int64(to), 10)
	e.dst = append(e.dst, `]}`...)
}
