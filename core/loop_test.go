package core_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
)

// boats is a conversation of this many messages, as JSON.
func boats(messages int) string {
	var list []string
	for i := range messages {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		list = append(list, fmt.Sprintf(`{"role":%q,"content":"Message %d about the boat. %s"}`, role, i, strings.Repeat("The hull needs paint and the mast needs rope. ", 6)))
	}
	return "[" + strings.Join(list, ",") + "]"
}

const boatPolicy = `{"window":{"tokens":2000}}`

// TestLoopWithoutEffects: a host that can execute no effects gets the answer of the operation at once.
func TestLoopWithoutEffects(t *testing.T) {
	fit := core.Call("fit", []byte(`{"policy":`+boatPolicy+`,"options":{"summary":{"mode":"local"}},"messages":`+boats(40)+`}`))
	var p struct {
		Job     json.RawMessage
		Effects []api.Effect
		Result  map[string]json.RawMessage
	}
	answer := core.Call("loop_start", []byte(`{"policy":`+boatPolicy+`,"settings":{"now":1},"messages":`+boats(40)+`}`))
	if err := json.Unmarshal(answer, &p); err != nil || p.Job != nil || len(p.Effects) > 0 {
		t.Fatal(err, string(answer[:min(len(answer), 600)]))
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(fit, &want); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"messages", "report", "state", "known"} {
		if string(p.Result[name]) != string(want[name]) {
			t.Errorf("%s: %.300s, not %.300s", name, p.Result[name], want[name])
		}
	}
	if p.Result["memory"] != nil {
		t.Error("the result has what is remembered, which is the job's")
	}
}

// TestLoopWithEverything: a compaction is made once, saved, and found again.
func TestLoopWithEverything(t *testing.T) {
	for _, keys := range []api.RecordKeys{api.RecordsByPrefix, api.RecordsByOwner} {
		w, replica := newWorld(1, faults{}), 0
		settings := api.JobSettings{Can: allEffects, Records: keys, Owner: "somebody"}
		first := w.start("first", &replica, boatPolicy, boats(40), settings, nil)
		w.run(w.now + 600_000)
		if !first.done || first.failure != nil || first.asks != 1 || string(first.result["report"]) == "" || len(w.bodies) == 0 {
			t.Fatal(keys, w.wrong, first.done, first.failure, first.asks, len(w.bodies))
		}
		second := w.start("second", &replica, boatPolicy, boats(41), settings, nil)
		w.run(w.now + 600_000)
		if !second.done || second.failure != nil || second.asks != 0 || string(second.result["known"]) != "0" {
			t.Fatal(keys, w.wrong, second.failure, second.asks, string(second.result["known"]))
		}
		if len(w.leases) > 0 {
			t.Error(keys, "a lease was not released")
		}
	}
}

// TestLoopRepeatsOnce: a digest that was made while the model failed is made again once, even if the newest messages are others by then and the
// new compaction replaces fewer messages.
func TestLoopRepeatsOnce(t *testing.T) {
	for seed := range uint64(40) {
		for _, keys := range []api.RecordKeys{api.RecordsByPrefix, api.RecordsByOwner} {
			testRepeatsOnce(t, seed, keys)
		}
	}
}

func testRepeatsOnce(t *testing.T, seed uint64, keys api.RecordKeys) {
	r := rand.New(rand.NewPCG(seed, 7))
	var history []string
	for range 13 {
		history = append(history, message("user", r, "Question"), message("assistant", r, "Answer"))
	}
	w, replica := newWorld(1, faults{}), 0
	settings := api.JobSettings{Can: allEffects, Records: keys, Owner: "somebody"}
	fit := func(name, last string) *simulatedJob {
		list := "[" + strings.Join(history, ",") + "," + last + "]"
		j := w.start(name, &replica, `{"window":{"tokens":1200},"summary":{"on_failure":"keep"}}`, list, settings, nil)
		w.run(w.now + 120_000)
		if !j.done || j.failure != nil || w.wrong != "" {
			t.Fatal(keys, name, w.wrong, j.done, j.failure)
		}
		return j
	}
	w.down = w.now + 60_000
	if first := fit("first", message("user", r, "Question")); first.asks == 0 {
		return // nothing is due yet
	}
	last := message("user", r, "Another question")
	if again := fit("again", last); again.asks == 0 || !strings.Contains(string(again.result["report"]), `"source":"model"`) {
		t.Fatalf("%d %s %s", seed, keys, again.result["report"])
	}
	for range 3 {
		if known := fit("known", last); known.asks > 0 || !strings.Contains(string(known.result["edits"]), "The user builds a boat") {
			t.Fatalf("%d %s: the digest of the model is not what is sent: %s", seed, keys, known.result["edits"])
		}
	}
}

// TestLoopFindsNewestAttempt: while the model keeps failing, an earlier state of the same compaction that is still under the key of a longer
// or a shorter beginning of the history doesn't make the job ask the model again too early.
func TestLoopFindsNewestAttempt(t *testing.T) {
	for _, at := range []int{1, 38} { // of the keys that the job leases: its own, then those of all beginnings from the longest on
		w, replica := newWorld(1, faults{}), 0
		settings := api.JobSettings{Can: allEffects, Records: api.RecordsByPrefix, Owner: "somebody"}
		w.down = w.now + 3_600_000
		first := w.start("first", &replica, boatPolicy, boats(40), settings, nil)
		w.run(w.now + 600_000)
		var saved struct {
			Entries []map[string]json.RawMessage `json:"entries"`
		}
		for _, r := range w.records {
			if err := json.Unmarshal([]byte(r.text), &saved); err != nil {
				t.Fatal(err)
			}
		}
		if !first.done || first.asks == 0 || len(saved.Entries) != 1 || string(saved.Entries[0]["tries"]) != "1" {
			t.Fatal(w.wrong, first.done, first.asks, saved)
		}
		put := func(key string, tries int, again int64) {
			e := saved.Entries[0]
			w.records[key] = savedRecord{fmt.Sprintf(`{"version":3,"entries":[{"entry":%s,"tries":%d,"again":%d}]}`, e["entry"], tries, again), w.saves}
		}
		for key := range w.records {
			put(key, 2, w.now+600_000)
		}
		put(first.leased[at], 1, w.now-1)
		second := w.start("second", &replica, boatPolicy, boats(40), settings, nil)
		w.run(w.now + 300_000)
		if !second.done || second.failure != nil || second.asks != 0 || string(second.result["known"]) == "-1" {
			t.Error(at, w.wrong, second.done, second.failure, second.asks, string(second.result["known"]))
		}
	}
}

// TestLoopKeepsFoundWithoutStore: if the store fails after a compaction was found that has to be repeated, the model is asked only once, and
// while it fails, the compaction that was found is sent.
func TestLoopKeepsFoundWithoutStore(t *testing.T) {
	w, replica := newWorld(1, faults{}), 0
	settings := api.JobSettings{Can: allEffects, Records: api.RecordsByPrefix, Owner: "somebody"}
	w.down = w.now + 3_600_000
	w.start("first", &replica, boatPolicy, boats(40), settings, nil)
	w.run(w.now + 600_000)
	second := w.start("second", &replica, boatPolicy, boats(40), settings, nil)
	for second.events == 0 && w.wrong == "" {
		w.run(w.now + 1)
	}
	w.faults.loads = 100
	w.run(w.now + 300_000)
	if !second.done || second.failure != nil || second.asks != 1 || string(second.result["known"]) != "0" {
		t.Error(w.wrong, second.done, second.failure, second.asks, string(second.result["known"]))
	}
}

// TestLoopRepeatsWithoutCount: the provider counted messages that included the digest that is now repeated, so the count says nothing about
// the original messages.
func TestLoopRepeatsWithoutCount(t *testing.T) {
	for _, exact := range []string{"", `,"exact":true`} {
		w, replica := newWorld(1, faults{}), 0
		settings := api.JobSettings{Can: allEffects, Records: api.RecordsByOwner, Owner: "somebody"}
		fit := func(name string, messages int) *simulatedJob {
			j := w.start(name, &replica, `{"window":{"tokens":2000},"summary":{"on_failure":"keep"}}`, boats(messages), settings, nil)
			w.run(w.now + 120_000)
			if !j.done || j.failure != nil || w.wrong != "" {
				t.Fatal(name, w.wrong, j.done, j.failure)
			}
			return j
		}
		w.down = w.now + 60_000
		if first := fit("first", 41); !strings.Contains(string(first.result["report"]), `"source":"local"`) {
			t.Fatalf("%s", first.result["report"])
		}
		w.options = `,"usage":{"message":42,"total_tokens":1234` + exact + `}`
		again := fit("again", 43)
		if !strings.Contains(string(again.result["report"]), `"source":"model"`) || strings.Contains(string(again.result["state"]), "1234") {
			t.Errorf("%s%s", again.result["report"], again.result["state"])
		}
	}
}

// TestLoopGoesOn: an app that continues from the sent messages may pass the same list again. It is not compacted again, whichever key finds
// the record. If the model failed, the compaction of that list is repeated.
func TestLoopGoesOn(t *testing.T) {
	for _, keys := range []api.RecordKeys{api.RecordsByPrefix, api.RecordsByOwner} {
		for _, fails := range []bool{false, true} {
			w, replica := newWorld(1, faults{}), 0
			settings := api.JobSettings{Can: allEffects, Records: keys, Owner: "somebody"}
			fit := func(messages string) *simulatedJob {
				j := w.start("a call", &replica, boatPolicy, messages, settings, nil)
				w.run(w.now + 600_000)
				if !j.done || j.failure != nil || w.wrong != "" {
					t.Fatal(keys, w.wrong, j.done, j.failure)
				}
				return j
			}
			sent, _, err := fit(boats(40)).sent()
			if err != nil || len(sent) >= 40 {
				t.Fatal(keys, err, len(sent))
			}
			given := "[" + strings.Join(sent, ",") + "," + strings.TrimPrefix(boats(21), "[")
			if fails {
				w.down = w.now + 300_000
			}
			if second := fit(given); second.asks == 0 || strings.Contains(string(second.result["report"]), `"source":"model"`) == fails {
				t.Fatalf("%s: %s", keys, second.result["report"])
			}
			if fails {
				w.run(w.now + 3_600_000)
				if again := fit(given); again.asks == 0 || !strings.Contains(string(again.result["report"]), `"source":"model"`) {
					t.Fatalf("%s: it is not made again: %s", keys, again.result["report"])
				}
			}
			for range 2 {
				if known := fit(given); known.asks > 0 || !strings.Contains(string(known.result["edits"]), "The user builds a boat") {
					t.Fatalf("%s, model down %v: the same list again: %s", keys, fails, known.result["report"])
				}
			}
		}
	}
}

// TestLoopLooksFurther: if the compaction of most messages is not used, an older one is.
func TestLoopLooksFurther(t *testing.T) {
	w, replica := newWorld(1, faults{}), 0
	settings := api.JobSettings{Can: allEffects, Owner: "somebody"}
	fit := func(policy string, messages int) *simulatedJob {
		j := w.start("a call", &replica, policy, boats(messages), settings, nil)
		w.run(w.now + 600_000)
		if !j.done || j.failure != nil || w.wrong != "" {
			t.Fatal(w.wrong, j.done, j.failure)
		}
		return j
	}
	fit(boatPolicy, 40)
	older := maps.Clone(w.records)
	if fit(boatPolicy, 60).asks == 0 || len(w.records) == len(older) {
		t.Fatal("there is no second compaction")
	}
	const large = `{"window":{"tokens":200000}}`
	if known := fit(large, 60); string(known.result["known"]) != "0" {
		t.Fatalf("the newest is not used: %s", known.result["known"])
	}
	for key, r := range w.records {
		if _, ok := older[key]; ok {
			continue
		}
		other := strings.Replace(r.text, `"entry":{"version":2`, `"entry":{"version":9`, 1)
		if other == r.text {
			t.Fatal(r.text)
		}
		w.records[key] = savedRecord{other, r.revision}
	}
	if known := fit(large, 60); string(known.result["known"]) != "0" {
		t.Errorf("the older one is not used: %s", known.result["known"])
	}
	settings.Can = append(slices.Clone(allEffects), api.EffectCount)
	if known := fit(large, 60); string(known.result["known"]) != "0" {
		t.Errorf("the older one is not used by a host that counts: %s", known.result["known"])
	}
	clear(w.records)
	if known := fit(large, 60); string(known.result["known"]) != "-1" {
		t.Errorf("something is known without records: %s", known.result["known"])
	}
}

// TestLoopBackgroundStoreFails: if the content removed by a background compaction can't be stored, the compaction is not repeated before
// the history has grown.
func TestLoopBackgroundStoreFails(t *testing.T) {
	const policy = `{"window":{"tokens":2000},"gate":{"start":0.6,"target":0.4},"archive":"bodies"}`
	for _, keys := range []api.RecordKeys{api.RecordsByOwner, api.RecordsByPrefix} {
		w, replica := newWorld(3, faults{puts: 100}), 0
		settings := api.JobSettings{Can: allEffects, Owner: "somebody", Records: keys}
		for call, begun := range []int{1, 1} {
			j := w.start("a call", &replica, policy, boats(14), settings, nil)
			w.run(w.now + 600_000)
			if !j.done || j.failure != nil || w.wrong != "" {
				t.Fatal(w.wrong, j.done, j.failure)
			}
			if w.begun != begun || w.notices[api.NoticeBackgroundFailed] != 1 {
				t.Errorf("%s, call %d: %d begun, %v", keys, call, w.begun, w.notices)
			}
		}
	}
}

// TestLoopBackgroundModelFails: if the model fails during a background compaction, the next calls do not begin another one before the history
// has grown.
func TestLoopBackgroundModelFails(t *testing.T) {
	const policy = `{"window":{"tokens":2000},"gate":{"start":0.6,"target":0.4}}`
	for _, keys := range []api.RecordKeys{api.RecordsByOwner, api.RecordsByPrefix} {
		w, replica := newWorld(3, faults{}), 0
		w.down = w.now + 60_000
		settings := api.JobSettings{Can: allEffects, Owner: "somebody", Records: keys}
		for call, c := range []struct{ messages, begun int }{{14, 1}, {14, 1}, {14, 1}, {17, 2}} {
			j := w.start("a call", &replica, policy, boats(c.messages), settings, nil)
			w.run(w.now + 600_000)
			if !j.done || j.failure != nil || w.wrong != "" {
				t.Fatal(w.wrong, j.done, j.failure)
			}
			if w.begun != c.begun || w.notices[api.NoticeBackgroundFailed] != 1 {
				t.Errorf("%s, call %d: %d begun, %v", keys, call, w.begun, w.notices)
			}
		}
		if w.made != 1 {
			t.Errorf("%s: %d compactions were saved", keys, w.made)
		}
	}
}

// TestLoopLeavesAFailedModelAlone: a model that has failed is left alone for a minute, also if the first message says something else in the
// next request. A compaction that is remembered for a shorter beginning is still found behind the record of the failure.
func TestLoopLeavesAFailedModelAlone(t *testing.T) {
	const policy = `{"window":{"tokens":6000},"gate":{"ratio":0.4},"summary":{"on_failure":"keep"}}`
	for _, keys := range []api.RecordKeys{api.RecordsByOwner, api.RecordsByPrefix} {
		w, replica := newWorld(4, faults{}), 0
		settings := api.JobSettings{Can: allEffects, Owner: "somebody", Records: keys}
		request := 0
		fit := func(messages int) *simulatedJob {
			request++
			list := strings.Replace(boats(messages), "Message 0 about", fmt.Sprintf("It is %d o'clock. Message 0 about", request), 1)
			j := w.start("a call", &replica, policy, list, settings, nil)
			for until := w.now + 600_000; !j.done && w.now < until; {
				w.run(w.now + 1_000)
			}
			if !j.done || j.failure != nil || w.wrong != "" {
				t.Fatal(keys, w.wrong, j.done, j.failure)
			}
			return j
		}
		if first, second := fit(40), fit(40); first.asks == 0 || second.asks == 0 { // the second one keeps the first message
			t.Fatal(keys, first.asks, second.asks)
		}
		if known := fit(41); known.asks > 0 || string(known.result["known"]) == "-1" {
			t.Fatal(keys, known.asks)
		}
		w.down = w.now + 3_600_000
		asked := 0
		for range 4 {
			j := fit(70)
			if asked += j.asks; string(j.result["known"]) == "-1" {
				t.Errorf("%s: the compaction of a shorter beginning is not found", keys)
			}
		}
		if asked != 1 {
			t.Errorf("%s: the model was asked %d times", keys, asked)
		}
	}
}

// TestLoopRemembered: a record keeps as many compactions as the host wants.
func TestLoopRemembered(t *testing.T) {
	w, replica := newWorld(4, faults{}), 0
	w.forgets = true
	settings := api.JobSettings{Can: allEffects, Owner: "somebody", Records: api.RecordsByOwner, Remembered: 2}
	for conversation := range 4 {
		messages := strings.ReplaceAll(boats(40), "boat", fmt.Sprint("boat ", conversation))
		w.start("a call", &replica, boatPolicy, messages, settings, nil)
		w.run(w.now + 600_000)
	}
	if prints := entryPrints(w.records["somebody"].text, true); len(prints) != 2 || w.made < 4 || w.wrong != "" {
		t.Errorf("%d of %d compactions are kept: %s", len(prints), w.made, w.wrong)
	}
}

// TestLoopWaitsForTheBackground: a job that has waited for a background compaction does not start another one.
func TestLoopWaitsForTheBackground(t *testing.T) {
	const policy = `{"window":{"tokens":2000},"gate":{"start":0.6,"target":0.4}}`
	for _, keys := range []api.RecordKeys{api.RecordsByPrefix, api.RecordsByOwner} {
		w, replica := newWorld(5, faults{}), 0
		settings := api.JobSettings{Can: allEffects, Owner: "somebody", Records: keys}
		w.start("a call", &replica, policy, boats(14), settings, nil)
		for w.asked == 0 {
			w.run(w.now + 10)
		}
		full := w.start("a call at the limit", &replica, policy, boats(19), settings, nil)
		w.run(w.now + 600_000)
		if w.waited == 0 || w.begun != 1 || full.asks != 0 || string(full.result["known"]) != "0" || w.wrong != "" {
			t.Errorf("%s: %d waits, %d begun, %d asked, known %s: %s", keys, w.waited, w.begun, full.asks, full.result["known"], w.wrong)
		}
	}
}

// TestLoopStops: a background compaction ends if its history was edited, and gives way to a forced one.
func TestLoopStops(t *testing.T) {
	const policy = `{"window":{"tokens":2000},"gate":{"start":0.6,"target":0.4}}`
	for name, next := range map[string]func(string) string{
		"edited": func(messages string) string { return strings.Replace(messages, "Message 7", "Message seven", 1) },
		"kept":   func(messages string) string { return messages },
	} {
		w, replica := newWorld(5, faults{}), 0
		settings := api.JobSettings{Can: allEffects, Owner: "somebody", Records: api.RecordsByOwner}
		w.start("a call", &replica, policy, boats(14), settings, nil)
		for w.asked == 0 {
			w.run(w.now + 10)
		}
		w.start("another call", &replica, policy, next(boats(14)), settings, nil)
		w.run(w.now + 600_000)
		want := [2]int{1, 0}
		if name == "edited" {
			want = [2]int{2, 1}
		}
		if got := [2]int{w.begun, w.stopped}; got != want || w.wrong != "" {
			t.Errorf("%s: %v begun and stopped, not %v: %s", name, got, want, w.wrong)
		}
	}
}

// TestLoopOfTwoConversations: of two conversations that differ only in their first message, none stops the other's background compaction,
// and none waits for a compaction that it could not use.
func TestLoopOfTwoConversations(t *testing.T) {
	other := func(messages string) string {
		return strings.Replace(messages, "Message 0 about", "Somebody else's message 0 about", 1)
	}
	for _, keys := range []api.RecordKeys{api.RecordsByPrefix, api.RecordsByOwner} {
		settings := api.JobSettings{Can: allEffects, Owner: "somebody", Records: keys}
		w, replica := newWorld(5, faults{}), 0
		const policy = `{"window":{"tokens":2000},"gate":{"start":0.6,"target":0.4}}`
		w.start("a call", &replica, policy, boats(14), settings, nil)
		for w.asked == 0 {
			w.run(w.now + 10)
		}
		w.start("another conversation", &replica, policy, strings.Replace(other(boats(14)), "Message 9", "Message nine", 1), settings, nil)
		w.run(w.now + 600_000)
		if w.begun != 2 || w.stopped != 0 || w.wrong != "" {
			t.Errorf("%s: %d begun, %d stopped: %s", keys, w.begun, w.stopped, w.wrong)
		}

		w, replica = newWorld(5, faults{}), 0
		w.start("a call", &replica, boatPolicy, boats(40), settings, nil)
		for w.asked == 0 {
			w.run(w.now + 10)
		}
		second := 0
		full := w.start("another conversation", &second, boatPolicy, other(boats(40)), settings, nil)
		w.run(w.now + 600_000)
		if w.waited != 0 || full.asks == 0 || w.wrong != "" {
			t.Errorf("%s: %d waits, %d asked: %s", keys, w.waited, full.asks, w.wrong)
		}
	}
}

// TestLoopAsksInTime: a host that cannot wait, and was suspended until after the deadline of a request, does not ask the model again.
func TestLoopAsksInTime(t *testing.T) {
	w, replica := newWorld(1, faults{incomplete: 100}), 0
	j := w.start("a call", &replica, boatPolicy, boats(40), api.JobSettings{Can: []api.EffectName{api.EffectAsk}, SummaryTimeout: 25_000}, nil)
	w.stalls[&replica] = w.now + 60_000
	w.run(w.now + 600_000)
	if !j.done || j.failure != nil || j.asks != 1 || w.wrong != "" {
		t.Errorf("asked %d times, %v %v: %s", j.asks, j.done, j.failure, w.wrong)
	}
}

// TestLoopAsksLittleOfAFailingModel: until the pause of a model that has failed is over, a compaction that is due asks only for what is new. Then
// the beginning is summarized again. Each failure makes the pause longer.
func TestLoopAsksLittleOfAFailingModel(t *testing.T) {
	const policy = `{"window":{"tokens":2000},"gate":{"ratio":0.6,"target":0.3},"summary":{"max_input_tokens":1500}}`
	for _, keys := range []api.RecordKeys{api.RecordsByOwner, api.RecordsByPrefix} {
		w, replica := newWorld(4, faults{}), 0
		settings := api.JobSettings{Can: allEffects, Owner: "somebody", Records: keys}
		fit := func(messages int) *simulatedJob {
			j := w.start("a call", &replica, policy, boats(messages), settings, nil)
			for until := w.now + 600_000; !j.done && w.now < until; {
				w.run(w.now + 1_000)
			}
			if !j.done || j.failure != nil || w.wrong != "" {
				t.Fatal(keys, w.wrong, j.done, j.failure)
			}
			return j
		}
		w.down = w.now + 40_000
		first := fit(20)
		for messages := 40; w.now < w.down; messages += 20 {
			if j := fit(messages); j.asks > first.asks+1 || string(j.result["known"]) == "-1" {
				t.Errorf("%s, %d messages: the model is asked %d times, first %d; known %s", keys, messages, j.asks, first.asks, j.result["known"])
			}
		}
		w.run(w.now + 3_600_000)
		again, known := fit(200), fit(200)
		if string(again.result["known"]) != "-1" || string(known.result["known"]) == "-1" || known.asks > 0 {
			t.Errorf("%s: after the pause, known %s, then %s with %d requests", keys, again.result["known"], known.result["known"], known.asks)
		}
	}
}
