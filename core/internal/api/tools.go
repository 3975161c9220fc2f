package api

// FailureArguments are what is known of a call of a model, whether it failed or not. Every member may be left out.
//
//easyjson:json
type FailureArguments struct {
	Status       int          `json:"status,omitempty"` // HTTP
	Body         string       `json:"body,omitempty"`   // of the answer, or the error's text
	Provider     string       `json:"provider,omitempty"`
	Model        string       `json:"model,omitempty"`         // that was called
	CurrentModel string       `json:"current_model,omitempty"` // that is in use now
	FinishReason string       `json:"finish_reason,omitempty"`
	Usage        FailureUsage `json:"usage,omitempty"`
	Window       int          `json:"window,omitempty"` // the model's, in tokens
	Typed        bool         `json:"typed,omitempty"`  // the host's own client knows the error for an overflow
}

// FailureUsage is what a call that succeeded had, in tokens; input is without what was read from or written to the cache.
type FailureUsage struct {
	Input      int `json:"input_tokens,omitempty"`
	CacheRead  int `json:"cache_read_tokens,omitempty"`
	CacheWrite int `json:"cache_write_tokens,omitempty"`
	Output     int `json:"output_tokens,omitempty"`
}

// Verdict is the answer of the operation classify_error.
//
//easyjson:json
type Verdict struct {
	Class    FailureClass `json:"class"`
	Overflow bool         `json:"overflow"` // a compaction and one retry may mend it
	Silent   bool         `json:"silent"`   // no error told of it
	Provider string       `json:"provider,omitempty"`
	Message  string       `json:"message"`
	Used     int          `json:"used_tokens,omitempty"`
	Limit    int          `json:"limit_tokens,omitempty"`
}

// LimitArguments are how large a tool's output may be. A limit of 0 or less is none.
//
//easyjson:json
type LimitArguments struct {
	MaxLines   int       `json:"max_lines,omitempty"`
	MaxBytes   int       `json:"max_bytes,omitempty"`   // UTF-8
	MaxChars   int       `json:"max_chars,omitempty"`   // Unicode scalar values
	SpillChars int       `json:"spill_chars,omitempty"` // above it the whole output is kept elsewhere; 0 is never
	Mode       LimitMode `json:"mode,omitempty"`
	Place      string    `json:"place,omitempty"`       // where the host has kept it
	SpillError string    `json:"spill_error,omitempty"` // why the host could not keep it
}

// LimitedOutput is the answer of the operation limit_tool_output.
//
//easyjson:json
type LimitedOutput struct {
	Changed   bool   `json:"changed"`
	Text      string `json:"text"`
	KeepMedia bool   `json:"keep_media"` // what stands beside the text stays
	Spilled   bool   `json:"spilled"`    // the text is a notice: the host keeps the whole output under its handle
	Handle    string `json:"handle,omitempty"`
}
