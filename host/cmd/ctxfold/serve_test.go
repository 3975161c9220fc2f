package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/ctxfold/ctxfold/host/proxy"
	"github.com/ctxfold/ctxfold/internal/testing/provider"
)

// program starts `ctxfold serve` as a separate process and waits until it listens.
func program(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	return programAs(t, "ctxfold", nil, arguments...)
}

// programAs works like program, but calls the test binary by the name of another command of
// TestMain, with these environment variables.
func programAs(t *testing.T, command string, environ []string, arguments ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary is the command when it is called by its name: see TestMain.
	name := filepath.Join(t.TempDir(), command)
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(name, append([]string{"serve", "--engine", "native"}, arguments...)...)
	c.Env = append(os.Environ(), environ...)
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "Listening on http://") {
		_ = c.Process.Kill()
		t.Fatalf("serve said %q", lines.Text())
	}
	go func() {
		for lines.Scan() {
		}
	}()
	return c
}

// freeAddress returns an address that nobody listens on at the moment.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The proxy is killed and restarted again and again, also while a summary is being written. The client retries as clients do. The
// conversation continues, the endpoint never receives anything invalid, and no message is lost.
func TestServeKilled(t *testing.T) {
	endpoint := &provider.Endpoint{Format: "openai-chat", Window: 6000, Slow: 40 * time.Millisecond}
	upstream := httptest.NewServer(endpoint)
	defer upstream.Close()
	address, records := freeAddress(t), t.TempDir()
	start := func() *exec.Cmd {
		return program(t, "--upstream", upstream.URL, "--listen", address, "--records", records, "--policy", `{"window":{"tokens":6000,"reserve":500}}`)
	}
	ctx := t.Context()
	stop, stopped := make(chan struct{}), make(chan int)
	go func() {
		random, kills := rand.New(rand.NewPCG(1, 2)), 0
		for {
			c := start()
			// It is killed when so many requests have come through it: with two the conversation has moved on, however slow the machine is.
			through := endpoint.Seen().Requests + 1 + random.IntN(4)
			for endpoint.Seen().Requests < through {
				select {
				case <-stop:
					_ = c.Process.Kill()
					_ = c.Wait()
					stopped <- kills
					return
				case <-time.After(time.Millisecond):
				}
			}
			time.Sleep(time.Duration(random.IntN(50)) * time.Millisecond) // in the middle of an answer, or after it
			_ = c.Process.Kill()
			_ = c.Wait()
			kills++
		}
	}()

	client := openai.NewClient(option.WithBaseURL("http://"+address+"/v1"), option.WithAPIKey("key"), option.WithMaxRetries(0))
	p := openai.ChatCompletionNewParams{Model: "any", Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "read"})}}
	ask := func() openai.ChatCompletionMessage {
		for {
			answer, err := client.Chat.Completions.New(ctx, p)
			if err == nil {
				return answer.Choices[0].Message
			}
			if ctx.Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	turns := 40
	if testing.Short() {
		turns = 15
	}
	for i := range turns {
		p.Messages = append(p.Messages, openai.UserMessage(fmt.Sprintf("Request %d: read file %d.", i, i)))
		for {
			m := ask()
			p.Messages = append(p.Messages, m.ToParam())
			if len(m.ToolCalls) == 0 {
				break
			}
			p.Messages = append(p.Messages, openai.ToolMessage(fmt.Sprintf("File %d. ", i)+strings.Repeat("It has lines and words. ", 60), m.ToolCalls[0].ID))
		}
	}
	close(stop)
	kills := <-stopped
	seen := endpoint.Seen()
	if len(seen.Refused) > 0 {
		t.Errorf("the endpoint had to refuse: %q", seen.Refused)
	}
	if kills < 5 || seen.Summaries == 0 {
		t.Errorf("the proxy was killed %d times, and %d summaries were asked", kills, seen.Summaries)
	}
	history, err := json.Marshal(p.Messages)
	if err != nil {
		t.Fatal(err)
	}
	for i := range turns {
		if !strings.Contains(string(history), fmt.Sprintf("Request %d: read", i)) {
			t.Errorf("request %d is lost", i)
		}
	}
	last := string(seen.Conversations[len(seen.Conversations)-1])
	if !strings.Contains(last, fmt.Sprintf("Request %d: read file %d.", turns-1, turns-1)) {
		t.Errorf("the newest request did not get there: %.500s", last)
	}
	t.Logf("killed %d times in %d requests, %d summaries", kills, seen.Requests, seen.Summaries)
}

// Health and metrics have a separate address, because every path of the proxy belongs to the endpoint.
func TestServeMetrics(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "upstream has "+r.URL.Path) }))
	defer upstream.Close()
	address, metrics := freeAddress(t), freeAddress(t)
	c := program(t, "--upstream", upstream.URL, "--listen", address, "--window", "32k", "--metrics-addr", metrics)
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	get := func(address, path string) string {
		t.Helper()
		r, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, %v", path, r.Status, err)
		}
		return string(text)
	}
	for _, path := range []string{"/healthz", "/metrics"} {
		if got := get(address, path); got != "upstream has "+path {
			t.Errorf("the proxy answered %q itself", got)
		}
	}
	if got := get(metrics, "/healthz"); got != "ok\nmemory: ok\n" {
		t.Errorf("health: %q", got)
	}
	for _, want := range []string{`ctxfold_proxy_request_seconds_count{format="",status="200"} 2`, `ctxfold_operation_seconds_count{code="",op="info"} 1`, "go_goroutines"} {
		if got := get(metrics, "/metrics"); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// An interrupt lets the requests in progress end.
func TestServeStops(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		fmt.Fprint(w, "done")
	}))
	defer upstream.Close()
	address := freeAddress(t)
	c := program(t, "--upstream", upstream.URL, "--listen", address, "--window", "32k")
	status := make(chan string, 1)
	go func() {
		r, err := http.Get("http://" + address + "/v1/models")
		if err != nil {
			status <- err.Error()
			return
		}
		r.Body.Close()
		status <- r.Status
	}()
	<-entered
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for { // until it no longer listens: then it is stopping
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		conn.Close()
		time.Sleep(time.Millisecond)
	}
	close(leave)
	if got := <-status; got != "200 OK" {
		t.Errorf("the request in progress ended with %s", got)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
}

// Spans are sent as the OpenTelemetry variables configure it, the last ones when the proxy stops.
func TestServeTraces(t *testing.T) {
	got := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.URL.Path + " " + string(body)
	}))
	defer collector.Close()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"model":"small-1"}`) }))
	defer upstream.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	address := freeAddress(t)
	c := program(t, "--upstream", upstream.URL, "--listen", address, "--window", "32k")
	r, err := http.Post("http://"+address+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"small","messages":[{"role":"user","content":"A secret."}]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, r.Body)
	r.Body.Close()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
	select {
	case sent := <-got:
		for _, want := range []string{"/v1/traces ", "chat small", "gen_ai.request.model", "ctxfold.reason", "service.name", "ctxfold"} {
			if !strings.Contains(sent, want) {
				t.Errorf("%q was not sent", want)
			}
		}
		if strings.Contains(sent, "secret") {
			t.Error("text of the conversation was sent")
		}
	default:
		t.Error("no spans were sent")
	}
}

// --share-anonymous and --redact reach the proxy: a second connection finds the compaction of the first, and no secret is sent to the
// summarizer.
func TestServeShares(t *testing.T) {
	var asked, secret atomic.Int32
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if strings.Contains(string(text), `"tools"`) {
			fmt.Fprint(w, "{}")
			return
		}
		asked.Add(1)
		if strings.Contains(string(text), "sk-secret") {
			secret.Add(1)
		}
		fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"## Goal\nThe user wants every file read and counted. Much was done and is known."}}]}`)
	}))
	defer upstream.Close()
	address := freeAddress(t)
	c := program(t, "--upstream", upstream.URL, "--listen", address, "--window", "6k", "--policy", `{"window":{"reserve":500}}`, "--share-anonymous", "--redact", "sk-[a-z]+")
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"Request %d with sk-secret."},{"role":"assistant","content":%q}`, i, strings.Repeat("It has lines and words. ", 40)))
	}
	body := `{"model":"m","tools":[],"messages":[` + strings.Join(list, ",") + `,{"role":"user","content":"And now?"}]}`
	for i, want := range []string{"compacted", "under_budget"} {
		r, err := http.Post("http://"+address+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if report := r.Header.Get(proxy.HeaderReport); !strings.HasPrefix(report, want) {
			t.Errorf("request %d: %s", i, report)
		}
		http.DefaultClient.CloseIdleConnections()
	}
	if asked.Load() == 0 || secret.Load() > 0 {
		t.Errorf("%d summaries were asked for, %d with a secret", asked.Load(), secret.Load())
	}
}
