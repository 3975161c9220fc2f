package tokens_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/tokens"
)

// webp returns a WebP file with one kind of chunk: "VP8 ", "VP8L" or "VP8X".
func webp(kind string, w, h int) []byte {
	b := []byte("RIFF\x00\x10\x00\x00WEBP" + kind + "\x00\x08\x00\x00")
	switch kind {
	case "VP8 ":
		b = append(b, 0, 0, 0, 0x9d, 0x01, 0x2a)
		b = binary.LittleEndian.AppendUint16(b, uint16(w))
		b = binary.LittleEndian.AppendUint16(b, uint16(h))
	case "VP8L":
		b = binary.LittleEndian.AppendUint32(append(b, 0x2f), uint32(w-1)|uint32(h-1)<<14)
	default:
		w, h := w-1, h-1
		b = append(b, 0, 0, 0, 0, byte(w), byte(w>>8), byte(w>>16), byte(h), byte(h>>8), byte(h>>16))
	}
	return append(b, make([]byte, 4000)...)
}

// encoded returns an image in a format. A JPEG has a colour profile before its frame.
func encoded(t *testing.T, format string, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	picture := image.NewPaletted(image.Rect(0, 0, w, h), palette.WebSafe)
	switch format {
	case "png":
		err = png.Encode(&b, picture)
	case "gif":
		err = gif.Encode(&b, picture, nil)
	case "jpeg":
		if err := jpeg.Encode(&b, picture, nil); err != nil {
			t.Fatal(err)
		}
		profile := append([]byte{0xff, 0xe2, 0xc3, 0x50}, make([]byte, 0xc350-2)...)
		return append(append(b.Bytes()[:2:2], profile...), b.Bytes()[2:]...)
	default:
		return webp(format, w, h)
	}
	if err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), make([]byte, 1000)...)
}

// Images are counted by their pixels, in every format and family, wherever the payload is.
func TestImages(t *testing.T) {
	for _, c := range []struct {
		w, h int
		want map[string]int // by model
	}{
		{200, 200, map[string]int{"claude-3": 53, "gpt-4o": 255, "gemini-2": 258}},
		{1000, 1000, map[string]int{"claude-3": 1333, "gpt-4o": 765, "gemini-2": 1032}},
		{960, 540, map[string]int{"claude-3": 691, "gpt-4o": 765, "gemini-2": 1548}},
		{2048, 4096, map[string]int{"claude-3": 1600, "gpt-4o": 1105, "gemini-2": 258 * 3 * 6}},
	} {
		for _, format := range []string{"png", "gif", "jpeg", "VP8 ", "VP8L", "VP8X"} {
			data := base64.StdEncoding.EncodeToString(encoded(t, format, c.w, c.h))
			for _, message := range []struct{ wire, json string }{
				{"anthropic", `[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/x","data":"` + data + `"}}]}]`},
				{"anthropic", `[{"role":"user","content":[{"source":{"data":"` + strings.ReplaceAll(data, "/", `\/`) + `","type":"base64"},"type":"image"}]}]`},
				{"openai-chat", `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/x;base64,` + data + `"}}]}]`},
				{"gemini", `[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"` + data + `"}}]}]`},
			} {
				tr := read(t, message.wire, message.json)
				for model, want := range c.want {
					if got := tokens.ByName("script").For(model).Message(tr, 0) - 4; got != want {
						t.Errorf("%s of %d × %d in %s for %s: %d tokens, want %d", format, c.w, c.h, message.wire, model, got, want)
					}
				}
			}
		}
	}
}

// An image of an unknown type is counted by its size, and a URL as a typical image.
func TestImagesOfUnknownSize(t *testing.T) {
	for data, want := range map[string]int{
		"https://example.com/a.png": 1200, strings.Repeat("A", 100_000): 100, strings.Repeat("A", 10_000_000): 1600, "iVBORw0KGgo": 1200, "/9j/": 1200,
		"/9j/" + strings.Repeat("/", 1_000_000): 1000, "R0lGODlh": 1200, "UklGR" + strings.Repeat("A", 5000): 85,
	} {
		tr := read(t, "openai-chat", fmt.Sprintf(`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"%s"}}]}]`, data))
		if got := tokens.ByName("script").For("gpt-4o").Message(tr, 0) - 4; got != want {
			t.Errorf("%.30s: %d tokens, want %d", data, got, want)
		}
	}
}
