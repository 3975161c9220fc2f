package proxy_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/proxy"
)

// lockedBuffer collects a server's log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// An endpoint answers before it has the whole body of a request that is streamed through. The
// client must get the answer, the rest of the body must not be taken for a request, and the
// connection is closed or continues with the next request.
func TestAnswerBeforeTheEndOfTheBody(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		if r.URL.Path == "/whole" {
			io.Copy(io.Discard, r.Body)
		}
		w.Header().Set("Content-Length", "5")
		io.WriteString(w, "early")
	}))
	defer upstream.Close()
	c := ctxfold.New(ctxfold.Options{})
	defer c.Close(t.Context())
	u, _ := url.Parse(upstream.URL)
	p, err := proxy.New(proxy.Options{Compactor: c, Upstream: u, Policy: ctxfold.RawPolicy(policy)})
	if err != nil {
		t.Fatal(err)
	}
	logged := new(lockedBuffer)
	s := httptest.NewUnstartedServer(p)
	s.Config.ErrorLog = log.New(logged, "", 0)
	s.Start()
	defer s.Close()
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 5000, strings.Repeat("a", 5000))
	for _, tt := range []struct{ name, path, head, first, rest string }{
		{"chunks", "/files", "Transfer-Encoding: chunked", chunk, chunk + "0\r\n\r\n"},
		{"the last chunk", "/files", "Transfer-Encoding: chunked", chunk, "0\r\n\r\n"},
		{"a length", "/files", "Content-Length: 10000", strings.Repeat("a", 5000), strings.Repeat("a", 5000)},
		{"no more", "/files", "Content-Length: 10000", strings.Repeat("a", 5000), ""},
		{"a whole body", "/whole", "Content-Length: 10000", strings.Repeat("a", 10000), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n%s", tt.path, tt.head, tt.first)
			from := bufio.NewReader(conn)
			answer := func() string {
				response, err := http.ReadResponse(from, nil)
				if err != nil {
					return err.Error()
				}
				text, err := io.ReadAll(response.Body)
				if err != nil {
					return err.Error()
				}
				return fmt.Sprint(response.StatusCode, " ", string(text), " ", response.Close)
			}
			got := answer()
			if want := fmt.Sprintf("200 early %t", tt.path != "/whole"); got != want {
				t.Fatalf("the client got %s, want %s", got, want)
			}
			io.WriteString(conn, tt.rest)
			io.WriteString(conn, "GET /whole HTTP/1.1\r\nHost: x\r\n\r\n")
			if got := answer(); tt.path == "/whole" && got != "200 early false" || tt.path != "/whole" && !strings.Contains(got, "EOF") && !strings.Contains(got, "reset") {
				t.Errorf("the next request got %s", got)
			}
		})
	}
	s.Close()
	if strings.Contains(logged.String(), "panic") {
		t.Errorf("the server logged: %.500s", logged)
	}
}
