package convert

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// payload is an image, a file or audio, however a format stores it.
type payload struct {
	mime   string   // the media type, or ""
	data   string   // base64
	url    string   // where the content is, if it isn't in data, text or stored
	text   string   // the content of a text file
	stored string   // the id or URI under which the provider stores it
	name   string   // the file's name, or ""
	lost   []string // the names of members that could not be interpreted
}

// payloads returns the payloads of a part: several if the part is a list of base64 strings, otherwise one.
func (c *conversion) payloads(n int32) []payload {
	p := &c.t.Parts[n]
	b := c.t.Bytes(p.Span)
	if p.List == transcript.Member { // "images":["…"]
		var list []payload
		s := jsonspan.New(append(append([]byte{'{'}, b...), '}'))
		for range s.Members {
			if s.Kind() != jsonspan.Array {
				s.Skip()
				continue
			}
			for s.Array(); s.Elem(); {
				if s.Kind() != jsonspan.String {
					s.Skip()
					continue
				}
				m := payload{}
				m.take("data", jsonspan.Text(s.Src(), s.Text().Span))
				m.settle(p.Kind)
				list = append(list, m)
			}
		}
		return list
	}
	m := payload{}
	s := jsonspan.New(b)
	m.read(s, "", 0)
	m.settle(p.Kind)
	return []payload{m}
}

// read reads the value at the scanner into the payload. key is the value's key, and depth is the
// number of objects of the media that contain it. Objects more than six levels deep are skipped.
func (m *payload) read(s *jsonspan.Scanner, key string, depth int) {
	switch s.Kind() {
	case jsonspan.String:
		m.take(key, jsonspan.Text(s.Src(), s.Text().Span))
	case jsonspan.Object:
		if depth > 6 {
			s.Skip()
			return
		}
		m.object(s, depth)
	case jsonspan.Array: // [137,80]
		var bytes []byte
		for s.Array(); s.Elem(); {
			if s.Kind() == jsonspan.Number {
				bytes = appendByte(bytes, s)
			} else {
				s.Skip()
			}
		}
		if len(bytes) > 0 {
			m.data = encoded(bytes)
		}
	default:
		s.Skip()
	}
}

// object reads the object at the scanner, whose members are media or, under their indexes, bytes,
// such as {"0":137,"1":80}. depth is the number of objects of the media that contain it.
func (m *payload) object(s *jsonspan.Scanner, depth int) {
	var bytes []byte
	for k := range s.Members {
		name := string(k)
		switch {
		case len(name) > 0 && name[0] >= '0' && name[0] <= '9' && s.Kind() == jsonspan.Number:
			bytes = appendByte(bytes, s)
		case name == "type" && s.Kind() == jsonspan.String:
			if v := jsonspan.Text(s.Src(), s.Text().Span); v == "text" && depth > 0 {
				m.mime, m.text = "text/plain", " " // the data is plain text
			}
		case name == "source_type":
			s.Skip() // another member implies it
		case holdsMedia.has(name) && (name != "id" || depth > 0):
			m.read(s, name, depth+1)
		default:
			if isInformative(s.Skip()) {
				m.lost = append(m.lost, name)
			}
		}
	}
	if len(bytes) > 0 {
		m.data = encoded(bytes)
	}
}

func appendByte(bytes []byte, s *jsonspan.Scanner) []byte {
	n, _ := jsonspan.Int(s.Src(), s.Skip().Span)
	return append(bytes, byte(n))
}

// holdsMedia lists the members, in any format, that contain media, their types or their names.
var holdsMedia = wordSet("image image_url imageUrl input_audio inputAudio audio video document document_url documentUrl file file_data fileData " +
	"inlineData inline_data source data bytes url uri fileUri file_uri file_url fileUrl result s3Location output blob base64 guardContent " +
	"media media_type mediaType mimeType contentType mime_type format filename fileName title name document_name display_name displayName value metadata id file_id fileId " +
	"image_file_id text base64_image base64_data")

// take stores the string under a key in the payload, in the field that the key and the form of the
// string suggest. It ignores an empty string.
func (m *payload) take(key, value string) {
	if value == "" {
		return
	}
	switch key {
	case "media_type", "mediaType", "mimeType", "mime_type", "contentType":
		m.mime = value
	case "format":
		m.mime = mimeOf(value)
	case "filename", "fileName", "title", "name", "document_name", "display_name", "displayName":
		m.name = value
	case "file_id", "fileId", "image_file_id", "id":
		m.stored = value
	case "text":
		m.mime, m.text = "text/plain", value
	default:
		m.takeData(key, value)
	}
}

// holdsData lists the members whose strings are base64, unless they are URLs.
var holdsData = wordSet("data bytes image file_data input_audio inputAudio result base64 base64_image base64_data blob audio file value")

// takeData stores a string that is either the data or its location.
func (m *payload) takeData(key, value string) {
	switch {
	case strings.HasPrefix(value, "data:"):
		m.takeDataURL(value)
	case strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://"):
		m.url = value
	case strings.Contains(value[:min(len(value), 32)], "://"): // s3://, gs://: in the provider's storage
		m.stored = value
	case m.text == " ":
		m.text = value
	case holdsData.has(key) || base64Like(value):
		m.data = value
	default:
		m.stored = value
	}
}

// takeDataURL stores the data and the media type of a data URL, or the URL itself if its data isn't base64.
func (m *payload) takeDataURL(value string) {
	head, data, _ := strings.Cut(value[len("data:"):], ",")
	mime, rest, _ := strings.Cut(head, ";")
	if !strings.HasSuffix(rest, "base64") && head != "base64" {
		m.url = value
		return
	}
	if mime != "" {
		m.mime = mime
	}
	m.data = data
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// base64Like reports whether a string may be base64, judging by its length and its beginning.
func base64Like(s string) bool {
	for i := range min(len(s), 64) {
		if !alphanumeric(s[i]) && strings.IndexByte("+/=-_", s[i]) < 0 {
			return false
		}
	}
	return len(s) >= 64
}

// settle completes a payload after all members have been read: it normalizes the media type and the data, and
// determines the type if none was given.
func (m *payload) settle(kind transcript.Kind) {
	if m.text == " " { // text was announced but didn't follow
		m.text = ""
	}
	if m.mime == "image" || m.mime == "audio" || m.mime == "image/*" || m.mime == "audio/*" {
		m.mime = ""
	}
	if m.mime == "image/jpg" {
		m.mime = "image/jpeg"
	}
	m.mime = strings.ToLower(m.mime)
	m.data = standard(m.data)
	if m.mime == "" && m.data != "" {
		for _, sign := range magic {
			if strings.HasPrefix(m.data, sign[0]) {
				m.mime = sign[1]
			}
		}
	}
	if m.mime == "" && m.data != "" {
		m.mime = [...]string{transcript.Image: "image/png", transcript.Audio: "audio/wav",
			transcript.File: "application/octet-stream"}[kind]
	}
}

// encoded encodes bytes as base64. The package encoding/base64 would add more code to the module.
func encoded(bytes []byte) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	b := make([]byte, 0, (len(bytes)+2)/3*4)
	for len(bytes) > 0 {
		var three [3]byte
		n := copy(three[:], bytes)
		bytes = bytes[n:]
		v := uint32(three[0])<<16 | uint32(three[1])<<8 | uint32(three[2])
		b = append(b, digits[v>>18], digits[v>>12&63], digits[v>>6&63], digits[v&63])
		for i := n; i < 3; i++ {
			b[len(b)-3+i] = '='
		}
	}
	return string(b)
}

// standard converts base64 to the alphabet and the padding of RFC 4648, section 4; Gemini's libraries use the
// URL-safe alphabet. It returns "" if data is not base64.
func standard(data string) string {
	end, other := len(data), len(data)%4 != 0
	for end > 0 && (data[end-1] == '=' || data[end-1] == '\n' || data[end-1] == '\r') {
		end--
		other = other || data[end] != '='
	}
	for i := range end {
		if c := data[i]; !alphanumeric(c) && c != '+' && c != '/' {
			if other = true; strings.IndexByte("-_\n\r", c) < 0 {
				return ""
			}
		}
	}
	if !other {
		return data
	}
	return padded(data[:end])
}

// padded converts base64 of any alphabet, without its padding, to the standard alphabet and adds the padding. It
// leaves out line breaks.
func padded(data string) string {
	b := make([]byte, 0, len(data)+3)
	for i := range len(data) {
		switch c := data[i]; c {
		case '-':
			b = append(b, '+')
		case '_':
			b = append(b, '/')
		case '\n', '\r':
		default:
			b = append(b, c)
		}
	}
	for len(b)%4 != 0 {
		b = append(b, '=')
	}
	return string(b)
}

// magic maps the first base64 characters of a file to its media type.
var magic = [][2]string{
	{"iVBORw0KGgo", "image/png"}, {"/9j/", "image/jpeg"}, {"R0lGOD", "image/gif"}, {"UklGR", "image/webp"},
	{"JVBERi0", "application/pdf"},
	{"SUQz", "audio/mpeg"},
}

// mediaTypes gives the media type for the short names that some APIs use instead.
var mediaTypes = [][2]string{
	{"png", "image/png"}, {"jpeg", "image/jpeg"}, {"jpg", "image/jpeg"}, {"gif", "image/gif"}, {"webp", "image/webp"},
	{"pdf", "application/pdf"}, {"csv", "text/csv"}, {"html", "text/html"}, {"txt", "text/plain"},
	{"md", "text/markdown"}, {"doc", "application/msword"},
	{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
	{"xls", "application/vnd.ms-excel"},
	{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}, {"wav", "audio/wav"},
	{"mp3", "audio/mpeg"}, {"flac", "audio/flac"}, {"ogg", "audio/ogg"}, {"opus", "audio/opus"}, {"m4a", "audio/mp4"},
	{"aac", "audio/aac"}, {"mp4", "video/mp4"}, {"webm", "video/webm"}, {"mov", "video/quicktime"},
	{"mkv", "video/x-matroska"}, {"mpeg", "video/mpeg"},
}

func mimeOf(format string) string {
	for _, f := range mediaTypes {
		if f[0] == format {
			return f[1]
		}
	}
	if strings.Contains(format, "/") {
		return format
	}
	return ""
}

// dataURL returns the payload as a data URL or, without data, its own URL.
func (m *payload) dataURL() string {
	if m.data == "" {
		return m.url
	}
	return "data:" + m.mime + ";base64," + m.data
}

// describe returns a short description of a payload, to be written in its place.
func (m *payload) describe(kind transcript.Kind) string {
	b := []byte("[" + kind.String())
	for _, s := range []string{m.name, m.mime, clipDetail(m.url), m.stored} {
		if s != "" {
			b = append(append(b, ": "...), clipDetail(s)...)
			break
		}
	}
	if len(m.data) >= 4 {
		b = strconv.AppendInt(append(b, ", "...), int64(len(m.data)/4*3-strings.Count(m.data[len(m.data)-2:], "=")), 10)
		b = append(b, " bytes"...)
	}
	return string(append(b, ']'))
}
