package proxy

import (
	"net/url"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ctxfold/ctxfold"
)

// generateContent is the end of the path of Gemini's non-streaming requests; the model precedes it.
const generateContent = ":generateContent"

// modelIn returns the model in a path of Gemini's API, such as gemini-2.5-pro in
// /v1beta/models/gemini-2.5-pro:generateContent, or "" if it has no model.
func modelIn(path string) string {
	_, name, ok := strings.Cut(path, "/models/")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, ":")
	return name
}

// geminiURL returns the base, the end of the path and the query of the URL for a summary request, which is not
// streamed. An empty model means the one in base.
func geminiURL(base, query, model string) (string, string, string) {
	if head, _, ok := strings.Cut(base, "/models/"); ok && model != "" {
		base = head + "/models/" + url.PathEscape(model)
	}
	if values, err := url.ParseQuery(query); err == nil && values.Has("alt") {
		values.Del("alt")
		query = values.Encode()
	}
	return base, generateContent, query
}

func askGemini(_ *turn, q ctxfold.Request) map[string]any {
	parts := func(text string) []map[string]string { return []map[string]string{{"text": text}} }
	return map[string]any{"systemInstruction": map[string]any{"parts": parts(q.System)},
		"contents":         []map[string]any{{"role": "user", "parts": parts(q.Prompt)}},
		"generationConfig": map[string]any{"maxOutputTokens": q.MaxOutputTokens}}
}

// saidGemini returns the summary in a response of the Gemini API. A blocked answer gets the finish reason refusal.
func saidGemini(answer gjson.Result) (ctxfold.Summary, error) {
	var sum ctxfold.Summary
	candidate := answer.Get("candidates.0")
	for _, part := range candidate.Get("content.parts").Array() {
		if !part.Get("thought").Bool() {
			sum.Text += part.Get("text").String()
		}
		if part.Get("functionCall").Exists() {
			sum.FinishReason = "tool_calls"
		}
	}
	switch reason := candidate.Get("finishReason").String(); {
	case sum.FinishReason != "":
	case answer.Get("promptFeedback.blockReason").String() != "":
		sum.FinishReason = "refusal"
	case reason == "SAFETY", reason == "RECITATION", reason == "BLOCKLIST", reason == "PROHIBITED_CONTENT", reason == "SPII":
		sum.FinishReason = "refusal"
	default:
		sum.FinishReason = strings.ToLower(reason)
	}
	usage := answer.Get("usageMetadata")
	cached := usage.Get("cachedContentTokenCount").Int()
	sum.Usage = counted(usage.Get("promptTokenCount").Int()-cached, cached, 0, usage.Get("candidatesTokenCount").Int()+usage.Get("thoughtsTokenCount").Int())
	return sum, nil
}
