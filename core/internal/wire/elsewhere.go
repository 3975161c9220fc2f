package wire

//go:generate go run ./signs signs_gen.go adk ag-ui assistant-ui bedrock-converse gemini-interactions langchain mastra mcp-sampling mistral ollama pi tanstack

// Elsewhere reports whether this build has only the signs of the format, and another one reads and writes it: detection takes no
// transcript for one of another format, and who would read it says where that is possible.
//
// A build with the tag ctxfold_no_formats has the signs of the formats of agents and SDKs, which files without that tag register.
func (f *Format) Elsewhere() bool { return f.ReadMessage == nil }

// Here lists the formats that this build reads and writes, by name.
func Here() (here []*Format) {
	for _, f := range formats {
		if !f.Elsewhere() {
			here = append(here, f)
		}
	}
	return here
}
