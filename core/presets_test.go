package core_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// tried holds the results of a preset for all sessions.
type tried struct {
	compacted, invalid, violations, lost int
	before, after                        int // tokens
}

// TestExactPresets compacts every real session with every preset at a quarter of its size, with wire_safe and without (in make
// test-long; otherwise each session in two of these ways), and counts what a provider would refuse and how often the user's newest request is lost: with wire_safe never. It writes a table
// to the log, and to the file that CTXFOLD_PRESETS names.
func TestExactPresets(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("TestRealSessions runs the presets as they are by default")
	}
	presets := policy.Presets()
	table := make([][2]tried, len(presets)) // without and with wire_safe
	n := 0
	for _, s := range sessions.Load(t, formats...) {
		messages := s.JSON()
		if len(judge.Valid(s.Format, messages)) > 0 {
			continue // what is invalid already says nothing about a preset
		}
		n++
		size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, s.Format), string(messages))
		asked := judge.LastUser(s.Format, messages)
		for i, preset := range presets {
			for k, safe := range []bool{false, true} {
				if !covers(n, (2*i+k)%6, 6) {
					continue
				}
				window := max(size/4, 64)
				p := fmt.Sprintf(`{"preset":%q,"format":%q,"window":{"tokens":%d,"reserve":%d},"wire_safe":%t}`, preset.Name, s.Format, window, window/10, safe)
				a := compacts(t, p, "", string(messages), summaryText)
				if a.Error != nil {
					t.Errorf("%s, %s: %s", s.Name, preset.Name, a.Error.Message)
					continue
				}
				r := &table[i][k]
				if !a.Report.Changed {
					continue
				}
				r.compacted++
				r.before += a.Report.Tokens.Before
				r.after += a.Report.Tokens.After
				if bad := len(judge.Valid(s.Format, a.Messages)); bad > 0 {
					r.invalid++
					r.violations += bad
				}
				if asked != nil && !bytes.Contains(a.Messages, asked) {
					r.lost++
				}
			}
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d sessions; windows of a quarter of their tokens; without wire_safe | with wire_safe\n", n)
	fmt.Fprintf(&text, "%-14s %29s %10s %10s %6s | %29s %10s %10s %6s\n", "preset", "compacted", "invalid", "violations", "lost", "compacted", "invalid", "violations", "lost")
	for i, preset := range presets {
		line := fmt.Sprintf("%-14s", preset.Name)
		for k, r := range table[i] {
			if k == 1 {
				line += " |"
				if r.invalid+r.lost > 0 {
					t.Errorf("%s with wire_safe: %d invalid transcripts, %d requests lost", preset.Name, r.invalid, r.lost)
				}
			}
			line += fmt.Sprintf(" %29s %10d %10d %6d", fmt.Sprintf("%d (%d %% of tokens left)", r.compacted, 100*r.after/max(1, r.before)), r.invalid, r.violations, r.lost)
		}
		fmt.Fprintln(&text, line)
	}
	t.Log("\n" + text.String())
	if file := os.Getenv("CTXFOLD_PRESETS"); file != "" {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}
