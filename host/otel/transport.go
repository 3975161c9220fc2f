package otel

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Transport returns a transport that sends requests with next. It creates a span for each model
// call, including calls for summaries. The span is named "chat MODEL", has the provider's token
// counts, and ends when the response has been read. Other requests get a span named after their
// method. The traceparent header is added to requests.
func (t *Tracing) Transport(next http.RoundTripper) http.RoundTripper { return &transport{t, next} }

type transport struct {
	*Tracing
	next http.RoundTripper
}

// models lists the APIs that call a model, by the ends of their paths, with the provider that the path implies. If an
// endpoint implements another provider's API, it gets that provider's name, as the conventions require.
var models = []struct{ suffix, provider string }{
	{"/chat/completions", "openai"}, {"/responses", "openai"}, {"/messages", "anthropic"},
}

// RoundTrip sends a request in a span. If it calls a model, the span has the attributes of a chat, and the usage in the
// response. The span ends when the body has been read. Its results are those of the transport that it wraps.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	name, attributes := r.Method, []attribute.KeyValue{requestMethod.String(r.Method), serverAddress.String(r.URL.Hostname())}
	if port, err := strconv.Atoi(r.URL.Port()); err == nil {
		attributes = append(attributes, serverPort.Int(port))
	}
	r = r.Clone(r.Context())
	for _, m := range models {
		if r.Method != http.MethodPost || r.Body == nil || !strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), m.suffix) {
			continue
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		asked, more := request(body)
		name = strings.TrimSpace("chat " + asked)
		attributes = append(append(attributes, operationName.String("chat"), providerName.String(m.provider)), more...)
		break
	}
	ctx, span := t.tracer.Start(r.Context(), name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	t.propagate.Inject(ctx, propagation.HeaderCarrier(r.Header))
	response, err := t.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		failed(span, err)
		span.End()
		return nil, err
	}
	span.SetAttributes(responseStatus.Int(response.StatusCode))
	if response.StatusCode >= 400 {
		span.SetAttributes(errorType.String(strconv.Itoa(response.StatusCode)))
		span.SetStatus(codes.Error, "")
	}
	if response.StatusCode == http.StatusSwitchingProtocols { // the body is a connection, which must not be wrapped
		span.End()
		return response, nil
	}
	stream := strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")
	response.Body = &read{ReadCloser: response.Body, span: span, stream: stream, fromModel: name != r.Method}
	return response, nil
}

// request returns the model and other attributes from the body of a model call. body is JSON. model
// is "" if the body doesn't name a model.
func request(body []byte) (model string, all []attribute.KeyValue) {
	if model = gjson.GetBytes(body, "model").String(); model != "" {
		all = append(all, requestModel.String(model))
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		if limit := gjson.GetBytes(body, name); limit.Type == gjson.Number {
			all = append(all, requestMax.Int64(limit.Int()))
		}
	}
	if gjson.GetBytes(body, "stream").Bool() {
		all = append(all, requestStream.Bool(true))
	}
	return model, all
}

// maxKept is the maximum number of bytes of a response, or of one line of a stream, that are kept to read its metadata.
const maxKept = 1 << 20

// read is the body of a response. Closing it ends the span.
type read struct {
	io.ReadCloser
	span      trace.Span
	stream    bool // whether the response is a stream of events
	fromModel bool // whether the response is a model's
	kept      []byte
	once      sync.Once
}

// Read reads from the body, and keeps what is read if the response is a model's. The end of the body or an error ends the
// span.
func (b *read) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.fromModel {
		b.keep(p[:n])
	}
	if err != nil {
		b.end()
	}
	return n, err
}

// Close closes the body and ends the span.
func (b *read) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// keep keeps a piece of the response, from which its usage is read later. From a stream it keeps
// only the current line, and passes each complete event to note. A body or line longer than maxKept
// is dropped.
func (b *read) keep(piece []byte) {
	for b.stream {
		at := bytes.IndexByte(piece, '\n')
		if at < 0 {
			break
		}
		if len(b.kept)+at <= maxKept {
			if data, ok := bytes.CutPrefix(append(b.kept, piece[:at]...), []byte("data:")); ok {
				b.note(data)
			}
		}
		b.kept, piece = b.kept[:0], piece[at+1:]
	}
	if len(b.kept)+len(piece) <= maxKept {
		b.kept = append(b.kept, piece...)
	}
}

func (b *read) end() {
	b.once.Do(func() {
		if b.fromModel && !b.stream {
			b.note(b.kept)
		}
		b.span.End()
	})
}

// note records the metadata in a response or an event. Text that isn't JSON is ignored.
func (b *read) note(text []byte) {
	if !gjson.ValidBytes(text) {
		return
	}
	answer := gjson.ParseBytes(text)
	for _, inner := range []string{"response", "message"} { // events of Responses and of Anthropic contain the response
		if whole := answer.Get(inner); b.stream && whole.IsObject() {
			answer = whole
		}
	}
	set := func(key attribute.Key, value gjson.Result) {
		if value.Type == gjson.String && value.String() != "" {
			b.span.SetAttributes(key.String(value.String()))
		}
	}
	set(responseID, answer.Get("id"))
	set(responseModel, answer.Get("model"))
	for _, path := range []string{"choices.0.finish_reason", "stop_reason", "delta.stop_reason"} {
		if reason := answer.Get(path).String(); reason != "" {
			b.span.SetAttributes(finishReasons.StringSlice([]string{reason}))
		}
	}
	usage := answer.Get("usage")
	if in := usage.Get("prompt_tokens"); in.Exists() {
		b.span.SetAttributes(inputTokens.Int64(in.Int()))
	}
	if in := usage.Get("input_tokens"); in.Exists() {
		// Anthropic's input count excludes cached tokens, but the conventions include them.
		b.span.SetAttributes(inputTokens.Int64(in.Int() + usage.Get("cache_read_input_tokens").Int() + usage.Get("cache_creation_input_tokens").Int()))
	}
	for _, name := range []string{"completion_tokens", "output_tokens"} {
		if out := usage.Get(name); out.Exists() {
			b.span.SetAttributes(outputTokens.Int64(out.Int()))
		}
	}
}
