package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestTurnsOfGemini compacts a conversation in which the app has sent several consecutive user contents, which Gemini tolerates. Digests
// and restored files alternate with the other messages, because the app didn't send those consecutively.
func TestTurnsOfGemini(t *testing.T) {
	file := strings.Repeat("a line of the file\\n", 50)
	list := []string{`{"role":"user","parts":[{"text":"Read the files."}]}`}
	for i := range 12 {
		list = append(list, fmt.Sprintf(`{"role":"model","parts":[{"functionCall":{"name":"read_file","args":{"file_path":"f%d.go"}}}]}`, i),
			fmt.Sprintf(`{"role":"user","parts":[{"functionResponse":{"name":"read_file","response":{"output":"%d %s"}}}]}`, i, file),
			fmt.Sprintf(`{"role":"user","parts":[{"text":"That was file %d."}]}`, i), `{"role":"user","parts":[{"text":"Go on."}]}`)
	}
	list = append(list, `{"role":"model","parts":[{"text":"Done."}]}`, `{"role":"user","parts":[{"text":"Thanks."}]}`)
	for _, keep := range []int{9, 15, 20, 700} {
		policy := fmt.Sprintf(`{"format":"gemini","window":{"tokens":3000,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":%d,"boundary":"group"},{"pass":"rehydrate","max_files":2}]}`, keep)
		a, broken := promises(t, "gemini", policy, []byte("["+strings.Join(list, ",")+"]"), summaryText)
		if len(broken) > 0 || a.Report.Restored == 0 {
			t.Fatalf("keep %d: %s, %d files are restored, broken %v", keep, a.Report.Reason, a.Report.Restored, broken)
		}
		var messages []struct {
			Role  string
			Parts []struct{ Text string }
		}
		if err := json.Unmarshal(a.Messages, &messages); err != nil {
			t.Fatal(err)
		}
		for i, m := range messages[1:] {
			before := messages[i]
			if made := len(before.Parts) > 0 && strings.HasPrefix(before.Parts[0].Text, "["); made && before.Role == m.Role {
				t.Errorf("keep %d: message %d is a second turn of the %s, behind %.60q", keep, i+1, m.Role, before.Parts[0].Text)
			}
		}
	}
}
