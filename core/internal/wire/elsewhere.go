package wire

//go:generate go run ./signs signs_gen.go adk ag-ui agent-framework assistant-ui bedrock-converse gemini-interactions genkit haystack langchain mastra mcp-sampling mistral ollama pi prompt-api pydantic-ai tanstack

// IsUnlinked reports whether this build can only detect the format, while another build reads and writes it. Detection
// needs the signs of such formats so that it doesn't mistake their transcripts for another format.
//
// A build with the tag ctxfold_no_formats has only the signs of the formats of agents and SDKs. Files without that
// tag register the complete formats.
func (f *Format) IsUnlinked() bool { return f.ReadMessage == nil }

// LinkedFormats returns the formats that this build reads and writes, sorted by name.
func LinkedFormats() (here []*Format) {
	for _, f := range formats {
		if !f.IsUnlinked() {
			here = append(here, f)
		}
	}
	return here
}
