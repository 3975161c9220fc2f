package component

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"
)

// Alignments of the types in wit/ctxfold.wit, in bytes: of types that contain an f64, and of all others larger than a
// byte.
const (
	alignWord   = 4
	alignDouble = 8
)

// area is a value in the memory layout of the canonical ABI. Each field is aligned to its size. The value of a variant,
// an option or a result follows its discriminant, at the largest alignment of any case. Texts are not copied: an area
// stores their addresses and keeps them alive.
type area struct {
	words []uint64 // 64-bit words, for their alignment
	size  int      // in bytes
	held  []any
}

func (a *area) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a.words))), len(a.words)*8)
}

// align skips to a multiple of n bytes.
func (a *area) align(n int) { a.size = (a.size + n - 1) / n * n }

// next returns the next n bytes, aligned to n.
func (a *area) next(n int) []byte {
	a.align(n)
	at := a.size
	a.size += n
	for len(a.words)*8 < a.size {
		a.words = append(a.words, 0)
	}
	return a.bytes()[at:a.size]
}

func (a *area) byte(b byte) { a.next(1)[0] = b }

func (a *area) bool(b bool) {
	if b {
		a.byte(1)
	} else {
		a.byte(0)
	}
}

func (a *area) word(v uint32) { binary.LittleEndian.PutUint32(a.next(4), v) }

// count writes a number, clamped to the range of a u32.
func (a *area) count(n int) { a.word(uint32(min(max(n, 0), math.MaxUint32))) }

func (a *area) double(f float64) { binary.LittleEndian.PutUint64(a.next(8), math.Float64bits(f)) }

// text writes a string, or a list of bytes.
func (a *area) text(b []byte) {
	a.word(address(b))
	a.count(len(b))
	if len(b) > 0 {
		a.held = append(a.held, b)
	}
}

func (a *area) string(s string) { a.text(unsafe.Slice(unsafe.StringData(s), len(s))) }

// present begins an option. exists says whether the option has a value, and is returned. A value has the given
// alignment and takes size bytes, which are skipped if there is none.
func (a *area) present(exists bool, alignment, size int) bool {
	a.align(alignment)
	a.bool(exists)
	a.align(alignment)
	if !exists {
		for range size / alignment {
			a.next(alignment)
		}
	}
	return exists
}

// optional writes an option<string>, which is none if b is empty.
func (a *area) optional(b []byte) {
	if a.present(len(b) > 0, alignWord, 8) {
		a.text(b)
	}
}

func (a *area) optionalString(s string) { a.optional(unsafe.Slice(unsafe.StringData(s), len(s))) }

// list writes a list of n values of the given alignment, each by calling write.
func (a *area) list(n, alignment int, write func(items *area, i int)) {
	items := new(area)
	for i := range n {
		items.align(alignment)
		write(items, i)
	}
	a.word(items.address())
	a.count(n)
	a.held = append(a.held, items)
}

// address returns the address of the area. It changes when the area grows.
func (a *area) address() uint32 { return address(a.bytes()) }

// enum writes the index of a word among cases, the values of its enum.
func enum[T ~string](a *area, cases []T, word T) { a.byte(byte(max(slices.Index(cases, word), 0))) }

// address returns the address of b in the memory of the module.
func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
