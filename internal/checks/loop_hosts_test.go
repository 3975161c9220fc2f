package checks_test

import (
	"strings"
	"testing"
)

// hostTests lists, for each row of the table in docs/inside/loop.md that says which host executes what, tests that prove it: the file, and a
// text that names the test in it. All tests of a row are needed, and each column with a yes has at least one.
var hostTests = []struct {
	row   string // how the first cell begins
	tests map[string][]string
}{
	{"`load`, `save`, `lease`, `release`", map[string][]string{
		"Go":         {"fit_test.go: TestFitRecords", "faults_test.go: TestFaults"},
		"JavaScript": {"js/test/fit.test.js: a memory of the host's lives longer", "js/test/shared.test.js: whoever asks, each compaction is made once"},
		"Python":     {"host/python/tests/test_loop.py: test_processes_that_share_a_memory_make_one_compaction"},
		"C": {"host/c/test/background.c: shares(void)", "host/rust/tests/background.rs: fn processes_share_a_store",
			"host/ruby/test/test.rb: another process finds the compaction"},
	}},
	{"`ask`", map[string][]string{
		"Go": {"asking_test.go: TestBusyModel", "host/anthropic/anthropic_test.go: TestProvider", "host/openai/openai_test.go: TestProvider",
			"host/proxy/prefix_test.go: TestPrefixRequests"},
		"JavaScript": {"js/test/provider.test.js: the provider's own goes into the result unchanged", "js/test/prefix.test.js: are read from the prompt cache"},
		"Python": {"host/python/tests/test_loop.py: test_a_busy_model_is_asked_again", "host/python/tests/test_loop.py: test_the_providers_own_compaction",
			"host/python/tests/test_loop.py: test_a_request_appended_to_the_conversation"},
		"C": {"host/c/test/test.c: waits(void)", "host/rust/tests/background.rs: fn a_busy_model_is_asked_again_and_a_providers_compaction_is_taken",
			"host/ruby/test/test.rb: a provider's compaction is taken", "host/ruby/test/test.rb: a request is appended to the conversation"},
	}},
	{"`put`", map[string][]string{
		"Go":         {"conversation_session_test.go: TestConversationStoreFails"},
		"JavaScript": {"js/test/fit.test.js: what is taken out is in the store before it is sent"},
		"Python":     {"host/python/tests/test_operations.py: test_nothing_is_lost_with_a_store"},
		"C":          {"host/ruby/test/test.rb: what is removed is in the store"},
	}},
	{"`count`", map[string][]string{
		"Go":         {"usage_test.go: TestUsage"},
		"JavaScript": {"js/test/fit.test.js: an exact tokenizer counts what would be sent"},
		"C":          {"host/c/test/background.c: s->counted++"},
	}},
	{"`emit`", map[string][]string{
		"Go":         {"compact_test.go: TestLogHoldsNoTranscript"},
		"JavaScript": {"js/test/background.test.js: what a store fails with in the background is told"},
		"Python":     {"host/python/tests/test_loop.py: test_a_store_of_records_that_fails_later"},
		"C":          {"host/ruby/test/test.rb: notices reach the log"},
	}},
	{"`begin`, `stop`: in the background, of `fit`", map[string][]string{
		"Go":         {"background_test.go: TestFitInBackground"},
		"JavaScript": {"js/test/background.test.js: test(`fit: "},
		"Python": {"host/python/tests/test_loop.py: test_a_compaction_in_the_background",
			"host/python/tests/test_loop.py: test_a_compaction_in_the_background_with_asyncio"},
		"C": {"host/c/test/background.c: compacts_behind(void)", "host/c/test/background.c: stops(void)",
			"host/rust/tests/background.rs: fn a_turn_over_the_soft_limit_returns_at_once", "host/ruby/test/test.rb: a turn does not wait for the background"},
	}},
	{"`begin`, `stop`: in the background, of a conversation", map[string][]string{
		"Go":         {"background_test.go: TestConversationInBackground"},
		"JavaScript": {"js/test/background.test.js: test(`Conversation: "},
		"Python":     {"host/python/tests/test_turns.py: test_a_turn_does_not_wait_for_the_background"},
	}},
	{"cold prompt caches", map[string][]string{
		"Go":         {"uses_test.go: TestIdleFit", "uses_test.go: TestIdleConversation"},
		"JavaScript": {"js/test/idle.test.js: test(`a Conversation "},
		"Python":     {"host/python/tests/test_loop.py: test_a_cold_cache", "host/python/tests/test_turns.py: test_a_cold_prompt_cache"},
		"C":          {"host/ruby/test/test.rb: a cold cache is a reason to compact"},
	}},
	{"`before`", map[string][]string{
		"Go":         {"conversation_test.go: TestBeforeCompact", "journal_test.go: TestFileJournal"},
		"JavaScript": {"js/test/conversation.test.js: a host gives a reason, or brings the summary"},
	}},
}

// TestHostsOfTheLoop checks that tests cover what hosts execute according to docs/inside/loop.md.
func TestHostsOfTheLoop(t *testing.T) {
	const file = "docs/inside/loop.md"
	section, ok := cutSection(read(t, file), "### Who executes what")
	if !ok {
		t.Fatal(file, "has no such section")
	}
	var hosts []string
	row := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		switch first := strings.TrimSpace(cells[0]); {
		case !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|-"):
			continue
		case first == "":
			for _, cell := range cells[1:] {
				name, _, _ := strings.Cut(strings.TrimSpace(cell), ",")
				hosts = append(hosts, name)
			}
			continue
		case row >= len(hostTests) || !strings.HasPrefix(first, hostTests[row].row):
			t.Fatalf("%s: the row %s has no tests here", file, first)
		}
		for i, host := range hosts {
			says, tests := strings.TrimSpace(cells[i+1]), hostTests[row].tests[host]
			if can := !strings.HasPrefix(says, "no"); can != (len(tests) > 0) {
				t.Errorf("%s, %s: %q, with the tests %q", hostTests[row].row, host, says, tests)
			}
			for _, each := range tests {
				where, name, _ := strings.Cut(each, ": ")
				if !strings.Contains(read(t, where), name) {
					t.Errorf("%s has no test %q", where, name)
				}
			}
		}
		row++
	}
	if row != len(hostTests) {
		t.Errorf("%s has %d rows, and %d are known here", file, row, len(hostTests))
	}
}
