package wire

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Guess is a format that a transcript may be in.
type Guess struct {
	Format     *Format  // the guessed format
	Confidence float64  // from 0 to 1; all guesses add up to at most 1
	Evidence   []string // the format's own signs that were seen
}

// Detection is the result of examining a transcript's signs.
type Detection struct {
	// Guesses lists the possible formats, the most likely first. If there is a Shape, no format is certain, and the
	// first is the most similar one.
	Guesses []Guess
	Shape   *Shape   // a shape that no format reads, or nil
	Signs   []string // the signs of Shape that were seen
}

// CertainFormat returns the transcript's format if the signs leave no doubt, otherwise nil.
func (d *Detection) CertainFormat() *Format {
	if d.Shape == nil && len(d.Guesses) > 0 && d.Guesses[0].Confidence >= Sure {
		return d.Guesses[0].Format
	}
	return nil
}

// IsPossible reports whether the transcript may be in a format.
func (d *Detection) IsPossible(f *Format) bool {
	for _, g := range d.Guesses {
		if d.Shape == nil && g.Format == f {
			return true
		}
	}
	return false
}

// StrictestFormat returns the guess with the most rules about texts and roles, or nil. A transcript that is valid for
// this format is valid for the other guesses too.
func (d *Detection) StrictestFormat() (strictest *Format) {
	most := -1
	for _, g := range d.Guesses {
		r, n := &g.Format.Rules, 0
		for _, rule := range [...]string{r.Empty, r.BlankText, r.First, r.Alternate} {
			if rule != "" {
				n++
			}
		}
		if d.Shape == nil && n > most {
			strictest, most = g.Format, n
		}
	}
	return strictest
}

// Detect guesses the format of the transcript at s, which is a list or a request body. Only reading the transcript
// shows whether it really has that format. The result is zero if the value is no valid JSON.
func Detect(s *jsonspan.Scanner) Detection {
	d := &detector{Scanner: s, signs: vocabulary()}
	switch d.Kind() {
	case jsonspan.Array:
		d.readList()
	case jsonspan.Object:
		d.readBody()
	default:
		d.Skip()
	}
	if d.Err() != nil {
		return Detection{}
	}
	found := Detection{Guesses: d.guesses()}
	if shape, signs := d.findShape(); shape != nil {
		found.Signs = signs
		found.Resemble(shape)
	}
	return found
}

// Resemble records that the messages have a shape that no format reads, and makes the format nearest to it the only guess.
func (d *Detection) Resemble(shape *Shape) {
	d.Shape, d.Guesses = shape, []Guess{{Format: ByName(shape.Nearest), Confidence: likeness}}
}

// likeness is the confidence in the nearest format if no format reads the messages.
const likeness = 0.25

type detector struct {
	*jsonspan.Scanner
	signs   *signs   // all that exist
	seen    []*sign  // the signs found so far, without duplicates
	unknown []string // up to maxUnknown roles and types that no format and no shape has
	some    bool     // whether there are messages
	done    bool     // whether only one format is left, and one of its own signs was seen
	name    []byte   // a buffer for the name of a sign
}

// maxUnknown is the maximum number of unknown roles and types that are recorded.
const maxUnknown = 8

// noteSign records a sign, which consists of its kind and its name. Names of more than 64 bytes aren't signs. The set
// of signs is small, because formats have few.
func (d *detector) noteSign(kind string, name []byte) {
	if len(name) > 64 {
		return
	}
	d.name = append(append(append(d.name[:0], kind...), ':'), name...)
	s, found := d.signs.Get(string(d.name))
	if !found || !s.known {
		if kind == "role" || kind == "item" || kind == "type" && strange(string(name)) {
			d.noteUnknown(string(d.name))
		}
		return
	}
	if slices.Contains(d.seen, s) {
		return
	}
	d.seen = append(d.seen, s)
	if s.name == "content:store" || kind == "key" || kind == "type" || kind == "part" || kind == "item" {
		d.settle(false)
	}
}

// noteUnknown records a role or a type that no format and no shape has.
func (d *detector) noteUnknown(name string) {
	if len(d.unknown) < maxUnknown && !slices.Contains(d.unknown, name) {
		d.unknown = append(d.unknown, name)
	}
}

// settle ends the search if only one format is left and one of its own signs was seen. Unless any is set, the sign must
// be one that leaves no doubt.
func (d *detector) settle(any bool) {
	g := d.guesses()
	d.done = len(g) == 1 && slices.ContainsFunc(d.seen, func(s *sign) bool {
		return s.decisive.has(g[0].Format) || any && s.owned.has(g[0].Format)
	})
}

// readBody notes the signs of a request body and of the list of messages in it.
func (d *detector) readBody() {
	for name := range d.Members {
		d.noteSign("body", name)
		switch {
		case string(name) == "model" && d.Kind() == jsonspan.String:
			d.noteModel(jsonspan.Text(d.Src(), d.Text().Span))
		case d.Kind() == jsonspan.Array && ListKey(string(name)):
			d.noteSign("list", name)
			if d.readList(); d.done {
				return
			}
		case d.Kind() == jsonspan.String && ListKey(string(name)):
			d.noteSign("list", name)
			d.Skip()
		default:
			d.Skip()
		}
	}
}

// noteModel records the signs in the name of the request's model. Such a sign is a prefix that model names have in one
// format.
func (d *detector) noteModel(model string) {
	model = model[strings.LastIndexByte(model, '/')+1:]
	for _, f := range formats {
		for _, own := range strings.Fields(f.Signs.Own) {
			if p, ok := strings.CutPrefix(own, "model:"); ok && strings.HasPrefix(model, p) {
				d.noteSign("model", []byte(p))
			}
		}
	}
}

// ListKey reports whether request bodies of any format hold their messages under this key.
func ListKey(name string) bool {
	for _, f := range formats {
		if f.List == name {
			return true
		}
	}
	return false
}

func (d *detector) readList() {
	for d.Array(); !d.done && d.Elem(); {
		d.some = true
		if d.Kind() == jsonspan.Object {
			d.readMessage("")
		} else {
			d.Skip()
		}
	}
}

func (d *detector) guesses() []Guess {
	guesses := d.rateFormats(0, false)
	if len(guesses) == 0 {
		// Applications add part types of their own to a format; the least contradicted format is the right one.
		guesses = d.rateFormats(1./16, false)
	}
	if len(guesses) == 0 && d.hasSpeakers() {
		guesses = d.rateFormats(0, true) // a shy format is better than none, but not certain
		for i := range guesses {
			guesses[i].Confidence /= 2
		}
	}
	return guesses
}

// rateFormats rates the formats. doubt is the factor for a part type that a format doesn't know; see contradiction. Shy
// formats need evidence unless shy is set.
func (d *detector) rateFormats(doubt float64, shy bool) []Guess {
	var guesses []Guess
	total := 0.0
	for _, f := range formats {
		if f.Name == Plain && len(d.unknown) > 0 {
			continue
		}
		g := d.rateFormat(f, doubt)
		if g.Confidence > 0 && (shy || !f.Signs.Shy || len(g.Evidence) > 0) {
			total += g.Confidence
			guesses = append(guesses, g)
		}
	}
	if len(guesses) == 1 && len(guesses[0].Evidence) == 0 && !(d.hasRareSign() && d.hasSpeakers()) {
		total *= 2 // nothing contradicts the format, but nothing supports it either
	}
	total += float64(float64(len(d.unknown)) / 2) // signs that no format knows suggest an unknown format
	for i := range guesses {
		guesses[i].Confidence /= total
	}
	if text, _ := d.signs.Get("content:string"); !d.some || slices.Contains(d.seen, text) {
		preferPlain(guesses)
	}
	byConfidence(guesses)
	return guesses
}

// byConfidence sorts guesses, the most confident one first. It is a stable insertion sort, as there are only a few.
func byConfidence(guesses []Guess) {
	for i := 1; i < len(guesses); i++ {
		for j := i; j > 0 && guesses[j].Confidence > guesses[j-1].Confidence; j-- {
			guesses[j], guesses[j-1] = guesses[j-1], guesses[j]
		}
	}
}

// rateFormat rates a format by the signs that it owns, has or lacks. doubt is the factor for an
// unknown type, see contradiction. The confidence isn't yet relative to that of other formats. The
// result is zero if a sign rules the format out.
func (d *detector) rateFormat(f *Format, doubt float64) Guess {
	g := Guess{Format: f, Confidence: 1}
	factor := 1.0
	for _, s := range d.seen {
		switch {
		case s.shape: // a sign that no format has
		case s.owned.has(f):
			g.Evidence = append(g.Evidence, s.name)
			g.Confidence += 4
		case s.shown.has(f):
		default:
			factor *= f.contradiction(s, doubt)
		}
		if factor == 0 {
			return Guess{}
		}
	}
	g.Confidence = float64(g.Confidence * factor) // rounded to a float64, so that no machine fuses the multiplication with the sum
	return g
}

// contradiction returns the factor by which a sign that the format lacks reduces the confidence in it, from 0 to 1. 0
// excludes the format. doubt is the factor for a type, unless the format's list of types is closed.
func (f *Format) contradiction(s *sign, doubt float64) float64 {
	switch kind := s.kind(); {
	case kind == "body" || kind == "model":
		return 1. / 4 // a gateway may accept the name of any model
	case kind == "type" && !f.Signs.Closed:
		return doubt
	}
	return 0
}

// preferPlain makes the plain format the certain guess if nothing suggests any other format, because all of them would
// write the same bytes.
func preferPlain(guesses []Guess) {
	plain, rest := -1, 0.0
	for i, g := range guesses {
		switch {
		case g.Format.Name == Plain:
			plain = i
		case len(g.Evidence) > 0 || g.Confidence >= Sure:
			return
		default:
			rest += g.Confidence
		}
	}
	if plain < 0 {
		return
	}
	for i := range guesses {
		guesses[i].Confidence *= (1 - plainConfidence) / rest
	}
	guesses[plain].Confidence = plainConfidence
	if rest == 0 {
		guesses[plain].Confidence = 1
	}
}

// plainConfidence is the confidence in the plain format for messages without other signs.
const plainConfidence = 0.8

// hasRareSign reports whether the messages show a sign that at most two formats have. Formats that need a sign of their
// own are ignored.
func (d *detector) hasRareSign() bool {
	var shy formatSet
	for _, f := range formats {
		if f.Signs.Shy {
			shy.add(f)
		}
	}
	return slices.ContainsFunc(d.seen, func(s *sign) bool { return bits.OnesCount64(uint64(s.shown&^shy)) <= 2 })
}

// hasSpeakers reports whether the messages have roles, or message types, that some format knows.
func (d *detector) hasSpeakers() bool {
	return slices.ContainsFunc(d.seen, func(s *sign) bool {
		kind := s.kind()
		return kind == "role" || kind == "item"
	})
}

// Sure is the minimum confidence at which a guess is accepted, from 0 to 1.
const Sure = 0.75
