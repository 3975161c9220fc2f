package digest_test

import (
	"strings"
	"testing"
)

// The digest of a session ends at enoughSession bytes even if there is room for more, unless the requests and the
// answers need the room.
func TestSessionDigestsEnd(t *testing.T) {
	const enough = 12000
	words := strings.Fields("kiln glaze shelf ramp zone door lamp fan brick cone soak vent")
	var steps, talk strings.Builder
	for i := range 400 {
		a, b, c := words[i%12], words[i/12%12], words[i/144%12]
		id := a + b + c
		steps.WriteString(ranAs(id, "The "+a+" of the "+b+" depends on "+c+"Limit_"+id+", which nobody sets.", "go vet ./"+id, "ok") + ",")
		if i < 60 {
			talk.WriteString(`{"role":"user","content":"How is ` + id + ` set?"},{"role":"assistant","content":"` + id + ` is set to ` + a + `Default_` + id + `, which is what ` + b + ` and ` + c + ` expect. ` +
				strings.Repeat("The "+a+" of "+id+" has its own "+b+". ", 5) + `"},`)
		}
	}
	const ask, end = `[{"role":"user","content":"Why does zone 7 of the kiln drift?"},`, `{"role":"assistant","content":"The scheduler calls Sample for each listener."}]`
	if n := len(logOf(t, ask+steps.String()+end, 40000)); n > enough || n < enough*8/10 {
		t.Errorf("the digest of a session with many steps has %d bytes", n)
	}
	if n := len(logOf(t, ask+steps.String()+talk.String()+end, 40000)); n < enough*5/4 {
		t.Errorf("the digest of a session with many answers has only %d bytes", n)
	}
}
