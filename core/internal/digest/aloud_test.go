package digest

import "testing"

// TestThinksAloud checks, in several languages, which texts of a working agent are thoughts that it writes down.
func TestThinksAloud(t *testing.T) {
	for text, want := range map[string]bool{
		"The door opens twice. Why would it? Maybe the relay sticks. But wait, the relay is new. Actually, the log says otherwise. Hmm, let me look.":  true,
		"Das Tor öffnet zweimal. Warte, das Relais ist neu. Warum also? Moment, das Protokoll sagt etwas anderes.":                                     true,
		"门开了两次。为什么？等等，继电器是新的。不对，日志里写的是另一回事。":                                                                                                           true,
		"The relay sticks: `relay.go` reads the pin twice. I changed it to one read. Should the timeout stay at 30 s?":                                 false,
		"I looked at `relay.go`, `door.go` and the log.\nThe relay is new, so the door opens because of the timer.\nActually, the timer is set twice.": false,
	} {
		if got := thinksAloud(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
