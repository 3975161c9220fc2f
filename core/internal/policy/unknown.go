package policy

import (
	"slices"
	"strings"
)

// UnknownName returns the error message for an unknown name. kind is the kind of name, such as "preset". The message
// suggests the most similar known name, or lists all names if none is similar.
func UnknownName(kind, name string, names []string) string {
	says := "unknown " + kind + " \"" + name + "\"; "
	if near := NearestName(name, names); near != "" {
		return says + "did you mean \"" + near + "\"?"
	}
	return says + "there are: " + strings.Join(names, ", ")
}

// aliases lists common names for things that are called something else here.
var aliases = []struct{ name, meant string }{
	{"openai", "openai-chat"}, {"chat", "openai-chat"}, {"chatcompletions", "openai-chat"}, {"azure", "openai-chat"},
	{"deepseek", "openai-chat"}, {"openrouter", "openai-chat"},
	{"responses", "openai-responses"}, {"codex", "openai-responses"}, {"claude", "anthropic"},
	{"messages", "anthropic"}, {"google", "gemini"}, {"vertex", "gemini"}, {"generatecontent", "gemini"},
	{"vercel", "ai-sdk"}, {"modelmessage", "ai-sdk"}, {"interactions", "gemini-interactions"},
	{"bedrock", "bedrock-converse"}, {"converse", "bedrock-converse"}, {"aws", "bedrock-converse"},
	{"langgraph", "langchain"}, {"mcp", "mcp-sampling"}, {"agui", "ag-ui"}, {"copilotkit", "ag-ui"},
	{"sampling", "mcp-sampling"}, {"usechat", "ai-sdk-ui"}, {"uimessage", "ai-sdk-ui"}, {"text", "plain"},
	{"webllm", "plain"}, {"summarize", "fold"}, {"summary", "fold"}, {"compact", "fold"}, {"trim", "drop"},
	{"prune", "clear"}, {"thinking", "reasoning"}, {"tiktoken", "script"}, {"bytes/4", "bytes4"}, {"chars4", "utf16-4"},
	{"context_window", "window"}, {"max_context", "window"}, {"strategy", "passes"}, {"threshold", "ratio"},
	{"limit", "max_tokens"},
	{"prompts", "prompt"}, {"token_counter", "estimator"},
}

// NearestName returns the known name that was probably meant: the one with this alias or, if at most a third of the
// letters differ, the first of the most similar names. It returns "" if no name is similar enough.
func NearestName(name string, names []string) string {
	if len(name) > maxName {
		return ""
	}
	key := plainly(name)
	for _, a := range aliases {
		if plainly(a.name) == key && slices.Contains(names, a.meant) {
			return a.meant
		}
	}
	near, least := "", len(key)/3+1
	for _, n := range names {
		if d := distance(key, plainly(n)); d < least {
			near, least = n, d
		}
	}
	return near
}

// maxName is the maximum length of a name that NearestName compares, in bytes.
const maxName = 64

// plainly returns a name in lower case, without hyphens, underscores and spaces, so that different spellings of a name
// become equal.
func plainly(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return r
	}, name))
}

// distance returns the minimum number of bytes that must be inserted, deleted, changed or swapped
// with their neighbor to turn a into b.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, last, before := rows[i%3], rows[(i-1)%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}

// keys lists the keys of policies and passes, at all depths. docs/policy.schema.json defines where each is allowed.
const keys = "always_newest unlimited archive batch boundary cache_read cache_write cold contains estimator excerpt exclude_tools " +
	"force_turn format gate id idle inclusive index input instructions keep_first keep_last keep_messages " +
	"keep_recent keep_tokens last_resort log max_batches max_bytes max_files max_input max_input_tokens max_lines max_messages " +
	"max_output max_output_tokens max_requests max_text max_tokens max_tool_results min_gain min_messages " +
	"min_reclaim min_tokens mode model notice notice_at on_failure open_calls output pass passes pins preset prices project_instructions prompt provider ratio " +
	"repair request reserve retries role room scope shrink_messages split standing start style summary superseded target thinking tokens tool tools " +
	"usage window wire_safe"

// optionKeys lists the keys of options, at all depths.
const optionKeys = "answer archive background cache_read_tokens cache_write_tokens calls cold exact failed force format id idle input_tokens " +
	"least_tokens message messages mode model no_reserve only_known open_calls output_tokens placeholder prefix redact score summary " +
	"text texts total_tokens tried usage whole window"

// moved lists keys of requests that became options, by their former paths.
var moved = []struct{ was, is string }{
	{"policy.force", "options.force"}, {"policy.answer", "options.answer"},
	{"policy.summary.text", "options.summary.text"},
	{"usage", "options.usage"},
}

// MovedKeyHint returns the error message for a key that has become an option, given its former path in a request, or
// "" for any other path.
func MovedKeyHint(path string) string {
	for _, m := range moved {
		if m.was == path {
			return path + " is not a key any more; say it in " + m.is
		}
	}
	return ""
}

// SuggestKey adds to an error about an unknown key of a policy or a pass the key that was probably meant. It returns
// the error.
func SuggestKey(err *Error) *Error { return suggest(err, keys) }

// SuggestOption is like SuggestKey, for the options of a request: it adds the name that was probably meant to an error
// about an unknown one.
func SuggestOption(err *Error) *Error { return suggest(err, optionKeys) }

func suggest(err *Error, keys string) *Error {
	if key, ok := strings.CutPrefix(err.Message, noKey); ok {
		if near := NearestName(key, strings.Fields(keys)); near != "" && near != key {
			err.Message = "unknown key \"" + key + "\"; did you mean \"" + near + "\"?"
		}
	}
	return err
}
