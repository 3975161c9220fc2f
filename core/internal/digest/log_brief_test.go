package digest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// If a session has so many short requests that they don't all fit, the digest names the topic of almost every turn, and
// the numbers in short answers, instead of only the newest requests.
func TestManyShortRequests(t *testing.T) {
	for _, c := range []struct {
		size               int
		ask, tell, price   string
		found, about, once string
		topics             []string
	}{
		{1700, "Could you explain to me how %s works?", "%s has a long history, and there are many ways to look at it. Most people begin with the parts that can be seen from outside, and only later ask what happens within, which takes more time.",
			"How much is a lesson about %s?", "A lesson about %s costs %d dollars.", "find_price", "Please write down that I am interested in %s.",
			strings.Fields("beekeeping glassblowing falconry bookbinding letterpress thatching weaving carillons astrolabes zithers sundials lacquering quilting topiary fencing origami cooperage batik marquetry origins puppetry saddlery tanning gilding engraving fresco mosaic enamel pottery")},
		{1900, "你能给我讲一讲%s是怎么回事吗？", "%s有很长的历史，可以从许多方面来看。大多数人先看外面能看到的部分，后来才会问里面发生了什么，这要花更多的时间，也需要有人在旁边指点，不然很容易弄错顺序。",
			"学一次%s要多少钱？", "学一次%s的费用是%d元。", "find_price", "请记下我对%s感兴趣。",
			strings.Fields("养蜂 吹玻璃 驯鹰 装订 活字印刷 铺茅草 织布 编钟 星盘 古筝 日晷 漆器 绗缝 盆景 击剑 折纸 箍桶 蜡染 镶嵌 皮影 马鞍 鞣革 贴金 篆刻 壁画 珐琅 陶艺 竹编 剪纸")},
	} {
		var list []map[string]any
		say := func(role, text string) { list = append(list, map[string]any{"role": role, "content": text}) }
		var results []string
		for i, topic := range c.topics {
			switch {
			case i%7 == 3:
				say("user", fmt.Sprintf(c.price, topic))
				id := fmt.Sprint("c", i)
				list = append(list, map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": id, "type": "function", "function": map[string]string{"name": c.about, "arguments": "{}"}}}},
					map[string]any{"role": "tool", "tool_call_id": id, "content": fmt.Sprintf(`{"price":%d}`, 1234+i)})
				say("assistant", fmt.Sprintf(c.found, topic, 1234+i))
				results = append(results, fmt.Sprint(1234+i))
			case i == 5:
				say("user", fmt.Sprintf(c.once, topic))
				say("assistant", "OK.")
			default:
				say("user", fmt.Sprintf(c.ask, topic))
				say("assistant", fmt.Sprintf(c.tell, topic))
			}
		}
		src, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		tr, seq := read(t, "openai-chat", string(src))
		l := &digest.Ledger{}
		l.Add(tr, seq)
		text := digest.NewExtract(tr, seq, "", l).Digest(c.size)
		named := 0
		for _, topic := range c.topics {
			if strings.Contains(text, topic) {
				named++
			}
		}
		for _, want := range results {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing", want)
			}
		}
		if named*10 < len(c.topics)*9 || len(text) > c.size {
			t.Errorf("%d of %d topics in %d bytes:\n%s", named, len(c.topics), len(text), text)
		}
		tr, seq = read(t, "openai-chat", `[{"role":"user","content":"Which of these is the cheapest?"},`+
			`{"role":"assistant","content":"","tool_calls":[{"id":"d","type":"function","function":{"name":"compare","arguments":"{}"}}]},{"role":"tool","tool_call_id":"d","content":"{}"},{"role":"assistant","content":"I can't tell yet."}]`)
		l.Add(tr, seq)
		again := digest.NewExtract(tr, seq, text, l).Digest(c.size)
		if !strings.Contains(again, fmt.Sprintf("[%d] user: Which of", len(c.topics)+1)) || !strings.Contains(again, results[0]) || !strings.Contains(again, c.topics[11]) {
			t.Errorf("the next digest:\n%s", again)
		}
	}
}

// Where many requests are alike, one that says more than they do isn't cut to a few words like them.
func TestStatementsAmongShortRequests(t *testing.T) {
	var list []map[string]any
	said := map[int]string{
		4:  "The kiln belongs to a monastery near Bregenz, which pays the gas.",
		11: "Mondays are for Wanda's glazing course, nobody else may enter the hall then.",
		19: "What counts in the end is a catalogue that the abbot can print himself.",
	}
	for i := range 60 {
		text := fmt.Sprintf("How many degrees had kiln %d of hall %d?", 100+i*7, i%9)
		if s := said[i]; s != "" {
			text = s + " " + text
		}
		list = append(list, map[string]any{"role": "user", "content": text}, map[string]any{"role": "assistant", "content": fmt.Sprintf("It had %d degrees.", 600+i)})
	}
	src, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	tr, seq := read(t, "openai-chat", string(src))
	l := &digest.Ledger{}
	l.Add(tr, seq)
	text := digest.NewExtract(tr, seq, "", l).Digest(3000)
	for _, want := range []string{"monastery near Bregenz", "Wanda's glazing course", "a catalogue that the abbot can print"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}
