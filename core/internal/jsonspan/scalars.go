package jsonspan

func (s *Scanner) scalar(kind Kind) Measure {
	switch kind {
	case String:
		return s.str(true).JSON()
	case Number:
		return ASCII(s.number())
	case True:
		return ASCII(s.literal("true"))
	case False:
		return ASCII(s.literal("false"))
	default:
		return ASCII(s.literal("null"))
	}
}

func (s *Scanner) literal(word string) uint32 {
	if len(s.src)-s.pos < len(word) {
		if string(s.src[s.pos:]) == word[:len(s.src)-s.pos] {
			s.Fail(TruncatedJSON, len(s.src), "the JSON ends inside '"+word+"'")
			return 0
		}
	} else if string(s.src[s.pos:s.pos+len(word)]) == word {
		s.pos += len(word)
		return uint32(len(word))
	}
	s.Fail(InvalidJSON, s.pos, "expected a value, found "+describe(s.src[s.pos:]))
	return 0
}

// number checks a number against the grammar of RFC 8259, section 6, and returns its length. The number is never
// evaluated, so 1e400 passes through unchanged. After an error, the result is 0.
func (s *Scanner) number() uint32 {
	b, i := s.src, s.pos
	start := i
	digits := func() bool {
		from := i
		for i < len(b) && b[i]-'0' <= 9 {
			i++
		}
		return i > from
	}
	if b[i] == '-' {
		i++
	}
	ok := true
	if i < len(b) && b[i] == '0' {
		i++
	} else {
		ok = digits()
	}
	if ok && i < len(b) && b[i] == '.' {
		i++
		ok = digits()
	}
	if ok && i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		ok = digits()
	}
	if !ok {
		if i >= len(b) {
			s.Fail(TruncatedJSON, len(b), "the JSON ends inside a number")
		} else {
			s.Fail(InvalidJSON, i, "a digit is expected in this number, found "+describe(b[i:]))
		}
		return 0
	}
	s.pos = i
	return uint32(i - start)
}

// Int returns the number at a span. ok is false unless it is an integer of at most 9 digits.
func Int(src []byte, p Span) (n int, ok bool) {
	b := p.Slice(src)
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// SkipTo moves over the value at the scanner, which was read before and ends at index end, without reading it again.
func (s *Scanner) SkipTo(end uint32) {
	s.passed(int(end) - s.pos)
	s.pos = int(end)
}
