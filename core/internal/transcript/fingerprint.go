package transcript

import (
	"math/bits"
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Fingerprint identifies a list of messages by a 64-bit hash of their bytes, ignoring the separators between messages.
// It shows whether a transcript has changed. It isn't collision-resistant and need not be: after a collision, a plan is
// applied to a different transcript, and the result is as valid as if the plan had been made for that transcript.
type Fingerprint uint64

// Add adds the next message.
func (f *Fingerprint) Add(message []byte) { *f = Fingerprint(hash(uint64(*f), message)) }

// String returns the fingerprint in hexadecimal digits.
func (f Fingerprint) String() string { return strconv.FormatUint(uint64(f), 16) }

// Fingerprint returns the fingerprint of the first n messages.
func (t *Transcript) Fingerprint(n int) string {
	if n > 0 && n <= len(t.prints) {
		return t.prints[n-1].String()
	}
	var f Fingerprint
	for i := range t.Messages[:n] {
		f.Add(t.AsGiven(t.Messages[i].Span))
	}
	return f.String()
}

// hash mixes b into h, 8 bytes at a time, in four lanes that the processor can compute in parallel. Each step of a
// lane, and the final mixing, is a bijection whose shifts and multiplications spread each bit over the whole state. The
// constants are the first 64 fractional bits of the square roots of 2 and 3, made odd.
func hash(h uint64, b []byte) uint64 {
	const k0, k1 = 0x6a09e667f3bcc909, 0xbb67ae8584caa73b
	h ^= uint64(len(b)) * k1
	i := 0
	if len(b) >= 32 {
		h0, h1, h2, h3 := h, h+k0, h^k1, h-k0
		for ; i+32 <= len(b); i += 32 {
			h0 = bits.RotateLeft64(h0^jsonspan.LoadWord(b, i)*k1, 29) * k0
			h1 = bits.RotateLeft64(h1^jsonspan.LoadWord(b, i+8)*k1, 29) * k0
			h2 = bits.RotateLeft64(h2^jsonspan.LoadWord(b, i+16)*k1, 29) * k0
			h3 = bits.RotateLeft64(h3^jsonspan.LoadWord(b, i+24)*k1, 29) * k0
		}
		h = bits.RotateLeft64(h0, 1) + bits.RotateLeft64(h1, 7) + bits.RotateLeft64(h2, 12) + bits.RotateLeft64(h3, 18)
	}
	for ; i+8 <= len(b); i += 8 {
		h = bits.RotateLeft64(h^jsonspan.LoadWord(b, i)*k1, 29) * k0
	}
	var last uint64
	for ; i < len(b); i++ {
		last = last<<8 | uint64(b[i])
	}
	h = bits.RotateLeft64(h^last*k1, 29) * k0
	h = (h ^ h>>32) * k1
	h = (h ^ h>>29) * k0
	return h ^ h>>32
}
