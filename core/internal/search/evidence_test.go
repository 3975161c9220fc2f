package search

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestEvidence measures, for conversations with questions, the share of the messages with the answers that is among the first 5 and the
// first 10 results. CTXFOLD_CHATS names a folder of JSON files:
// [{"messages":[{"role","content"}],"questions":[{"question","evidence":[index]}]}].
func TestEvidence(t *testing.T) {
	if os.Getenv("CTXFOLD_CHATS") == "" {
		t.Skip("CTXFOLD_CHATS names no folder")
	}
	files, err := filepath.Glob(filepath.Join(os.Getenv("CTXFOLD_CHATS"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files there: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var chats []struct {
			Messages  json.RawMessage
			Questions []struct {
				Question string
				Evidence []int
			}
		}
		if err := json.Unmarshal(text, &chats); err != nil {
			t.Fatal(err)
		}
		var questions, evidence float64
		var share, messages, all, some [2]float64 // at 5 and at 10
		for _, c := range chats {
			for _, q := range c.Questions {
				if len(q.Evidence) == 0 {
					continue
				}
				rank := map[int]int{}
				for i, h := range run(t, Query{Text: q.Question}, Body{Text: c.Messages}) {
					rank[h.Index] = i + 1
				}
				n := float64(len(q.Evidence))
				questions, evidence = questions+1, evidence+n
				for k, at := range [2]int{5, 10} {
					found := 0.0
					for _, e := range q.Evidence {
						if r := rank[e]; r > 0 && r <= at {
							found++
						}
					}
					share[k] += found / n
					messages[k] += found
					if found == n {
						all[k]++
					}
					if found > 0 {
						some[k]++
					}
				}
			}
		}
		for k, at := range [2]int{5, 10} {
			t.Logf("%s: %.0f questions, at %d: %.1f %% of the evidence of a question, %.1f %% of all evidence; all of it for %.1f %%, some for %.1f %%",
				filepath.Base(file), questions, at, 100*share[k]/questions, 100*messages[k]/evidence, 100*all[k]/questions, 100*some[k]/questions)
		}
		if share[0] < 0.58*questions || share[1] < 0.68*questions {
			t.Errorf("%s: less than 58 %% is found among the first 5, or less than 68 %% among the first 10", file)
		}
	}
}
