// Package handles stores and restores the bodies that a compaction removes from a transcript. The name of a body is its
// handle, the SHA-256 of its content in hexadecimal digits, so a host can store it anywhere.
//
// The package removes bodies from a view and leaves markers, records how to rebuild the input from the result, and
// restores the bodies that a host has stored.
//
// This package neither decides what to remove nor knows where a host stores it.
package handles

import "math/bits"

// Size is the length of a handle in hexadecimal digits. Short is the number of digits in a marker, and the minimum
// number that identifies a body. 16 digits, or 64 bits, are enough to distinguish the bodies of a conversation, while
// 64 digits would cost the model about 30 tokens per marker.
const (
	Size  = 64
	Short = 16
)

// Hash computes a SHA-256 (FIPS 180-4) incrementally. The WebAssembly module uses it instead of crypto/sha256, whose
// dependencies (self-tests, hash interfaces) would add several times as much code to the module.
type Hash struct {
	state [8]uint32 // the hash of the blocks so far
	block [64]byte  // the input that does not yet fill a block
	n     int       // bytes in block
	size  uint64    // bytes in total
}

// New returns an empty hash.
func New() *Hash {
	// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
	return &Hash{state: [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}}
}

// Write adds the next bytes of the body.
func (h *Hash) Write(b []byte) {
	h.size += uint64(len(b))
	if h.n > 0 {
		n := copy(h.block[h.n:], b)
		h.n += n
		b = b[n:]
		if h.n < len(h.block) {
			return
		}
		h.mix(h.block[:])
		h.n = 0
	}
	for len(b) >= len(h.block) {
		h.mix(b[:len(h.block)])
		b = b[len(h.block):]
	}
	h.n = copy(h.block[:], b)
}

// Handle finishes the hash and returns the handle. The hash must not be used afterwards.
func (h *Hash) Handle() string {
	size := h.size * 8
	var pad [72]byte
	pad[0] = 0x80
	n := 64 - (h.n+9)%64 // zeros that pad the last block
	n = 1 + n%64
	for i := range 8 {
		pad[n+i] = byte(size >> (56 - 8*i))
	}
	h.Write(pad[:n+8])
	const digits = "0123456789abcdef"
	out := make([]byte, 0, Size)
	for _, w := range h.state {
		for shift := 28; shift >= 0; shift -= 4 {
			out = append(out, digits[w>>shift&15])
		}
	}
	return string(out)
}

// IsHandle reports whether text has the form of a handle, or of a prefix long enough to identify a body.
func IsHandle(text string) bool {
	if len(text) < Short || len(text) > Size {
		return false
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// k are the round constants: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
var k = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// mix processes the first 64 bytes of p, one block of SHA-256.
func (h *Hash) mix(p []byte) {
	p = p[:64:64]
	var w [64]uint32
	for i := range 16 {
		w[i] = uint32(p[4*i])<<24 | uint32(p[4*i+1])<<16 | uint32(p[4*i+2])<<8 | uint32(p[4*i+3])
	}
	for i := 16; i < 64; i++ {
		x, y := w[i-2], w[i-15]
		w[i] = bits.RotateLeft32(x, -17) ^ bits.RotateLeft32(x, -19) ^ x>>10 + w[i-7] +
			(bits.RotateLeft32(y, -7) ^ bits.RotateLeft32(y, -18) ^ y>>3) + w[i-16]
	}
	a, b, c, d, e, f, g, z := h.state[0], h.state[1], h.state[2], h.state[3], h.state[4], h.state[5], h.state[6],
		h.state[7]
	for i := range 64 {
		t1 := z + (bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)) + (e&f ^ ^e&g) +
			k[i] + w[i]
		t2 := (bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)) + (a&b ^ a&c ^ b&c)
		z, g, f, e, d, c, b, a = g, f, e, d+t1, c, b, a, t1+t2
	}
	h.state[0] += a
	h.state[1] += b
	h.state[2] += c
	h.state[3] += d
	h.state[4] += e
	h.state[5] += f
	h.state[6] += g
	h.state[7] += z
}
