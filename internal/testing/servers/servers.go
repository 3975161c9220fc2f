// Package servers starts a real server for a test: Redis or Valkey, or PostgreSQL. It listens on a free port of this machine and keeps its
// data in a directory that is removed after the test.
package servers

import (
	"bytes"
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is the timeout for a server to start or stop. Usually it takes only a moment.
const patience = 20 * time.Minute

// Redis starts Valkey or, if that is not installed, Redis, and returns its address, host:port. If neither is installed, the test is
// skipped, or fails in CI.
func Redis(t testing.TB) (address string) {
	t.Helper()
	return redis(t, "--port")
}

// RedisTLS is like Redis, but the server accepts only TLS connections. Its self-signed certificate for 127.0.0.1 is in authorities.
func RedisTLS(t testing.TB) (address string, authorities *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil) // for its self-signed certificate
	s.StartTLS()
	s.Close()
	of := s.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(of.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: of.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	authorities = x509.NewCertPool()
	authorities.AddCert(s.Certificate())
	return redis(t, "--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate, "--tls-auth-clients", "no", "--port", "0", "--tls-port"), authorities
}

// redis starts a server with the given arguments and a free port, which is the last argument.
func redis(t testing.TB, arguments ...string) (address string) {
	t.Helper()
	program := find("valkey-server", "redis-server")
	if program == "" {
		missing(t, "valkey-server or redis-server")
	}
	address = free(t)
	_, port, _ := net.SplitHostPort(address)
	c := exec.Command(program, append(append([]string{"--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "", "--appendonly", "no"}, arguments...), port)...)
	start(t, c, "Ready to accept connections")
	return address
}

// Postgres starts PostgreSQL, and returns its URL. If it isn't installed, the test is skipped, or fails in CI.
func Postgres(t testing.TB) (url string) {
	t.Helper()
	versions, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // its location in Debian
	slices.SortFunc(versions, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(b, a)) })
	initdb, program := find("initdb"), find("postgres")
	for _, dir := range versions {
		if initdb == "" {
			initdb, program = find(filepath.Join(dir, "initdb")), find(filepath.Join(dir, "postgres"))
		}
	}
	if initdb == "" || program == "" {
		missing(t, "postgresql")
	}
	dir, err := os.MkdirTemp("", "ctxfold-postgres-") // names of sockets must be short, and the directory must belong to another user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := somebody(t, dir)
	data := filepath.Join(dir, "data")
	init := exec.Command(initdb, "--pgdata", data, "--username", "ctxfold", "--auth", "trust", "--no-sync", "--encoding", "UTF8", "--locale", "C")
	init.Dir, init.SysProcAttr = dir, as
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	address := free(t)
	_, port, _ := net.SplitHostPort(address)
	c := exec.Command(program, "-D", data, "-h", "127.0.0.1", "-p", port, "-k", dir, "-F", "-c", "max_connections=200")
	c.Dir, c.SysProcAttr = dir, as
	start(t, c, "ready to accept connections")
	return "postgres://ctxfold@" + address + "/postgres?sslmode=disable"
}

// somebody returns the credentials to run PostgreSQL under, since it refuses to run as root: those of the Debian
// package's user, or of nobody. It returns nil if the test isn't running as root.
func somebody(t testing.TB, dir string) *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32)
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		if err := os.Chown(dir, int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	t.Fatal("there is no user to run PostgreSQL as: it refuses root")
	return nil
}

// output collects a server's output and waits for text in it that shows that the server is ready.
type output struct {
	mu    sync.Mutex
	text  []byte
	ready string        // the text that the server prints once it listens
	said  chan struct{} // closed when the server has printed ready
	once  sync.Once
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	if bytes.Contains(o.text, []byte(o.ready)) {
		o.once.Do(func() { close(o.said) })
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// start runs a server until the end of the test. It returns once the output of the server contains the string in ready.
func start(t testing.TB, c *exec.Cmd, ready string) {
	t.Helper()
	log := &output{ready: ready, said: make(chan struct{})}
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Wait()
	}()
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGINT) // for PostgreSQL this means a fast, clean shutdown
		select {
		case <-ended:
		case <-time.After(patience):
			_ = c.Process.Kill()
			<-ended
		}
	})
	select {
	case <-log.said:
	case <-ended:
		t.Fatalf("%s ended:\n%s", c.Path, log)
	case <-time.After(patience):
		t.Fatalf("%s does not begin:\n%s", c.Path, log)
	}
}

func find(programs ...string) string {
	for _, p := range programs {
		if path, err := exec.LookPath(p); err == nil {
			return path
		}
	}
	return ""
}

func missing(t testing.TB, what string) {
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing, and in CI nothing is left out", what)
	}
	t.Skipf("%s is missing: THE TESTS OF SHARED RECORDS IN IT ARE LEFT OUT", what)
}

// free returns an address with an unused port.
func free(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Link forwards connections to a server. It can be cut and can hang.
type Link struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	open     sync.Cond
	state    state
	conns    map[net.Conn]bool
}

type state int

const (
	whole state = iota
	cut
	hanging
)

// NewLink returns a Link to an address, which forwards connections until it is cut or hangs.
func NewLink(t testing.TB, to string) *Link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{listener: listener, to: to, conns: map[net.Conn]bool{}}
	l.open.L = &l.mu
	go l.serve()
	t.Cleanup(func() {
		listener.Close()
		l.Cut()
	})
	return l
}

// At returns the address on which the Link listens, host:port.
func (l *Link) At() string { return l.listener.Addr().String() }

// Cut ends all connections, and closes new ones at once.
func (l *Link) Cut() { l.set(cut) }

// Hang stops all traffic in both directions.
func (l *Link) Hang() { l.set(hanging) }

// Mend restores the connection.
func (l *Link) Mend() { l.set(whole) }

func (l *Link) set(s state) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = s
	if s == cut {
		for c := range l.conns {
			c.Close()
		}
		clear(l.conns)
	}
	l.open.Broadcast()
}

func (l *Link) serve() {
	for {
		from, err := l.listener.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", l.to)
		if err != nil {
			from.Close()
			continue
		}
		l.mu.Lock()
		if l.state == cut {
			from.Close()
			to.Close()
		} else {
			l.conns[from], l.conns[to] = true, true
			go l.pass(from, to)
			go l.pass(to, from)
		}
		l.mu.Unlock()
	}
}

func (l *Link) pass(from, to net.Conn) {
	defer func() {
		from.Close()
		to.Close()
		l.mu.Lock()
		delete(l.conns, from)
		delete(l.conns, to)
		l.mu.Unlock()
	}()
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		l.mu.Lock()
		for l.state == hanging {
			l.open.Wait()
		}
		l.mu.Unlock()
		if _, werr := to.Write(piece[:n]); err != nil || werr != nil {
			return
		}
	}
}
