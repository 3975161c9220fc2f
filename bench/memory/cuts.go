package main

import (
	"container/heap"
	"math"
	"slices"
	"strings"
	"unicode"
)

// conversation is what a cut works on: messages and sentences, with their sizes in tokens.
type conversation struct {
	texts []string
	sizes []int

	sentences     []string
	sentenceSizes []int
	from          []int // the message that each sentence is in
}

// cut is a method that keeps a part of a conversation: it returns text of at most size tokens, and
// of nearly as many if possible.
type cut struct {
	name string
	text func(c *conversation, size int) string
}

// cuts are the methods to compare with: three trivial ones, and one of thirty lines that extracts
// sentences.
var cuts = []cut{
	{"newest messages", newest},
	{"head and tail", headAndTail},
	{"uniform sample", uniform},
	{"greedy extract", greedy},
}

func newConversation(texts []string, sizes []int) *conversation {
	c := &conversation{texts: texts, sizes: sizes}
	for i, text := range texts {
		for _, s := range sentences(text) {
			c.sentences = append(c.sentences, s)
			c.sentenceSizes = append(c.sentenceSizes, estimate(s))
			c.from = append(c.from, i)
		}
	}
	return c
}

// sentences splits text after full stops, exclamation marks, question marks and line feeds.
func sentences(text string) (list []string) {
	from := 0
	runes := []rune(text)
	for i, c := range runes {
		wide := strings.ContainsRune("。！？।؟\n", c)
		if wide || strings.ContainsRune(".!?", c) && (i+1 == len(runes) || unicode.IsSpace(runes[i+1])) || i+1 == len(runes) {
			if s := strings.TrimSpace(string(runes[from : i+1])); s != "" {
				list = append(list, s)
			}
			from = i + 1
		}
	}
	return list
}

// join joins the chosen texts in their original order.
func join(texts []string, chosen []int) string {
	slices.Sort(chosen)
	var b strings.Builder
	for _, i := range chosen {
		b.WriteString(texts[i] + "\n")
	}
	return b.String()
}

// fits takes texts in the given order until one doesn't fit into what is left of size. It returns
// the indexes of those taken.
func fits(order, sizes []int, size int) (chosen []int) {
	for _, i := range order {
		if size -= sizes[i]; size < 0 {
			break
		}
		chosen = append(chosen, i)
	}
	return chosen
}

func newestOf(c *conversation, size int) []int {
	var order []int
	for i := range c.texts {
		order = append(order, len(c.texts)-1-i)
	}
	return fits(order, c.sizes, size)
}

func newest(c *conversation, size int) string { return join(c.texts, newestOf(c, size)) }

func headAndTail(c *conversation, size int) string {
	var order []int
	for i := range c.texts {
		order = append(order, i)
	}
	head := fits(order, c.sizes, size/2)
	used := 0
	for _, i := range head {
		used += c.sizes[i]
	}
	tail := newestOf(c, size-used)
	return join(c.texts, append(head, tail...))
}

// uniform keeps as many messages as fit, at equal distances.
func uniform(c *conversation, size int) string {
	var best []int
	for n := 1; n <= len(c.texts); n++ {
		var chosen []int
		used := 0
		for k := range n {
			i := (2*k + 1) * len(c.texts) / (2 * n)
			chosen, used = append(chosen, i), used+c.sizes[i]
		}
		if used <= size {
			best = chosen
		}
	}
	return join(c.texts, best)
}

// ranked keeps sentences in the given order of rank, and skips those that no longer fit.
func ranked(c *conversation, order []int, size int) string {
	var chosen []int
	for _, i := range order {
		if c.sentenceSizes[i] <= size {
			size -= c.sentenceSizes[i]
			chosen = append(chosen, i)
		}
	}
	return join(c.sentences, chosen)
}

// greedy keeps the newest messages in 15 % of the size, and fills the rest with the sentences that
// add the most rare words that aren't in the result yet, relative to their length.
func greedy(c *conversation, size int) string {
	tail := newestOf(c, size*15/100)
	for _, i := range tail {
		size -= c.sizes[i]
	}
	old := len(c.texts) - len(tail)
	grams := make([][]string, len(c.sentences))
	df := map[string]int{}
	for i, s := range c.sentences {
		grams[i] = rough(s)
		for _, g := range grams[i] {
			df[g]++
		}
	}
	weight := func(g string) float64 {
		w := math.Log(1 + float64(len(c.sentences))/float64(df[g]))
		if df[g] == 1 {
			w *= 0.55
		}
		return w
	}
	covered := map[string]float64{}
	gain := func(i int) float64 {
		sum := 0.0
		for _, g := range grams[i] {
			left, ok := covered[g]
			if !ok {
				left = 1
			}
			sum += weight(g) * left
		}
		s := c.sentences[i]
		if strings.ContainsFunc(s, unicode.IsDigit) {
			sum *= 1.2
		}
		if strings.ContainsAny(s, "?？؟") {
			sum *= 0.4
		}
		return sum / math.Pow(float64(max(1, c.sentenceSizes[i])), 0.7)
	}
	h := &gains{}
	for i := range c.sentences {
		if c.from[i] < old {
			*h = append(*h, gained{i, gain(i)})
		}
	}
	heap.Init(h)
	var chosen []int
	for h.Len() > 0 {
		top := (*h)[0]
		if now := gain(top.sentence); now < top.gain {
			(*h)[0].gain = now
			heap.Fix(h, 0)
			continue
		}
		heap.Pop(h)
		if c.sentenceSizes[top.sentence] > size {
			continue
		}
		size -= c.sentenceSizes[top.sentence]
		chosen = append(chosen, top.sentence)
		for _, g := range grams[top.sentence] {
			if _, ok := covered[g]; !ok {
				covered[g] = 1
			}
			covered[g] *= 0.35
		}
	}
	return join(c.sentences, chosen) + join(c.texts, tail)
}

type gained struct {
	sentence int
	gain     float64
}

// gains is a heap with the largest gain on top.
type gains []gained

func (g gains) Len() int           { return len(g) }
func (g gains) Less(a, b int) bool { return g[a].gain > g[b].gain }
func (g gains) Swap(a, b int)      { g[a], g[b] = g[b], g[a] }
func (g *gains) Push(x any)        { *g = append(*g, x.(gained)) }
func (g *gains) Pop() any {
	last := (*g)[len(*g)-1]
	*g = (*g)[:len(*g)-1]
	return last
}

// rough returns the distinct words in a sentence, or pairs of characters in scripts without spaces.
func rough(s string) (list []string) {
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) }) {
		runes := []rune(word)
		if !unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana) {
			list = append(list, word)
			continue
		}
		for i := range max(1, len(runes)-1) {
			list = append(list, string(runes[i:min(i+2, len(runes))]))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
