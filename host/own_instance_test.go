package host

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/host/module"
)

// TestInstanceGivesMemoryBack makes a conversation grow and shrink. After some calls that need little of the instance's memory, the instance
// is replaced by a small one.
func TestInstanceGivesMemoryBack(t *testing.T) {
	e, err := Open(t.Context(), Options{Module: module.Wasm, CacheDir: cmp.Or(os.Getenv("CTXFOLD_CACHE"), t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	p := e.Instance().(*ownInstance)
	call := func(op, request string) (answer struct{ Session int }, memory uint64) {
		t.Helper()
		got, cost, err := p.Call(t.Context(), op, []byte(request))
		if err != nil || strings.HasPrefix(string(got), `{"error"`) || json.Unmarshal(got, &answer) != nil {
			t.Fatalf("%s: %v, %.300s", op, err, got)
		}
		return answer, cost.Memory
	}
	open := func() (check string, memory uint64) {
		t.Helper()
		s, memory := call("session_open", `{"policy":{"format":"openai-chat","window":{"tokens":8000}},"messages":[{"role":"user","content":"Hello."}]}`)
		return fmt.Sprintf(`{"session":%d}`, s.Session), memory
	}
	check, small := open()
	call("estimate", `{"policy":{"format":"openai-chat"},"messages":[{"role":"user","content":"`+strings.Repeat("a word, ", 4<<20)+`"}]}`)
	_, large := call("check", check)
	if large < roomyMemory || large < 4*small {
		t.Fatalf("%d bytes are not much beside %d", large, small)
	}
	calls := 1
	for ; p.in != nil && calls <= 2*calmCalls; calls++ {
		call("check", check)
	}
	if p.in != nil {
		t.Fatalf("after %d calls the instance has %d bytes", calls, large)
	}
	if _, again := open(); again > 2*small {
		t.Errorf("the new instance has %d bytes, and the first one had %d", again, small)
	}
}

// TestInstanceThatNeedsItsMemory has a conversation whose memory grows as large again in each new
// instance: it is read again at ever longer intervals.
func TestInstanceThatNeedsItsMemory(t *testing.T) {
	p, replaced := &ownInstance{in: &instance{}}, 0
	for range 10_000 {
		if p.in.calm++; p.roomy(2 * roomyMemory) {
			p.in = &instance{}
			replaced++
		}
	}
	if replaced < 2 || replaced > 7 {
		t.Errorf("the conversation was read again %d times in 10,000 calls", replaced)
	}
	for range calmCalls { // the conversation shrinks to a third
		if p.in.calm++; p.roomy(2*roomyMemory/3 + roomyMemory) {
			t.Fatal("it has not halved")
		}
	}
	p.left = 8 * roomyMemory
	if p.in.calm = calmCalls; !p.roomy(2 * roomyMemory) {
		t.Error("after an exchange that paid, the next one waits no longer than the first")
	}
}
