package digest_test

import (
	"slices"
	"testing"
)

// The description of a requested thing belongs to the request and is not a rule for later work.
func TestFeatureIsNoRule(t *testing.T) {
	for text, want := range map[string][]string{
		"We want a file of alarms: a list of levels, each with a sensor; the highest level that fits counts, and the switches stay the default for the rest. Missing sensors in the file must be warnings with their place. Remember: no new sensors.": {"Remember: no new sensors."},
		"Please add an export to CSV. The columns must be in the order of the table, and never write a header twice.":                                                                                                                                  {"The columns must be in the order of the table, and never write a header twice."},
		"Build a form for orders. Every order must have a customer. The total has to include VAT. Never use floats for money.":                                                                                                                         {"Never use floats for money."},
		"Implement the importer. It should be able to read gzip. You must not touch the schema.":                                                                                                                                                       {"You must not touch the schema."},
		"The public API must stay as it is. Add a method for it.":                                                                                                                                                                                      {"The public API must stay as it is."},
		"Write the importer, please.\n\nThe staging database must not be changed.":                                                                                                                                                                     {"The staging database must not be changed."},
		"创建一个函数，用来排序订单。此外，该函数应该能够处理至少三个列表。":                                                                                                                                                                                                            nil,
		"The parser should be able to read comments.":                                                                                                                                                                                                  nil,
	} {
		if got := standing(t, text); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
}

// A sentence that can't be understood without the rule before it includes that rule, and a repetition of the rule adds
// no second line.
func TestLeaningRule(t *testing.T) {
	for _, c := range []struct{ texts, want []string }{
		{[]string{"Rules:\n1. No new packages. setup.cfg has none and stays that way.\n2. Always use tabs.", "Remember: no new packages."},
			[]string{"Rules: No new packages. setup.cfg has none and stays that way.", "Rules: Always use tabs."}},
		{[]string{"Never push to main. That is for the release bot."}, []string{"Never push to main."}},
	} {
		if got := standing(t, c.texts...); !slices.Equal(got, c.want) {
			t.Errorf("%q:\n got %q\nwant %q", c.texts, got, c.want)
		}
	}
}

// TestRequestIsNoRule tests requests for one thing, courtesies and descriptions that sound like rules or tastes.
func TestRequestIsNoRule(t *testing.T) {
	for _, text := range []string{
		"I'd like four balcony seats for Sunday's matinee.",
		"The parser only returns the last comment.",
		"All jobs in the queue are green now.",
		"I'd prefer the later of the two ferries you found.",
		"I'd like to book two sleepers to Graz, and I don't need a meal.",
		"I would like to cancel the second one, and I'd prefer a voucher for it.",
		"This is really important to me.",
		"I'm not sure that I like the cover.",
		"Could you run it again without the proxy?",
		"Can you also add 3 suitcases under my name?",
		"Always a pleasure to hear from you.",
		"Every module in this directory has a licence already.",
		"Unfortunately, that's a bit above my budget.",
		"Talk to you soon.",
		"I'm hoping you can help me with my bookings.",
		"I'm trying to find out how many bags I can take on my flight.",
		"Can you book that for me, please?",
		"can you ask me questions to get the info you need to be confident",
		"i mean specific to content not policy",
		"and we don't need the old formats this will make things too complicated",
		"Could you check your system once more and see if there is anything you can do?",
		"Can you please check again and apply that policy?",
		"Thank you for finding those. Please cancel all of them, regardless of the fee policy.",
		"Ich hätte gern drei Plätze für heute Abend.",
		"Je voudrais deux places pour ce soir.",
		"Quiero una habitación para dos noches.",
		"Vorrei tre biglietti per domani.",
		"Il doit pleuvoir demain.",
		"Mi vecino siempre llega tarde.",
		"Minha prima sempre esquece o guarda-chuva.",
		"Mio cugino arriva sempre in ritardo.",
		"No need to rush.",
		"My landlord never answers my letters.",
		"Queria três lugares para hoje à noite.",
		"Nunca estive no Porto.",
		"Non sono mai stata a Trieste.",
		"Nunca he estado en Oporto.",
		"Não se preocupe, já encontrei.",
		"Kannst du es noch einmal ohne Proxy versuchen?",
		"Попробуй ещё раз без прокси.",
		"I need somewhere quiet to stay, preferably near the harbour.",
		"I'm looking for a pottery class, preferably on a weekday.",
		"Can you find me a cheap florist, preferably in the east?",
		"I'm interested in going ahead with booking the later one.",
		"需要订个会议室，最好有投影仪。",
		"帮我找一家花店，最好离港口近一点。",
		"10点半以后吧。",
	} {
		if got := standing(t, text, "Thanks a lot."); len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestRuleByItsForm tests rules and tastes in forms without a cue, or after a perfect.
func TestRuleByItsForm(t *testing.T) {
	for _, text := range []string{
		"Wait for my approval before merging anything.",
		"Could you ask me before you commit anything?",
		"Could you ask me first?",
		"We never need more than one format.",
		"Light theme everywhere for me.",
		"I've always been fond of brass bands.",
		"I've always had a soft spot for lighthouses.",
		"I've never been able to get into opera.",
		"I find it hard to read with the radio on.",
		"My favourite way to unwind is pottery.",
		"Sono un tipo notturno.",
		"Sou fã de teatro de rua.",
		"Não sou fã de teatro de rua.",
		"Ich schwärme für alte Lokomotiven.",
		"Quiero respuestas cortas.",
		"Could you always use metric units?",
		"Responda sempre em inglês.",
		"我特别爱看老电影。",
		"Keep it short, preferably.",
		"Keep my address out of the letters.",
		"回答最好短一点。",
		"别碰 build 目录。",
		"以后请用英文回答。",
	} {
		if got := standing(t, text, "Thanks a lot."); !slices.Equal(got, []string{text}) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What somebody wants for one booking or order is not a rule for later work, even if it is worded like a rule.
func TestBookingIsNoRule(t *testing.T) {
	for _, text := range []string{
		"Hi, I have a problem with something that I ordered.", "I have a problem with my last invoice.",
		"2 nights. Hmm, no wait, let's make it 4 nights.", "We don't mind, but rather cheap please.", "We only have half an hour between the two trains.",
		"I'd prefer a later ferry.", "I would rather have a cabin with a window.",
		"又来了一个朋友，改成六个人。", "那就改成七点吧。", "最好是靠海的房间。", "最好有停车场。", "离车站近一点的最好。", "评分要4.2分以上。", "价格不要太贵。", "我喜欢第三家，就住那家吧。", "以后再说吧，先买票。", "我都要了，乘客是章晓岚。", "不是了，改成前台代收。", "把这一行改成空字符串。", "这个变量改为 total。", "이 줄을 바꿔 주세요.", "그 함수 이름을 변경해 주세요.",
		"この一行だけ「はい」に変更してください。", "cache-key が空のときは、既定の値を使うようにしてください。", "D'accord, au nom de Yves Carlier.", "Unfortunately, I am sick and cannot make the tour.", "Leider kann ich nicht kommen, ich muss arbeiten.", "我想取消周日的预订。", "为了让结果等于九，我们可以使用以下公式。",
	} {
		if got := standing(t, text); len(got) > 0 {
			t.Errorf("%q has the rules %q", text, got)
		}
	}
	for _, text := range []string{
		"I have a problem with loud restaurants.", "No waiting lists in the plan, please.", "We don't mock the database in tests.", "I'd prefer a table for every comparison.",
		"缩进改成四个空格。", "回答最好有例子。", "代码最好是英文注释。", "标题不要太长。", "我喜欢爵士乐。", "以后请用中文回答。", "这以后都改成英文。", "每次都要先跑测试。", "이 프로젝트에서는 항상 탭으로 바꿔 주세요.", "このファイル以外は変更しないでください。", "テストが失敗したときは、先に報告するようにしてください。",
		"Unfortunately you must never push to main.", "D'accord, mais ne touche jamais à la base.", "每段控制在一百字以内。", "取消之前的规则。", "回答请保持在五句以下。",
	} {
		if got := standing(t, text); len(got) != 1 {
			t.Errorf("%q has the rules %q", text, got)
		}
	}
}
