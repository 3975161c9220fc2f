//go:build ctxfold_count

package jsonspan

// started is a scanner with the offset at which it began. A build with the tag ctxfold_count
// records all scanners, so that a test can count how many bytes were read.
type started struct {
	s    *Scanner
	from int
}

var scanners []started

func (s *Scanner) count() { scanners = append(scanners, started{s, s.pos}) }

// passed excludes the next n bytes from the count.
func (s *Scanner) passed(n int) {
	for i := range scanners {
		if scanners[i].s == s {
			scanners[i].from += n
		}
	}
}

// Read returns the number of bytes of src that scanners have read since the last call, and starts counting again.
func Read(src []byte) (n int) {
	for _, c := range scanners {
		if len(src) > 0 && len(c.s.src) > 0 && &c.s.src[0] == &src[0] {
			n += c.s.pos - c.from
		}
	}
	scanners = nil
	return n
}
