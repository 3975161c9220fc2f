package tokens

import (
	"bytes"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// imageCosts maps a tokenizer family to the function that computes an image's tokens from its size in pixels.
var imageCosts = map[string]func(width, height int) int{
	"claude": areaCost,
	"o200k":  tileCost,
	"cl100k": tileCost,
	"gemini": cropCost,
	"llama3": areaCost, // no formula is published; Claude's is used
}

// areaCost is Claude's rule: one token per 750 pixels, after an image is scaled down to 1,568 pixels on its longer side
// and to at most 1,600 tokens (docs.claude.com, vision).
func areaCost(w, h int) int {
	if long := max(w, h); long > 1568 {
		w, h = w*1568/long, h*1568/long
	}
	return min(max(w*h/750, 1), 1600)
}

// tileCost is the rule of GPT-4o and similar models for high detail: an image is scaled down to fit into 2,048 × 2,048
// pixels, then to 768 pixels on its shorter side. It costs 85 tokens, plus 170 for each tile of 512 × 512 pixels
// (platform.openai.com, images and vision).
func tileCost(w, h int) int {
	if long := max(w, h); long > 2048 {
		w, h = w*2048/long, h*2048/long
	}
	if short := min(w, h); short > 768 {
		w, h = w*768/short, h*768/short
	}
	return 85 + 170*max((w+511)/512, 1)*max((h+511)/512, 1)
}

// cropCost is Gemini's rule: 258 tokens for an image of up to 384 × 384 pixels, and 258 for each tile of a larger
// image. The side of a tile is two thirds of the image's shorter side, but between 256 and 768 pixels (ai.google.dev,
// understand and count tokens).
func cropCost(w, h int) int {
	if w <= 384 && h <= 384 {
		return 258
	}
	unit := min(max(min(w, h)*2/3, 256), 768)
	return 258 * min((w+unit-1)/unit, 64) * min((h+unit-1)/unit, 64)
}

// image estimates the tokens of an image from its size in pixels, which it reads from the beginning of the base64
// payload. If that fails, it estimates from the size of the payload, or returns unknown if the part has no payload.
func (p *Profile) image(t *transcript.Transcript, part *transcript.Part, unknown int) int {
	if cost := imageCosts[p.Family]; cost != nil {
		if w, h := pixels(t.Bytes(part.Span)); w > 0 && h > 0 {
			return cost(w, h)
		}
	}
	if part.Data < 1000 { // a URL
		return unknown
	}
	return byBytes(750, 85, 1600)(uint64(part.Data))
}

// signatures lists the first characters of image files in base64, with functions that read the image's size. JSON may
// escape a slash.
var signatures = []struct {
	text string
	size func(r *base64) (w, h int)
}{{"iVBORw0KGgo", pngSize}, {"/9j/", jpegSize}, {`\/9j\/`, jpegSize}, {"R0lGOD", gifSize}, {"UklGR", webpSize}}

// pixels finds the payload near the start of a part's JSON and returns the size of the image in pixels, or 0, 0 if it
// can't be read.
func pixels(part []byte) (w, h int) {
	const near = 512
	for _, s := range signatures {
		from := part[:min(near, len(part))]
		i := bytes.Index(from, []byte(s.text))
		if i > 0 && (part[i-1] == '"' || part[i-1] == ',') {
			if w, h = s.size(&base64{text: part[i:]}); w <= maxPixels && h <= maxPixels {
				return w, h
			}
		}
	}
	return 0, 0
}

// maxPixels is the maximum length of a side that any of the formats allows, in pixels.
const maxPixels = 1 << 24

// base64 decodes base64 text inside a JSON string. After its end, or after an invalid character, it returns zeros.
type base64 struct {
	text []byte // what has not been decoded yet
	bits uint32 // the lowest n bits are decoded, but not read yet
	n    uint   // the number of valid bits in bits
	read int    // the number of bytes read
}

// byte returns the next byte, from 0 to 255. At the end of the text, it returns 0.
func (r *base64) byte() int {
	for r.n < 8 && len(r.text) > 0 {
		c := r.text[0]
		var v uint32
		switch {
		case c >= 'A' && c <= 'Z':
			v = uint32(c - 'A')
		case c >= 'a' && c <= 'z':
			v = uint32(c-'a') + 26
		case c >= '0' && c <= '9':
			v = uint32(c-'0') + 52
		case c == '+' || c == '-':
			v = 62
		case c == '/' || c == '_':
			v = 63
		case c == '\\':
			r.text = r.text[1:]
			continue
		default:
			r.text = nil
			continue
		}
		r.text = r.text[1:]
		r.bits = r.bits<<6 | v
		r.n += 6
	}
	r.read++
	if r.n < 8 {
		return 0
	}
	r.n -= 8
	return int(r.bits >> r.n & 255)
}

// skip skips n bytes, or fewer if the text ends, and returns r.
func (r *base64) skip(n int) *base64 {
	for ; n > 0 && len(r.text) > 0; n-- {
		r.byte()
	}
	return r
}

// little reads a little-endian number of the given size in bytes.
func (r *base64) little(bytes int) (n int) {
	for i := range bytes {
		n |= r.byte() << (8 * i)
	}
	return n
}

// big reads a big-endian number of the given size in bytes.
func (r *base64) big(bytes int) (n int) {
	for range bytes {
		n = n<<8 | r.byte()
	}
	return n
}

func pngSize(r *base64) (w, h int) {
	r.skip(16) // the file signature, then the length and the name of the first chunk
	return r.big(4), r.big(4)
}

func gifSize(r *base64) (w, h int) {
	r.skip(6)
	return r.little(2), r.little(2)
}

// jpegSize skips segments, such as color profiles and thumbnails, until it finds the header of the frame. It returns 0,
// 0 if there is no header in the first 256 KB.
func jpegSize(r *base64) (w, h int) {
	const far = 1 << 18
	r.skip(2)
	for r.read < far && len(r.text) > 0 {
		if r.byte() != 0xff {
			return 0, 0
		}
		marker := r.byte()
		for marker == 0xff && len(r.text) > 0 {
			marker = r.byte()
		}
		length := r.big(2)
		if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
			r.skip(1)
			h = r.big(2)
			return r.big(2), h
		}
		r.skip(length - 2)
	}
	return 0, 0
}

func webpSize(r *base64) (w, h int) {
	kind := r.skip(12).big(4)
	switch kind {
	case 0x56503820: // "VP8 "
		r.skip(10)
		return r.little(2) & 0x3fff, r.little(2) & 0x3fff
	case 0x5650384c: // "VP8L"
		r.skip(5)
		bits := r.little(4)
		return bits&0x3fff + 1, bits>>14&0x3fff + 1
	case 0x56503858: // "VP8X"
		r.skip(8)
		return r.little(3) + 1, r.little(3) + 1
	}
	return 0, 0
}
