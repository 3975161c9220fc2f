package sessionfile

import (
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// chatGroup holds messages that become one message in the tree. node is the message in the file that they were copied
// from, or noID.
type chatGroup struct {
	from, end int // the messages [from, end)
	node      int32
	id        string // of the message in the tree, as JSON
}

// save adds the messages as a new branch from the root, after all others, so that the application
// continues there. All messages of the file stay; the user reaches them with the arrows for other
// versions of a message. It fails if the file has no list of messages or there is nothing to save.
func (c *chatTree) save(s *saver) {
	var groups []chatGroup
	for i := 0; i < len(s.in.Messages); {
		g := c.group(s, i)
		groups, i = append(groups, g), g.end
	}
	if c.list.IsZero() || len(groups) == 0 {
		s.refuse("there is no list of messages in this file, or no message to save")
		return
	}
	end := int(c.list.End) - 1
	s.kept, s.out = end, nil
	if c.app == &openWebUI {
		s.kept = 0
		if c.current.End > c.list.End || c.current.IsZero() {
			s.write(c.src[:end])
		} else {
			s.write(c.src[:c.current.Start], groups[len(groups)-1].id, c.src[c.current.End:end])
		}
	}
	if c.full {
		s.write(`,`)
	}
	c.nodesOf(s, groups)
	if c.app == &openWebUI && c.current.End > c.list.End {
		s.write(c.src[end:c.current.Start], groups[len(groups)-1].id, c.src[c.current.End:])
	} else if c.app == &openWebUI && c.current.IsZero() {
		s.write(`},"currentId":`, groups[len(groups)-1].id, c.src[end+1:])
	} else {
		s.write(c.src[end:])
	}
}

// group returns the messages from index i on that become one message in the tree. These are either all messages that
// one message in the file has become, if they are in order, or a model message with the results of its calls.
func (c *chatTree) group(s *saver, i int) chatGroup {
	g := chatGroup{from: i, end: i + 1, node: noID, id: s.newID()}
	if k := s.from[i]; k >= 0 {
		if at := s.firstRecord(k); at >= 0 {
			n := &c.nodes[at]
			same := k == n.first && !n.changed && i+int(n.n) <= len(s.from)
			for d := int32(0); same && d < n.n; d++ {
				same = s.from[i+int(d)] == k+d
			}
			if same {
				g.node, g.end = at, i+int(n.n)
				return g
			}
		}
	}
	if s.role(i) == "assistant" {
		for g.end < len(s.in.Messages) && s.role(g.end) == "tool" {
			g.end++
		}
	}
	return g
}

// nodesOf writes the groups as messages of the tree, each the parent of the next.
func (c *chatTree) nodesOf(s *saver, groups []chatGroup) {
	parent := `"00000000-0000-0000-0000-000000000000"`
	if c.app == &openWebUI {
		parent = `null`
	}
	for k, g := range groups {
		time, children := s.nextTime(), ""
		if c.app == &openWebUI {
			s.writeComma(k)
			s.write(g.id, `:`)
			if k+1 < len(groups) {
				children = groups[k+1].id
			}
		} else if !c.nested {
			s.writeComma(k)
		}
		s.out = c.head(s, g, parent, time, children)
		if parent = g.id; c.nested {
			s.write(`,"children":[`)
		} else {
			s.write(`}`)
		}
	}
	for range groups {
		if c.nested {
			s.write(`]}`)
		}
	}
}

// copyRest copies the members of a message of the file that the new message shares with it: all except those of
// chatOwn.
func (c *chatTree) copyRest(s *saver, n *chatNode) {
	old, at := c.src, n.at
	if !n.children.IsZero() { // otherwise they would be read once more for each message around them
		old = appendJSON(nil, old, jsonspan.Span{Start: at.Start, End: n.children.Start}, `null`,
			jsonspan.Span{Start: n.children.End, End: at.End})
		at = jsonspan.Span{End: uint32(len(old))}
	}
	rest := appendObject(nil, old, at, chatOwn.conversionOf)
	if rest = rest[1 : len(rest)-1]; len(rest) > 0 {
		s.write(`,`, rest)
	}
}

// chatOwn lists the members of a message that are not copied, because the new message has its own or they no longer
// hold.
var chatOwn = withoutKeys("_id messageId parentMessageId createdAt updatedAt children tokenCount promptTokens id parentId childrenIds timestamp usage")

// files writes images as Open WebUI's list of files, if there are any.
func (s *saver) files(images []jsonspan.Span) {
	if len(images) == 0 {
		return
	}
	s.write(`,"files":[`)
	for k, url := range images {
		s.writeComma(k)
		s.write(`{"type":"image","url":`, url.Slice(s.in.Src), `}`)
	}
	s.write(`]`)
}

// chatSender returns LibreChat's sender for a role, as JSON, followed by the next member.
func chatSender(role string) string {
	if role == "user" {
		return `"User","isCreatedByUser":true`
	}
	return `"Assistant","isCreatedByUser":false`
}

// head writes the beginning of a message in the tree and returns the output. The closing brace is still missing. parent
// and children are ids as JSON; children may be "".
func (c *chatTree) head(s *saver, g chatGroup, parent, time, children string) []byte {
	s.write(`{"`, c.app.id, `":`, g.id, `,"`, c.app.parent, `":`, parent)
	if c.app == &openWebUI {
		s.write(`,"childrenIds":[`, children, `],"timestamp":`, millis(time)/1000)
	} else {
		s.writeText("createdAt", time)
		s.writeText("updatedAt", time)
	}
	if g.node >= 0 {
		c.copyRest(s, &c.nodes[g.node])
		return s.out
	}
	role := s.role(g.from)
	text, images := chatText(s.in.Src, s.in.Messages[g.from])
	if c.app == &openWebUI {
		s.writeText("role", role)
		s.files(images)
	} else {
		if !c.about.IsZero() {
			s.write(`,"conversationId":`, c.about)
		}
		s.write(`,"error":false,"unfinished":false,"sender":`, chatSender(role))
	}
	s.writeText(c.app.text, text)
	if role != "user" && c.Model != "" {
		s.writeText("model", c.Model)
	}
	if role != "user" && role != "system" {
		s.write(`,"`, c.app.parts, `":[`)
		c.partsOf(s, g, text)
		s.write(`]`)
	}
	return s.out
}

// partsOf writes the parts of an answer: its text, its calls, and their results.
func (c *chatTree) partsOf(s *saver, g chatGroup, text string) {
	n := 0
	if text != "" {
		n++
		if c.app == &libreChat {
			s.write(`{"type":"text","text":`, quoted(text), `}`)
		} else {
			s.write(`{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":`, quoted(text), `}]}`)
		}
	}
	var results critbit.Map[int]
	for i := g.from + 1; i < g.end; i++ {
		results.Set(textOf(s.in.Src, s.in.Messages[i], "tool_call_id"), i)
	}
	for _, call := range items(s.in.Src, find(s.in.Src, s.in.Messages[g.from], "tool_calls")) {
		s.writeComma(n)
		n++
		if c.app == &openWebUI {
			s.out = appendFilled(s.out, s.in.Src, call,
				`{"type":"function_call","status":"completed","call_id":$id?"";,"name":$function.name?"";,"arguments":$function.arguments?"";}`)
			continue
		}
		s.out = appendFilled(s.out, s.in.Src, call,
			`{"type":"tool_call","tool_call":{"type":"tool_call","progress":1,"id":$id?"";,"name":$function.name?"";,"args":$function.arguments?"";`)
		if i, answered := results.Get(textOf(s.in.Src, call, "id")); answered {
			said, _ := chatText(s.in.Src, s.in.Messages[i])
			s.writeText("output", said)
		}
		s.write(`}}`)
	}
	for i := g.from; c.app == &openWebUI && i < g.end; i++ {
		if s.role(i) == "tool" {
			s.writeComma(n)
			n++
			said, _ := chatText(s.in.Src, s.in.Messages[i])
			s.out = appendFilled(s.out, s.in.Src, s.in.Messages[i],
				`{"type":"function_call_output","status":"completed","call_id":$tool_call_id?"";,"output":`)
			s.write(`[{"type":"input_text","text":`, quoted(said), `}]}`)
		}
	}
}

// chatText returns the text of a message, with a line feed between its parts, and the spans of its images' URLs.
//
//go:noinline
func chatText(src []byte, message jsonspan.Span) (text string, images []jsonspan.Span) {
	content := find(src, message, "content")
	if !content.IsZero() && src[content.Start] == '"' {
		return jsonspan.Text(src, content), nil
	}
	var all []byte
	for _, part := range items(src, content) {
		if url := stringAt(src, part, "image_url.url"); !url.IsZero() {
			images = append(images, url)
		} else if said := textOf(src, part, "text"); said != "" {
			if all != nil {
				all = append(all, '\n')
			}
			all = append(all, said...)
		}
	}
	return string(all), images
}

// appendPreserved implements [writer]. It appends the role, texts, images, calls and ids of a
// message; only these are compared to find unchanged messages.
func (c *chatTree) appendPreserved(dst, src []byte, message jsonspan.Span, _ int) []byte {
	text, images := chatText(src, message)
	dst = appendJSON(dst, src, "\n", quoted(textOf(src, message, "role")), quoted(textOf(src, message, "tool_call_id")),
		quoted(text))
	for _, url := range images {
		dst = append(dst, url.Slice(src)...)
	}
	for _, call := range items(src, find(src, message, "tool_calls")) {
		dst = appendJSON(dst, src, quoted(textOf(src, call, "id")), quoted(textOf(src, call, "function.name")),
			quoted(textOf(src, call, "function.arguments")))
	}
	return dst
}
