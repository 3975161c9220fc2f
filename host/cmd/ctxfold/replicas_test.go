package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold/host/proxy"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/servers"
	"github.com/ctxfold/ctxfold/records"
)

var (
	talks         = flag.Int("talks", 30, "how many conversations go through replicas of the proxy")
	clients       = flag.Int("clients", 16, "how many of them at the same time")
	replicasTable = flag.String("replicas", "", "the file for the table of docs/start/proxy.md; the replicas run the module then, and each store is measured without kills too")
)

const (
	replicaTurns  = 20
	replicaWindow = 4000 // tokens
	replicaPolicy = `{"window":{"tokens":4000,"reserve":500}}`
	headerTest    = "X-Test-Conversation"
)

// watchful is an endpoint that answers at once, writes unique summaries, and checks the requests that it receives.
type watchful struct {
	mu        sync.Mutex
	digests   map[string][]string // the digests that each conversation has sent, each once, in order
	problems  []string
	summaries int
	turns     atomic.Int32 // that were answered
}

var summaryNumber = regexp.MustCompile(`Summary number (\d+) of conversation (\w+)`)

func (e *watchful) problem(format string, arguments ...any) {
	e.problems = append(e.problems, fmt.Sprintf(format, arguments...))
}

func (e *watchful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the replica was killed
	}
	id := r.Header.Get(headerTest)
	w.Header().Set("Content-Type", "application/json")
	if !bytes.Contains(text, []byte(`"tools"`)) {
		time.Sleep(20 * time.Millisecond)
		e.mu.Lock()
		e.summaries++
		n := e.summaries
		e.mu.Unlock()
		said(w, fmt.Sprintf("## Goal\nThe user wants every file read and counted.\n\n## Progress\nSummary number %07d of conversation %s: the files up to here were read.", n, id))
		return
	}
	var body struct{ Messages json.RawMessage }
	var list []struct{ Role, Content string }
	if err = json.Unmarshal(text, &body); err == nil {
		err = json.Unmarshal(body.Messages, &list)
	}
	bad := judge.Valid("openai-chat", body.Messages)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil || len(list) == 0:
		e.problem("%s: no messages: %v", id, err)
	case len(bad) > 0:
		e.problem("%s: invalid: %q", id, bad)
	case len(body.Messages)/4 > replicaWindow:
		e.problem("%s: %d bytes do not fit", id, len(body.Messages))
	case list[len(list)-1].Content != r.Header.Get("X-Test-Newest"):
		e.problem("%s: the newest message is lost", id)
	}
	var digest []string
	for _, m := range summaryNumber.FindAllStringSubmatch(string(body.Messages), -1) {
		if digest = append(digest, m[1]); m[2] != id {
			e.problem("%s: has a summary of %s", id, m[2])
		}
	}
	if key := strings.Join(digest, "+"); key != "" {
		switch at := slices.Index(e.digests[id], key); {
		case at < 0:
			e.digests[id] = append(e.digests[id], key)
		case at < len(e.digests[id])-1:
			e.problem("%s: goes back to digest %d of %d", id, at+1, len(e.digests[id]))
		}
	}
	e.turns.Add(1)
	said(w, "This is the answer. "+strings.Repeat("It has lines and words. ", 70))
}

func said(w io.Writer, text string) {
	fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}]}`, text)
}

// balancer forwards each request to a random address.
func balancer(t *testing.T, addresses []string) string {
	transport := &http.Transport{MaxIdleConnsPerHost: 2 * *clients}
	t.Cleanup(transport.CloseIdleConnections)
	s := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addresses[rand.IntN(len(addresses))]})
		},
		Transport:    transport,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.Cleanup(s.Close)
	return s.URL
}

// load holds the results of a run.
type load struct {
	took      []time.Duration // of the turns, as the client sees them
	elapsed   time.Duration
	retries   int
	lost      int
	compacted int
}

// talk makes all conversations, several at a time.
func talk(ctx context.Context, base string, count int) (l load) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan int)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *clients}}
	defer client.CloseIdleConnections()
	start := time.Now()
	for range *clients {
		wg.Go(func() {
			for i := range next {
				var list []string
				for turn := range replicaTurns {
					newest := fmt.Sprintf("In conversation %04d, request %02d: read file %02d.", i, turn, turn)
					list = append(list, fmt.Sprintf(`{"role":"user","content":%q}`, newest))
					begun := time.Now()
					answer, report, tries := ask(ctx, client, base, fmt.Sprintf("%04d", i), newest, strings.Join(list, ","))
					mu.Lock()
					l.took = append(l.took, time.Since(begun))
					l.retries += tries - 1
					if strings.HasPrefix(report, "compacted") {
						l.compacted++
					}
					if answer == "" {
						l.lost++
					}
					mu.Unlock()
					list = append(list, fmt.Sprintf(`{"role":"assistant","content":%q}`, answer))
				}
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	wg.Wait()
	l.elapsed = time.Since(start)
	slices.Sort(l.took)
	return l
}

// ask sends a request until there is an answer, as the clients of providers do.
func ask(ctx context.Context, client *http.Client, base, id, newest, list string) (answer, report string, tries int) {
	for ctx.Err() == nil {
		tries++
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/chat/completions", strings.NewReader(`{"model":"any","tools":[],"messages":[`+list+`]}`))
		r.Header.Set("Authorization", "Bearer key")
		r.Header.Set(headerTest, id)
		r.Header.Set("X-Test-Newest", newest)
		response, err := client.Do(r)
		if err == nil {
			var body struct {
				Choices []struct{ Message struct{ Content string } }
			}
			err = json.NewDecoder(response.Body).Decode(&body)
			response.Body.Close()
			if err == nil && response.StatusCode == http.StatusOK && len(body.Choices) == 1 {
				return body.Choices[0].Message.Content, response.Header.Get(proxy.HeaderReport), tries
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return "", "", tries
}

func (l load) at(share float64) float64 {
	return float64(l.took[min(int(share*float64(len(l.took))), len(l.took)-1)].Microseconds()) / 1000
}

// Three replicas behind a balancer share their records and are killed at random. Each compaction is made once, nothing is lost, and the
// endpoint receives nothing invalid.
func TestReplicas(t *testing.T) {
	long := *replicasTable != ""
	ctx := t.Context()
	stores := []struct {
		name string
		open func(t *testing.T) string
	}{
		{"Redis", func(t *testing.T) string { return "redis://" + servers.Redis(t) }},
		{"PostgreSQL", func(t *testing.T) string { return servers.Postgres(t) }},
		{"directory", func(t *testing.T) string { return "dir:" + t.TempDir() }},
	}
	var table strings.Builder
	direct := load{took: []time.Duration{0}}
	if long {
		s := httptest.NewServer(unwatched(&watchful{digests: map[string][]string{}}))
		defer s.Close()
		direct = talk(ctx, balancer(t, []string{s.Listener.Addr().String()}), *talks)
		fmt.Fprintf(&table, "| memory | replicas killed | requests/s | median ms | 99th ms | compactions | made twice | turns lost | invalid |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
		fmt.Fprintf(&table, "| no proxy | - | %.0f | %.1f | %.1f | - | - | %d | - |\n", rate(direct), direct.at(0.5), direct.at(0.99), direct.lost)
	}
	for _, store := range stores {
		for _, killing := range []bool{false, true} {
			if !long && (!killing || store.name == "directory") {
				continue
			}
			name := store.name
			if killing {
				name += ", killed"
			}
			t.Run(name, func(t *testing.T) {
				e := &watchful{digests: map[string][]string{}}
				l, kills := replicas(ctx, t, e, store.open(t), killing, long, *talks)
				want := expected(ctx, t)
				made, twice := 0, 0
				for i := range *talks {
					n := len(e.digests[fmt.Sprintf("%04d", i)])
					made += n
					twice += max(0, n-want)
					if n != want {
						t.Errorf("conversation %d: %d compactions, where one proxy makes %d: %v", i, n, want, e.digests[fmt.Sprintf("%04d", i)])
					}
				}
				for _, p := range e.problems[:min(10, len(e.problems))] {
					t.Error(p)
				}
				if l.lost > 0 || want < 2 || killing && kills < 3 {
					t.Errorf("%d turns lost, %d compactions, %d kills", l.lost, want, kills)
				}
				t.Logf("%d turns in %v, %.1f and %.1f ms; %d kills, %d retries; %d compactions of %d, %d answers say so; %d summaries", len(l.took), l.elapsed,
					l.at(0.5), l.at(0.99), kills, l.retries, made, want**talks, l.compacted, e.summaries)
				fmt.Fprintf(&table, "| %s | %d | %.0f | %.1f | %.1f | %d | %d | %d | %d |\n", store.name, kills, rate(l), l.at(0.5), l.at(0.99), made, twice, l.lost, len(e.problems))
			})
		}
	}
	if long {
		if err := os.WriteFile(*replicasTable, []byte(table.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}

func rate(l load) float64 { return float64(len(l.took)) / l.elapsed.Seconds() }

// unwatched answers as e does but discards the problems it found: without a proxy, no compaction
// keeps conversations inside the window.
func unwatched(e *watchful) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.ServeHTTP(w, r)
		e.mu.Lock()
		e.problems = nil
		e.mu.Unlock()
	})
}

// expected returns the number of compactions that one proxy makes for one conversation. All conversations have the same lengths.
func expected(ctx context.Context, t *testing.T) int {
	e := &watchful{digests: map[string][]string{}}
	up := httptest.NewServer(e)
	defer up.Close()
	address := freeAddress(t)
	c := program(t, "--upstream", up.URL, "--listen", address, "--policy", replicaPolicy)
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	talk(ctx, "http://"+address, 1)
	return len(e.digests["0000"])
}

// replicaName is the command of a replica whose connection to its memory has no short time limits,
// for busy machines; the tests of the npm package use it too. It records its leases in the file
// that leasesVariable names.
const (
	replicaName    = "ctxfold-replica"
	leasesVariable = "CTXFOLD_TEST_LEASES"
)

func patientMain() {
	remember = func(ctx context.Context, url string) (records.Shared, time.Duration, error) {
		records, err := openPatiently(ctx, url)
		if err != nil {
			return nil, 0, err
		}
		file, err := os.Create(cmp.Or(os.Getenv(leasesVariable), os.DevNull))
		return &noted{Shared: records, file: file}, time.Hour, err
	}
	main()
}

// openPatiently opens a memory without short limits of the client's own.
func openPatiently(ctx context.Context, url string) (records.Shared, error) {
	if strings.HasPrefix(url, "redis:") {
		url += "/0?dial_timeout=1h&read_timeout=1h&write_timeout=1h&pool_timeout=1h"
	}
	return openMemory(ctx, url)
}

// noted are records that note each lease before it is taken.
type noted struct {
	records.Shared
	mu   sync.Mutex
	file *os.File
}

func (n *noted) Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (bool, error) {
	n.mu.Lock()
	_, err := fmt.Fprintf(n.file, "%s %s\n", keys[0], holder)
	n.mu.Unlock()
	if err != nil {
		return false, err
	}
	return n.Shared.Lease(ctx, keys, holder, ttl)
}

// undertaker ends the leases of dead replicas, as time would. It does so repeatedly, because the server may receive the last call of a dead
// replica late.
type undertaker struct {
	memory records.Shared
	mu     sync.Mutex
	leases [][]string // of dead replicas: key and holder
}

func (u *undertaker) bury(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for line := range strings.Lines(string(text)) {
		if lease := strings.Fields(line); len(lease) == 2 {
			u.leases = append(u.leases, lease)
		}
	}
}

func (u *undertaker) work(ctx context.Context, over *atomic.Bool) {
	for !over.Load() {
		u.mu.Lock()
		leases := slices.Clone(u.leases)
		u.mu.Unlock()
		for _, lease := range leases {
			_ = u.memory.Release(ctx, lease[0], lease[1])
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// replicas runs the conversations with three replicas. A lease lasts for the whole run unless its replica is killed; in the long run it
// expires.
func replicas(ctx context.Context, t *testing.T, e *watchful, memory string, killing, long bool, count int) (l load, kills int) {
	up := httptest.NewServer(e)
	defer up.Close()
	arguments := []string{"--upstream", up.URL, "--memory", memory, "--policy", replicaPolicy}
	if long {
		arguments = append(arguments, "--engine", "wasm", "--lease", "2s")
	} else {
		arguments = append(arguments, "--lease", "1h")
	}
	var addresses, noted []string
	var running []*exec.Cmd
	start := func(i int) *exec.Cmd {
		arguments := append(slices.Clone(arguments), "--listen", addresses[i])
		if long {
			return program(t, arguments...)
		}
		return programAs(t, replicaName, []string{leasesVariable + "=" + noted[i]}, arguments...)
	}
	for i := range 3 {
		addresses = append(addresses, freeAddress(t))
		noted = append(noted, filepath.Join(t.TempDir(), "leases"))
		running = append(running, start(i))
	}
	end := func(c *exec.Cmd) {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	var over atomic.Bool
	var helpers sync.WaitGroup
	dead := &undertaker{}
	if !long {
		var err error
		if dead.memory, err = openPatiently(ctx, memory); err != nil {
			t.Fatal(err)
		}
		if c, ok := dead.memory.(io.Closer); ok {
			defer c.Close()
		}
		helpers.Go(func() { dead.work(ctx, &over) })
	}
	if killing {
		helpers.Go(func() {
			for next := int32(0); ; {
				next = e.turns.Load() + 5 + rand.Int32N(40)
				for e.turns.Load() < next {
					if over.Load() {
						return
					}
					time.Sleep(time.Millisecond)
				}
				i := rand.IntN(len(running))
				end(running[i])
				if !long {
					dead.bury(t, noted[i])
				}
				kills++
				running[i] = start(i)
			}
		})
	}
	l = talk(ctx, balancer(t, addresses), count)
	over.Store(true)
	helpers.Wait()
	for _, c := range running {
		end(c)
	}
	return l, kills
}
