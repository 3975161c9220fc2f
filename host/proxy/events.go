package proxy

import (
	"bytes"
	"io"
	"mime"
	"net/http"

	"github.com/tidwall/gjson"
)

// failure returns the error in a response that has a success status, which is in the first meaningful event of a
// stream or in a short JSON body. It returns nil for other responses. The response stays complete, because the bytes
// that were read are put back.
//
// A stream's headers are delayed until the first meaningful event, which arrives when the model begins to answer.
func failure(response *http.Response) []byte {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case kind == "text/event-stream":
		return failedStream(response)
	case kind == "application/json" && response.ContentLength > 0 && response.ContentLength <= maxErrorBody:
		text := make([]byte, response.ContentLength)
		n, _ := io.ReadFull(response.Body, text) // on an error the client gets the same truncated response
		replay(response, text[:n])
		return failed(text[:n])
	}
	return nil
}

// failedStream reads a stream up to the first event that is an error or the start of a response, and returns the error,
// if it is one. It returns nil for a response. Whatever it has read can be read from the response again.
func failedStream(response *http.Response) []byte {
	var read bytes.Buffer
	defer func() { replay(response, read.Bytes()) }()
	var line []byte
	piece := make([]byte, 4<<10)
	for read.Len() < maxErrorBody {
		n, err := response.Body.Read(piece)
		read.Write(piece[:n])
		line = append(line, piece[:n]...)
		for {
			end := bytes.IndexByte(line, '\n')
			if end < 0 && err != nil && len(line) > 0 {
				end = len(line)
				line = append(line, '\n')
			}
			if end < 0 {
				break
			}
			data, ok := bytes.CutPrefix(bytes.TrimSpace(line[:end]), []byte("data:"))
			line = line[end+1:]
			if !ok {
				continue
			}
			if fault := failed(bytes.TrimSpace(data)); fault != nil {
				return fault
			}
			if !preamble(gjson.GetBytes(data, "type").String()) {
				return nil
			}
		}
		if err != nil {
			break
		}
	}
	return nil
}

// preamble reports whether events of this kind come before the actual response.
func preamble(kind string) bool {
	switch kind {
	case "response.created", "response.in_progress", "response.queued", "message_start", "ping":
		return true
	}
	return false
}

// failed returns the data of an error, or nil if data is not an error. An error is an event of Anthropic or the
// Responses API, or part of a chunk of Chat Completions or Gemini.
func failed(data []byte) []byte {
	if !gjson.ValidBytes(data) {
		return nil
	}
	for _, path := range []string{"error", "response.error", "0.error"} {
		if e := gjson.GetBytes(data, path); e.IsObject() || e.Type == gjson.String {
			return []byte(`{"error":` + e.Raw + `}`)
		}
	}
	if kind := gjson.GetBytes(data, "type").String(); kind == "error" {
		return []byte(`{"error":` + string(data) + `}`)
	}
	return nil
}
