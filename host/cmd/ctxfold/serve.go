package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/host/prometheus"
	"github.com/ctxfold/ctxfold/host/proxy"
)

// shutdownTime is the time limit for requests in progress after the proxy has been told to stop.
const shutdownTime = 30 * time.Second

func serveCommand(f *flags) *cobra.Command {
	var o serveFlags
	c := &cobra.Command{
		Use:   "serve --upstream URL [flags]",
		Short: "Run a proxy that compacts the conversations passing through it",
		Long: `serve runs between a client and an OpenAI-, Anthropic- or Gemini-compatible endpoint. Give the client http://HOST:PORT as base URL
instead of the endpoint's (plus /v1 if the client expects it). Requests to …/chat/completions, …/responses, …/v1/messages,
…:generateContent and …:streamGenerateContent are compacted when that is due; everything else passes through unchanged.

The proxy remembers each compaction, so that it doesn't repeat it with every request: in this process, or with --memory in Redis
or Valkey, in PostgreSQL or in a directory, where it outlives the proxy and any number of replicas share it. Each conversation is
compacted once, whichever replica is asked. The client always sends its whole history, so losing the memory loses nothing. If the
endpoint refuses a conversation as too long, the proxy compacts it and sends it once more, even if the window is unknown.

The conversation's model at the same endpoint writes the summaries, with the client's key. Each answer has the header
Ctxfold-Report. A request may name its conversation in the header Ctxfold-Conversation. What is remembered for one client is
never used for a client with another key. Without a key each connection is a client, unless --share-anonymous says that they
belong together.

With --metrics-addr a second address serves /healthz, and /metrics for Prometheus. Use the variable CTXFOLD_MEMORY for a --memory
URL with a password. If OTEL_EXPORTER_OTLP_ENDPOINT is set, spans go there by OTLP over HTTP.

The proxy listens on localhost unless --listen says otherwise. It has no users and no keys.`,
		Example: `  ctxfold serve --upstream https://example.com --window 200000
  ctxfold serve --upstream http://localhost:11434 --window 32000 --listen localhost:9000 --memory dir:$HOME/.cache/ctxfold-proxy
  ctxfold serve --upstream https://example.com --window 200000 --memory rediss://redis.example.com:6380/0
  ctxfold serve --upstream https://example.com --window 200000 --memory 'postgres://ctxfold@db.example.com/ctxfold?sslmode=verify-full'
  ctxfold serve --upstream https://example.com --window 200000 --metrics-addr localhost:9090
  ctxfold serve --upstream https://example.com --window 200000 --policy '{"summary":{"mode":"local"}}'`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(f, c) },
	}
	o.policy.register(c, false)
	o.redact.register(c)
	c.Flags().StringVar(&o.upstream, "upstream", "", "the `URL` of the endpoint, to which the paths of requests are added")
	c.Flags().StringVar(&o.listen, "listen", "localhost:8080", "the `ADDRESS` to listen on; port 0 picks a free one")
	c.Flags().StringVar(&o.memory, "memory", "", "the `URL` of the memory: redis://…, rediss://…, postgres://… or dir:DIRECTORY; empty means this process")
	c.Flags().StringVar(&o.records, "records", "", "the same as --memory dir:`DIRECTORY`")
	c.MarkFlagsMutuallyExclusive("memory", "records")
	c.Flags().DurationVar(&o.lease, "lease", ctxfold.DefaultLease, "how long other replicas wait for one that died during a compaction")
	c.Flags().StringVar(&o.model, "summary-model", "", "the `MODEL` that writes summaries, instead of the conversation's own")
	c.Flags().DurationVar(&o.timeout, "summary-timeout", ctxfold.DefaultSummaryTimeout, "how long one summary may take")
	c.Flags().DurationVar(&o.bodyTimeout, "body-timeout", proxy.DefaultBodyTimeout, "how long a request body may take, plus 1s for each 16 KiB of it; 0 means no limit")
	c.Flags().BoolVar(&o.shareAnonymous, "share-anonymous", false, "clients without any key belong together, instead of each connection being a client")
	c.Flags().StringVar(&o.metricsAddress, "metrics-addr", "", "the `ADDRESS` of /healthz and /metrics; empty means neither")
	return c
}

// serveFlags has the values of serve's flags.
type serveFlags struct {
	policy         policyFlags
	redact         redactFlag
	upstream       string        // the URL of the endpoint
	listen         string        // the address to listen on
	memory         string        // the URL of the memory; "" for this process
	records        string        // a directory for the memory; "" for none
	model          string        // the model that writes summaries; "" for the conversation's own
	metricsAddress string        // the address of /healthz and /metrics; "" for neither
	timeout        time.Duration // for one summary
	bodyTimeout    time.Duration // for a request body; 0 for no limit
	lease          time.Duration // how long to wait for another replica that compacts
	shareAnonymous bool          // whether clients without a key are one client
}

// checkPolicy returns an error if the policy is invalid, so that it doesn't only appear with the first request. Without
// a window it prints when conversations are compacted.
func (f *flags) checkPolicy(ctx context.Context, compactor *ctxfold.Compactor, s source) error {
	probe := ctxfold.Input{Messages: []byte(`[{"role":"user","content":"hello"}]`), Policy: ctxfold.RawPolicy(s.text), Format: "openai-chat"}
	_, err := compactor.Check(ctx, probe)
	var unbounded *ctxfold.Error
	if errors.As(err, &unbounded) && unbounded.Code == api.CodeUnknownWindow {
		fmt.Fprintln(f.err, "There is no --window: a conversation is compacted when the endpoint says that it is too long")
		return nil
	}
	if err != nil {
		return inputs{"policy": s}.locate(err)
	}
	return nil
}

// run runs the proxy until the command is interrupted.
func (o *serveFlags) run(f *flags, c *cobra.Command) error {
	if o.upstream == "" {
		return usage(c, "serve needs an endpoint: name it with --upstream")
	}
	to, err := url.Parse(o.upstream)
	if err != nil {
		return usage(c, "--upstream: %v", err)
	}
	s, err := o.policy.read(f, c)
	if err != nil {
		return err
	}
	metrics := prometheus.New()
	if o.records != "" {
		o.memory = "dir:" + o.records
	}
	remembered, patience, err := remember(c.Context(), o.memory)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(f.err, nil))
	with := ctxfold.Options{SummaryTimeout: o.timeout, Metrics: metrics, Records: remembered, RecordsTimeout: patience, Lease: o.lease, Logger: log}
	compactor, err := f.compactorWith(c.Context(), with)
	if err != nil {
		return err
	}
	if o.bodyTimeout <= 0 {
		o.bodyTimeout = -1
	}
	options := proxy.Options{Compactor: compactor, Upstream: to, Policy: ctxfold.RawPolicy(s.text), SummaryModel: o.model, BodyTimeout: o.bodyTimeout, ShareAnonymous: o.shareAnonymous,
		Redact: o.redact.find(), Metrics: metrics, Logger: log}
	traces, err := openTraces(c.Context())
	if err != nil {
		return err
	}
	defer traces.close()
	options.Transport = traces.transport(proxy.NewTransport())
	if err := f.checkPolicy(c.Context(), compactor, s); err != nil {
		return err
	}
	p, err := proxy.New(options)
	if err != nil {
		return usage(c, "--upstream %s: it must be a URL such as https://example.com", o.upstream)
	}
	servers := []served{{o.listen, "Listening on http://%s\n", traces.handler(p)}}
	if o.metricsAddress != "" {
		servers = append(servers, served{o.metricsAddress, "Health and metrics on http://%s\n", monitoring(metrics, compactor, remembered)})
	}
	return f.listen(c.Context(), servers...)
}

// idleTime is the time after which an idle connection is closed.
const idleTime = 2 * time.Minute

// served is an address to listen on, with its handler. text is the format of the line that announces the address.
type served struct {
	address string
	text    string
	handler http.Handler
}

// listen serves all addresses until ctx ends, and then waits for the requests in progress, up to shutdownTime. If one
// of the addresses can't be used, it serves none and returns an error.
func (f *flags) listen(ctx context.Context, all ...served) error {
	listeners := make([]net.Listener, len(all))
	for i, s := range all {
		var err error
		if listeners[i], err = net.Listen("tcp", s.address); err != nil {
			for _, l := range listeners[:i] {
				l.Close()
			}
			return fmt.Errorf("cannot listen on %s: %w", s.address, err)
		}
	}
	done := make(chan error, len(all))
	servers := make([]*http.Server, len(all))
	for i, s := range all {
		fmt.Fprintf(f.err, s.text, listeners[i].Addr())
		servers[i] = &http.Server{Handler: s.handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: idleTime}
		go func() { done <- servers[i].Serve(listeners[i]) }()
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	fmt.Fprintln(f.err, "Stopping when the requests in progress are done")
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	for _, server := range servers {
		if err := server.Shutdown(late); err != nil && !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("stopped with requests in progress: %w", err)
		}
	}
	return nil
}
