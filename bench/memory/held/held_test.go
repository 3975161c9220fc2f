package held

import (
	"strings"
	"testing"
)

func TestHolds(t *testing.T) {
	far := strings.Repeat("word ", 59)
	stop := []string{"a", "the", "in"}
	for _, tt := range []struct {
		name, text, answer string
		want               bool
	}{
		{"one word", "They live in Utrecht now.", "Utrecht", true},
		{"another word", "They live in Utrechtse now.", "Utrecht", false},
		{"without its article", "It was silver: bracelets, mostly.", "a silver bracelet", true},
		{"sixty words apart", "silver " + far + "bracelet", "silver bracelet", false},
		{"fifty-nine words apart", "silver " + far[:58*5] + "bracelet", "silver bracelet", true},
		{"only words that do not count", "the in", "the", true},
		{"nothing", "text", "…", false},
		{"Chinese", "我现在是一名钢琴调音师。", "钢琴调音师", true},
		{"Chinese, other order", "调音师喜欢钢琴。", "钢琴调音师", false},
		{"Japanese, one character", "猫がいます。", "猫", true},
		{"Chinese with a number", "一共花了640欧元。", "640欧元", true},
		{"Chinese, in two pieces", "我改在3月14日，周三9:05划船。", "周三 9:05", true},
		{"Chinese, a date", "等到3月14日吧。", "3月14日", true},
		{"Chinese, another date", "等到3月15日吧。", "3月14日", false},
		{"Chinese, too far", "钢琴" + strings.Repeat("字", 99) + "调音", "钢琴 调音", false},
		{"Korean with a particle", "지금은 포르투에서 살아요.", "포르투", true},
		{"Korean with a number", "내선이 4711번으로 바뀌었어요.", "4711", true},
		{"Arabic with a preposition", "أسكن ببورتو الآن", "بورتو", true},
		{"Russian", "Живу в Казани.", "Казани", true},
		{"Hindi", "मैं पुणे में रहता हूँ।", "पुणे", true},
	} {
		if got := New(tt.text).Holds(tt.answer, stop); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
