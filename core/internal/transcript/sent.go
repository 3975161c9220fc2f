package transcript

// MarkSent marks messages that are no longer sent to the model because of a message at or after index from. The marked
// messages are all those before the provider's own summary (AN12), except for the system prompt, and messages that only
// apply until the next user message (AN14).
func (t *Transcript) MarkSent(from int) {
	for i := from; i < len(t.Messages); i++ {
		m := &t.Messages[i]
		if n := t.summaryIn(i); n >= 0 {
			t.summarize(i, n)
		}
		if m.Role == User {
			for _, k := range t.live {
				t.unsend(k)
			}
			t.live = t.live[:0]
		}
		if m.Passing {
			t.live = append(t.live, int32(i))
		}
	}
}

// summarize marks everything before part n of message i, the provider's own summary, as not sent, except for the system
// prompt at the front.
func (t *Transcript) summarize(i int, n int32) {
	prompt := t.summary == 0
	for k := t.summary; k < i; k++ {
		if prompt = prompt && t.Messages[k].Role == System; !prompt {
			t.unsend(int32(k))
		}
	}
	for k := t.Messages[i].First; k < n; k++ {
		t.Parts[k].Flags |= NotSent
	}
	t.summary, t.live = i, t.live[:0]
}

// unsend marks message i as no longer sent to the model.
func (t *Transcript) unsend(i int32) {
	if m := &t.Messages[i]; !m.Unsent {
		m.Unsent = true
		t.Recounted++
	}
}

// summaryIn returns the index of the last part of message i that is the provider's own summary, or -1.
func (t *Transcript) summaryIn(i int) int32 {
	m := &t.Messages[i]
	for n := m.First + m.Count - 1; n >= m.First; n-- {
		if t.Parts[n].Has(Summary) {
			return n
		}
	}
	return -1
}

// ProviderSummarized returns the number of messages at the front up to and including the message with the provider's
// own summary, or 0 if there is none. They must not be moved or changed. The messages before the summary, except for
// the system prompt, cost no tokens.
func (t *Transcript) ProviderSummarized() int {
	if t.summary == 0 && (len(t.Messages) == 0 || t.summaryIn(0) < 0) {
		return 0
	}
	return t.summary + 1
}

// LastSaid returns the index in Parts of the newest text that the user wrote inside assistant message i, or -1.
func (t *Transcript) LastSaid(i int) int32 {
	m := &t.Messages[i]
	for n := m.First + m.Count - 1; n >= m.First; n-- {
		if p := &t.Parts[n]; p.Has(Said) && !p.Has(Removed) {
			return n
		}
	}
	return -1
}
