package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// wordSet is a set of words. The words in scripts without spaces are in signs, and are searched for as substrings.
type wordSet struct {
	*words.Set
	signs []string
}

func newWordSet(spaced, signs string) wordSet {
	return wordSet{words.NewSet(spaced), strings.Fields(signs)}
}

// in reports whether text contains one of the words. low is the text in lower case, and ws are its words.
func (s wordSet) in(low string, ws []words.Word) bool {
	for _, w := range ws {
		if w.Kind&words.Pair != 0 {
			for _, sign := range s.signs {
				if strings.Contains(low, sign) {
					return true
				}
			}
			return s.HasAny(ws)
		}
	}
	return s.HasAny(ws)
}

// Words that announce a change, and words about the speaker's home and work, in some languages that people use with
// assistants. The lists may be short, because if a change isn't recognized, both statements are simply kept.
var (
	changeWords = [...]wordSet{
		differs: newWordSet("now new anymore instead longer actually correction currently jetzt neu neue neuer neues nunmehr stattdessen mehr inzwischen maintenant nouveau nouvelle désormais finalement ahora nuevo nueva actualmente agora novo nova atualmente adesso ora nuovo nuova nu nieuw nieuwe теперь новый новая новое сейчас больше الآن جديد جديدة अब नया नई",
			"现在 現在 新的 不再 改 今は 新し 이제 새로 지금"),
		moves: newWordSet("moved moving relocated switched changed rescheduled postponed renamed replaced transferred umgezogen gezogen gewechselt verschoben verlegt geändert umbenannt déménagé changé reporté déplacé mudé mudado mudamos cambié cambiado cambiamos aplazado aplazada mudei mudou mudamos troquei adiado adiada trasferito trasferita cambiato spostato rinviato verhuisd veranderd verplaatst переехал переехала переехали сменил сменила перенесли перешёл перешла انتقلت انتقلنا تغير تأجل बदल बदला बदली",
			"搬 换 換 调到 改到 改成 推迟 引っ越 転職 変更 変わ 移っ 이사 옮겼 바꿨 바뀌 변경 연기"),
	}
	// speakers lists words for the speaker: pronouns, and verbs that imply one.
	speakers = newWordSet("i we ich wir j je nous yo nosotros vivo vivimos mudé mudamos trabajo eu moro moramos mudei trabalho io noi abito viviamo lavoro ik wij я мы أنا نحن أعيش أسكن نسكن أعمل انتقلت انتقلنا मैं हम",
		"我 私 僕 俺 저는 제가 나는 내가 우리")
	homeWords = newWordSet("live lives living reside wohne wohnen wohnt lebe habite habitons vis vivo vivimos moro moramos abito viviamo woon wonen живу живём أعيش أسكن نسكن रहता रहती रहते",
		"住 暮らし 살고 살아")
	moveWords = newWordSet("moved relocated umgezogen gezogen déménagé mudé mudamos mudei trasferito trasferita verhuisd переехал переехала переехали انتقلت انتقلنا",
		"搬到 搬去 引っ越 이사")
	workWords = newWordSet("work works working job hired employed arbeite arbeitet job stelle travaille poste trabajo trabalho lavoro werk baan работаю работает أعمل काम नौकरी",
		"工作 上班 任职 入职 働 勤め 転職 일하 직장 취직")
	// frequent lists longer words that nevertheless say nothing about the subject of a statement.
	frequent = newWordSet("the and for with that this have has had was were are you your they his her our from will just about und der die das mit den dem ein eine für ist les des une pour avec est que los las una por con para está uma com não che per una con sono het een met voor это что как для",
		"")
)
