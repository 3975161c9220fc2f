// Package promptcache simulates a provider's prompt cache for tests. It counts how many tokens of a request are read from the cache
// under the rules of Anthropic, OpenAI and similar servers: minimum sizes, lifetimes, and the changes that invalidate a cached prefix.
package promptcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// The caches' limits. Anthropic accepts 4 breakpoints, caches the prefix up to each of them if it has at least 1,024
// tokens (more with some models), and looks for a cached prefix up to 20 blocks before a breakpoint. OpenAI caches in
// steps of 128 tokens from 1,024 tokens on.
const (
	leastTokens = 1024
	lookBack    = 20
	mostMarks   = 4
	step        = 128
	charsPerTok = 4
	lifetime    = 5 * time.Minute
)

// Cache is the prompt cache of one model. The zero value is empty.
type Cache struct {
	Now     func() time.Time
	entries map[[sha256.Size]byte]time.Time
}

// Count is a provider's token count for a request.
type Count struct{ Input, Read, Write int }

// Share returns the share of the input that was read from the cache, from 0 to 1.
func (c Count) Share() float64 { return float64(c.Read) / float64(max(1, c.Input+c.Read+c.Write)) }

// Add adds another count.
func (c *Count) Add(o Count) {
	c.Input, c.Read, c.Write = c.Input+o.Input, c.Read+o.Read, c.Write+o.Write
}

// block is a piece of a request, at the end of which a cached prefix can end.
type block struct {
	text string
	ttl  string // the lifetime of its breakpoint; "" if it has none
}

// blocksOf splits a request body into blocks in the order in which a model sees them: tools, system prompt, messages.
// With Anthropic, the tool choice and the thinking mode are not part of the prompt, but a change of them invalidates
// the cache of the messages; they become a block before the messages. marked is true for Anthropic.
func blocksOf(body []byte, marked bool) (blocks []block, err error) {
	var b struct {
		Tools        []json.RawMessage
		System       json.RawMessage
		Instructions json.RawMessage
		Choice       json.RawMessage `json:"tool_choice"`
		Thinking     json.RawMessage
		Format       json.RawMessage `json:"response_format"`
		Messages     []map[string]json.RawMessage
		Input        json.RawMessage
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, err
	}
	add := func(where string, value json.RawMessage) {
		text, ttl := plain(value)
		blocks = append(blocks, block{where + text, ttl})
	}
	for _, tool := range b.Tools {
		add("tool ", tool)
	}
	var parts []json.RawMessage
	if json.Unmarshal(b.System, &parts) != nil {
		parts = []json.RawMessage{b.System}
	}
	for _, part := range append(parts, b.Instructions) {
		if len(part) > 0 {
			add("system ", part)
		}
	}
	if marked {
		blocks = append(blocks, block{text: "asked " + string(b.Choice) + string(b.Thinking)})
	} else if len(b.Format) > 0 {
		add("format ", b.Format)
	}
	messages := b.Messages
	if len(b.Input) > 0 && json.Unmarshal(b.Input, &messages) != nil {
		add("message ", b.Input)
	}
	for _, m := range messages {
		var content []json.RawMessage
		if json.Unmarshal(m["content"], &content) != nil {
			content = []json.RawMessage{fmt.Appendf(nil, `{"type":"text","text":%s}`, m["content"])}
		}
		if m["content"] == nil {
			content = nil
		}
		for _, part := range content {
			add("message "+string(m["role"])+string(m["tool_call_id"]), part)
		}
		rest := maps.Clone(m)
		delete(rest, "content")
		delete(rest, "role")
		if len(rest) > 0 {
			text, _ := json.Marshal(rest)
			blocks = append(blocks, block{text: "rest " + string(text)})
		}
	}
	return blocks, nil
}

// plain returns a part without its breakpoint, and the breakpoint's lifetime.
func plain(part json.RawMessage) (text, ttl string) {
	var m map[string]json.RawMessage
	if json.Unmarshal(part, &m) != nil {
		return string(part), ""
	}
	if mark := m["cache_control"]; mark != nil {
		ttl = "5m"
		if bytes.Contains(mark, []byte(`"1h"`)) {
			ttl = "1h"
		}
		delete(m, "cache_control")
	}
	out, _ := json.Marshal(m)
	return string(out), ttl
}

// Messages counts the tokens of a request to Anthropic's Messages API, and caches the prefixes up to its breakpoints. If the provider
// would reject the request, it returns the provider's error.
func (c *Cache) Messages(body []byte) (n Count, err error) {
	blocks, err := blocksOf(body, true)
	if err != nil {
		return n, err
	}
	sums, keys := prefixes(blocks)
	var marks []int
	short := false
	for i, b := range blocks {
		if b.ttl != "" {
			marks = append(marks, i)
			if short && b.ttl == "1h" {
				return n, fmt.Errorf("a 1-hour cache breakpoint follows a 5-minute one")
			}
			short = short || b.ttl == "5m"
		}
	}
	total := sums[len(sums)-1]
	if len(marks) > mostMarks {
		return n, fmt.Errorf("a maximum of %d blocks with cache_control may be provided, found %d", mostMarks, len(marks))
	}
	read := 0
	for _, at := range slices.Backward(marks) {
		for i := at; i >= 0 && i > at-lookBack && read == 0; i-- {
			if c.has(keys[i]) {
				read = sums[i]
			}
		}
	}
	end := read
	for _, at := range marks {
		if sums[at] >= leastTokens {
			c.keep(keys[at])
			end = max(end, sums[at])
		}
	}
	return Count{Input: total - end, Read: read, Write: end - read}, nil
}

// Automatic counts the tokens of a request to a provider that caches without breakpoints, and caches the request's prefixes.
func (c *Cache) Automatic(body []byte) (n Count, err error) {
	blocks, err := blocksOf(body, false)
	if err != nil {
		return n, err
	}
	var text []byte
	for _, b := range blocks {
		text = append(append(text, b.text...), '\n')
	}
	total, read := len(text)/charsPerTok, 0
	hash := sha256.New()
	for at := 0; (at+step)*charsPerTok <= len(text); at += step {
		hash.Write(text[at*charsPerTok : (at+step)*charsPerTok])
		if at+step < leastTokens {
			continue
		}
		key := [sha256.Size]byte(hash.Sum(nil))
		if c.has(key) {
			read = at + step
		}
		c.keep(key)
	}
	return Count{Input: total - read, Read: read}, nil
}

// prefixes returns, for each block, how many tokens the request has up to the block's end, and a key for that prefix
// of the request.
func prefixes(blocks []block) (sums []int, keys [][sha256.Size]byte) {
	hash, size := sha256.New(), 0
	for _, b := range blocks {
		hash.Write([]byte(b.text + "\n"))
		size += len(b.text)
		sums, keys = append(sums, size/charsPerTok), append(keys, [sha256.Size]byte(hash.Sum(nil)))
	}
	return sums, keys
}

func (c *Cache) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// has reports whether a prefix is cached. Reading it extends its lifetime.
func (c *Cache) has(key [sha256.Size]byte) bool {
	until, found := c.entries[key]
	if found = found && c.now().Before(until); found {
		c.keep(key)
	}
	return found
}

func (c *Cache) keep(key [sha256.Size]byte) {
	if c.entries == nil {
		c.entries = map[[sha256.Size]byte]time.Time{}
	}
	c.entries[key] = c.now().Add(lifetime)
}
