package proxy_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/proxy"
)

// pipes is a network in memory. In a testing/synctest bubble, time advances while its connections wait, unlike with the system's
// connections.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// listen starts a server on a network in memory, and returns a transport that connects to it.
func listen(t *testing.T, h http.Handler) (base string, network *pipes, transport *http.Transport) {
	network = newPipes()
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	s.Listener = network
	s.Start()
	transport = &http.Transport{DialContext: network.dial, DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.Close()
	})
	return s.URL, network, transport
}

// client is a client of a proxy in a bubble.
type client struct {
	*http.Client
	base    string
	network *pipes
}

// beforeInBubble works like before, in a bubble of fake time.
func beforeInBubble(t *testing.T, u http.Handler, o proxy.Options) *client {
	t.Helper()
	up, _, transport := listen(t, u)
	o.Transport = transport
	o.Compactor = compactor(t, nil)
	o.Upstream, _ = url.Parse(up + "/base")
	if o.Policy.Raw == nil {
		o.Policy = ctxfold.RawPolicy(policy)
	}
	p, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	base, network, transport := listen(t, p)
	return &client{&http.Client{Transport: transport}, base, network}
}

// post sends a request and returns the report.
func (c *client) post(t *testing.T, path, body string, header ...string) string {
	t.Helper()
	return postBy(t, c.Client, c.base+path, body, header...)
}
