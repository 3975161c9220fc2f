package transcript

import (
	"math/bits"
	"strconv"
)

// Fingerprint names a list of messages by 64 bits of a hash of their bytes; what stands between them does not count. It
// tells a transcript that has changed from one that has not; it is no defence against somebody who makes two transcripts
// alike, and need not be: a step on another transcript is as valid as a plan on it.
type Fingerprint uint64

// Add takes in the next message.
func (f *Fingerprint) Add(message []byte) { *f = Fingerprint(hash(uint64(*f), message)) }

// String is the fingerprint in hexadecimal digits.
func (f Fingerprint) String() string { return strconv.FormatUint(uint64(f), 16) }

// Fingerprint is the fingerprint of the first n messages.
func (t *Transcript) Fingerprint(n int) string {
	if n > 0 && n <= len(t.prints) {
		return t.prints[n-1].String()
	}
	var f Fingerprint
	for i := range t.Messages[:n] {
		f.Add(t.Bytes(t.Messages[i].Span))
	}
	return f.String()
}

// hash folds the bytes of b into h, 8 at a time: the 128-bit product of two words, halves combined, is the mixing step
// that wyhash introduced. The constants are the first 64 fractional bits of the square roots of 2 and 3.
func hash(h uint64, b []byte) uint64 {
	const k0, k1 = 0x6a09e667f3bcc908, 0xbb67ae8584caa73b
	mix := func(w uint64) {
		hi, lo := bits.Mul64(h^w^k0, k1^uint64(len(b)))
		h = bits.RotateLeft64(h, 23) + (hi ^ lo)
	}
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := b[i : i+8 : i+8]
		mix(uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56)
	}
	var last uint64
	for ; i < len(b); i++ {
		last = last<<8 | uint64(b[i])
	}
	mix(last)
	return h
}
