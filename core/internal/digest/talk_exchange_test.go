package digest_test

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// chineseService is a dialogue about three matters. In each, the user chooses one of several offers.
var chineseService = []string{
	"你好，请帮我推荐一家能修手表的店，要2小时内修好的。", "有两家，柳河钟表店、松山钟表店，都很不错的。",
	"听起来不错，松山钟表店的地址是哪里？", "地址是青石路14号，祝您生活愉快！",
	"那这家店能刷卡吗？", "可以。",
	"嗯嗯，知道了，谢谢！", "不客气。",
	"你好，我想找个游泳馆，票价30-50元的，麻烦你了。", "推荐您去云台游泳馆。",
	"好的，它的电话是多少？", "电话是5550128。",
	"太好了，这个游泳馆周边有餐馆吗？", "抱歉，周边没有餐馆的。",
	"您好，哪里可以租到儿童自行车？", "您可以去白桦租车行，每天25元。",
	"行，租一辆，把它的营业时间告诉我吧。", "营业时间是9:30-18:00。",
	"收到，非常感谢！", "祝您旅途愉快！",
}

func TestAChineseRequestKeepsItsAnswer(t *testing.T) {
	text := digestOf(t, "", 700, chineseService...)
	for _, want := range []string{"能修手表的店，要2小时内修好的 → 有两家，松山钟表店；地址是青石路14号", "那这家店能刷卡 → 可以", "云台游泳馆；电话是5550128；", "周边没有餐馆", "白桦租车行，每天25元；营业时间是9:30-18:00"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	for _, idle := range []string{"旅途愉快", "谢", "不客气", "柳河", "听起来", "电话是多少"} {
		if strings.Contains(text, idle) {
			t.Errorf("%q is left:\n%s", idle, text)
		}
	}
	if n := strings.Count(text, "\n"); n != 3 {
		t.Errorf("%d line ends, not one line for each request:\n%s", n, text)
	}
}

// However small the digest is, an answer that depends on its head never comes without it.
func TestAnswersNeverLackTheirHead(t *testing.T) {
	for size := 100; size <= 700; size += 25 {
		for line := range strings.Lines(digestOf(t, "", size, chineseService...)) {
			for part, head := range map[string]string{"青石路": "松山", "能刷卡": "松山", "5550128": "云台", "9:30": "白桦"} {
				if strings.Contains(line, part) && !strings.Contains(line, head) {
					t.Errorf("in %d bytes, %q lacks %q", size, line, head)
				}
			}
		}
	}
}

// An answer about something that a later answer named, not the head, never comes without the line that names it.
func TestAnswersNeverLackWhatNamesThem(t *testing.T) {
	chat := append(slices.Clone(chineseService[:4]),
		"这家店附近有喝茶的地方吗？", "有的，您可以去竹影茶楼。", "好的，它的电话是多少？", "电话是5557731。", "嗯，那里人均消费多少呢？", "人均消费是86元。")
	chat = append(chat, chineseService[8:]...)
	shown := 0
	for size := 100; size <= 900; size += 25 {
		for line := range strings.Lines(digestOf(t, "", size, chat...)) {
			for _, part := range []string{"5557731", "86元"} {
				if strings.Contains(line, part) {
					if shown++; !strings.Contains(line, "竹影") {
						t.Errorf("in %d bytes, %q doesn't say what %s belongs to", size, line, part)
					}
				}
			}
		}
	}
	if shown == 0 {
		t.Error("no digest has the answers")
	}
}

// A request for another thing that enumerates what it should have is not about the thing before it, nor are the answers
// after it.
func TestAnswersBelongToTheNewestRequest(t *testing.T) {
	chat := append(slices.Clone(chineseService),
		"你好，我想找个评分4分以上的公园散步。", "推荐您去云杉公园。", "这个公园的电话是多少？", "电话是5552209。",
		"好的，请给我推荐一家人均60元以上有凉拌木耳、烤鱼这两道菜的餐馆用餐。", "抱歉，推荐您去人均54元的石桥饭店用餐。", "这家餐馆的地址在哪啊？", "地址在北堤路19号(近旧码头)。", "好的，谢谢你了。", "不客气。")
	shown := 0
	for size := 100; size <= 900; size += 25 {
		for line := range strings.Lines(digestOf(t, "", size, chat...)) {
			if strings.Contains(line, "北堤路") {
				if shown++; !strings.Contains(line, "石桥") || strings.Contains(line, "云杉") {
					t.Errorf("in %d bytes: %s", size, line)
				}
			}
		}
	}
	if shown == 0 {
		t.Error("no digest has the address")
	}
}

// Friends who talk in Chinese are no service.
func TestChineseFriendsAreNoService(t *testing.T) {
	var chat []string
	for _, day := range []string{"1", "2", "3", "4"} {
		chat = append(chat, day+"号我和姐姐去了海边，风很大。", "真羡慕，我"+day+"号一直在家里画画。", "我养的猫叫豆豆，今年"+day+"岁了。", "豆豆一定很可爱，我家的狗叫阿黄。")
	}
	if text := digestOf(t, "", 400, chat...); strings.Contains(text, " → ") {
		t.Errorf("messages were joined:\n%s", text)
	}
}

func TestServicesOfRandomSigns(t *testing.T) {
	signs := []rune("你您好请帮我推荐一家那这是有的了吧吗？，。、（）\n ,1元店址은かをまで\xffa“”!")
	r := rand.New(rand.NewSource(11))
	for range 300 {
		var chat []string
		for range 12 + r.Intn(8) {
			var b strings.Builder
			b.WriteString("请")
			for range r.Intn(30) {
				b.WriteRune(signs[r.Intn(len(signs))])
			}
			b.WriteString("1吗？")
			chat = append(chat, b.String(), b.String()[len("请"):len(b.String())-len("吗？")]+"店")
		}
		size := 60 + r.Intn(600)
		if text := digestOf(t, "", size, chat...); len(text) > 3*size+400 {
			t.Fatalf("%d bytes in place of %d", len(text), size)
		}
	}
}
