package proxy

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// leastRate is the minimum number of bytes per second that a client must send after BodyTimeout. A slower client would
// occupy a connection and memory for too long.
const leastRate = 16 << 10

// leaveTime is the time that a client gets to finish sending a body after the endpoint has responded early.
const leaveTime = time.Second

// limit limits the time to read the body of a request. It returns nil if there is no body.
func (p *Proxy) limit(w http.ResponseWriter, r *http.Request) *timedBody {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	b := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w), start: time.Now(), timeout: p.BodyTimeout}
	r.Body = b
	return b
}

// timedBody is a request's body that must arrive before a deadline.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	start   time.Time     // when the request arrived
	timeout time.Duration // negative means no deadline
	read    int64         // the number of bytes read so far

	mu    sync.Mutex
	over  bool // the deadline no longer applies
	late  bool // the body missed the deadline
	whole bool // the body was read to its end
}

// Read reads from the body, and extends the deadline in proportion to the bytes read so far. Once the deadline has
// passed, it fails with os.ErrDeadlineExceeded.
func (b *timedBody) Read(p []byte) (int, error) {
	b.set(b.start.Add(b.timeout + time.Duration(b.read)*time.Second/leastRate))
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if err != nil {
		b.end(errors.Is(err, os.ErrDeadlineExceeded))
	}
	if err == io.EOF {
		b.mu.Lock()
		b.whole = true
		b.mu.Unlock()
	}
	return n, err
}

// isWhole reports whether the whole body has been read.
func (b *timedBody) isWhole() bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.whole
}

// leave waits for a short time for the rest of a body that the client is still sending, and discards it. Otherwise the server would do
// that after the handler and, in full duplex, take the following data as part of both the body and a request.
func (b *timedBody) leave() {
	if b.isWhole() {
		return
	}
	b.mu.Lock()
	b.over = true
	_ = b.control.SetReadDeadline(time.Now().Add(leaveTime))
	b.mu.Unlock()
	_ = b.ReadCloser.Close()
}

// set sets the deadline, unless it no longer applies. Servers that don't support deadlines, as in tests, read without.
func (b *timedBody) set(deadline time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over && b.timeout >= 0 {
		_ = b.control.SetReadDeadline(deadline)
	}
}

// end removes the deadline, so that it does not cut off the response. If the body is late, the deadline stays; otherwise
// the server would wait for the rest of the body before responding.
func (b *timedBody) end(late bool) {
	if b == nil {
		return
	}
	if !late {
		b.set(time.Time{})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over, b.late = true, b.late || late
}

func (b *timedBody) isLate() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.late
}
