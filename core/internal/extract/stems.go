package extract

import "math/bits"

// stems assigns numbers to the stems of words. It is a hash table with a bounded number of probes. The hash is public,
// so anybody can write words that collide. Such words share a number and weigh too little, which affects no other
// words.
type stems struct {
	slots []slot  // a hash table; its size is a power of two
	df    []int32 // the number of sentences that contain each stem
	in    []int32 // the last sentence that contained each stem, from 1
}

type slot struct {
	stem uint32 // the stem's hash
	id   int32  // the number of the stem plus one, 0 if the slot is empty
}

// probes is the maximum number of slots that are examined for a stem.
const probes = 16

// init allocates slots for n stems. More stems can be added, but then more of them share a number.
func (s *stems) init(n int) {
	s.slots = make([]slot, 1<<bits.Len(uint(max(64, 2*n))))
}

func (s *stems) len() int { return len(s.df) }

// id returns the number of a stem, and assigns one if the stem is new. If all slots that it may
// have are taken, the result is the number of another stem.
func (s *stems) id(stem uint32) int32 {
	mask := uint32(len(s.slots) - 1)
	at := (stem * 0x9e3779b1) >> 7 & mask
	for range probes {
		p := &s.slots[at]
		if p.id == 0 {
			s.df, s.in = append(s.df, 0), append(s.in, 0)
			*p = slot{stem, int32(len(s.df))}
			return p.id - 1
		}
		if p.stem == stem {
			return p.id - 1
		}
		at = (at + 1) & mask
	}
	return max(s.slots[at].id-1, 0)
}

// find returns the number of a stem, or -1 if it has none.
func (s *stems) find(stem uint32) int32 {
	mask := uint32(len(s.slots) - 1)
	at := (stem * 0x9e3779b1) >> 7 & mask
	for range probes {
		p := &s.slots[at]
		if p.id == 0 || p.stem == stem {
			return p.id - 1
		}
		at = (at + 1) & mask
	}
	return -1
}

// prints is a set of fingerprints of sentences. Of two that collide, only the newer one is kept.
type prints []uint32

// in reports whether a fingerprint is in the set, and adds it if it isn't.
func (p prints) in(print uint32) bool {
	at := (print * 0x9e3779b1) >> 7 & uint32(len(p)-1)
	if p[at] == print {
		return true
	}
	p[at] = print
	return false
}

// log2 returns 1024 times the binary logarithm of n, interpolated linearly between powers of two, which makes it at
// most 88 too small. n must be at least 1.
func log2(n uint64) int64 {
	k := bits.Len64(n) - 1
	if k >= 10 {
		return int64(k)<<10 + int64(n>>(k-10)&1023)
	}
	return int64(k)<<10 + int64(n<<(10-k)&1023)
}

// exp2 returns 1024 times two to the power of x/1024, the inverse of log2. x must be from 0 to 40 × 1024.
func exp2(x int64) int64 { return (1024 + x&1023) << (x >> 10) }
