package proxy

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// leastRate is how many bytes of a body each further second brings, beyond BodyTimeout. A client that is slower than that holds a
// connection, and memory for what it has sent, for nothing.
const leastRate = 16 << 10

// leaveTime is how long a client may go on with a body that the endpoint did not wait for.
const leaveTime = time.Second

// limit bounds the time in which the body of a request is read; nil where there is no body.
func (p *Proxy) limit(w http.ResponseWriter, r *http.Request) *timedBody {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	b := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w), start: time.Now(), timeout: p.BodyTimeout}
	r.Body = b
	return b
}

// timedBody is a body that has to come in time.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	start   time.Time
	timeout time.Duration // none if below 0
	read    int64

	mu    sync.Mutex
	over  bool // no deadline is set any more
	late  bool // it did not come in time
	whole bool // it was read to its end
}

// Read moves the deadline by what has come.
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

// isWhole reports whether nothing of the body is left.
func (b *timedBody) isWhole() bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.whole
}

// leave drops what the client still sends of a body, for a short time. The server would do so after the handler and, in full duplex, then take
// what comes next for a part of the body and of a request at the same time.
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

// set sets the deadline, unless the body is over. Servers that have none, as in tests, read without.
func (b *timedBody) set(deadline time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over && b.timeout >= 0 {
		_ = b.control.SetReadDeadline(deadline)
	}
}

// end takes the limit away, so that it does not end the answer. A body that is late keeps its deadline, or the server would wait
// for the rest of it before it answers.
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
