package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// longestIdle is the maximum number of words in a sentence that can be a mere courtesy; longestIdleSigns is its
// maximum length in bytes in scripts without spaces.
const (
	longestIdle      = 14
	longestIdleSigns = 90
)

// idleWords lists courtesies, praise, reactions, and the small words between them. A sentence that consists only of
// these says nothing by itself ("I'll keep ya posted.").
var idleWords = words.NewExact("a about again ahead all already also always am amazing an and any anyway anything anytime are as at aw awesome aww awesomeness back bad be beautiful been best better big bit but by bye " +
	"can care catch chat cheers come congrats congratulations cool could couldn cute adorable agree agreed d day dear definitely did do does doing don done else enjoy evening ever every everything exactly excited exciting fab fantastic fine for forward from fun " +
	"get gladly glad go goes going gonna good goodbye goodness gosh got great guess ha haha had happy has have having hear hearing hello help helpful helps her here hey hi hm hmm hope how i idea if im in incredible indeed inspiring interesting is isn it its job just " +
	"keep kind know ll later let like lol look looking looks lot lots love lovely luck m make makes many may maybe me mean meet mind more morning much my need next nice night nah no nope not nothing now of off oh ok okay on one or other our out " +
	"perfect perhaps please pleased pleasure posted pretty problem proud questions quite re ready really right s safe say see seems sense so some someday something soon sorry sound sounded sounds stay such super support sure sweet t take talk talking tell thank thanks that the their them then there these they thing things think this those though thoughts time to today together too totally touch true try " +
	"understand understood until up us ve very wait want was wasn way we week weekend welcome well were what when whenever which while who whoa why will wish with without won wonderful wonder work works would wow ya yeah yep yes yet you your yours yourself yup " +
	"aber alles also auch bald bin bis bist bitte bitteschön danke dankeschön dann das dein deine denn der dich die dir doch du echt ein eine einen es freut freue für ganz gar genau gern gerne gespannt gut gute guten haha hallo hast ich ihnen immer ist ja jederzeit klar klingt kein mach mal mein mir mit morgen nacht natürlich nein nett noch nun ob oh prima recht schön schöne schönen sehr sein sicher sie so spaß stimmt super tag tja toll tschüss und uns viel viele vielen war was weiter wie wieder wir wirklich wohl wünsche zu zum " +
	"ah alors aussi avec beau beaucoup bien bientôt bon bonne bonjour bravo ce cela ça c merci d de des du elle en est et être eu fait génial grave heureux je j journée l la le les m ma mais moi mon n non nuit ne nous on ou oui parfait pas plaisir plus pour qu que quel quelle rien s salut si super sûr ta te tes toi ton très tu un une vous vraiment y " +
	"adiós ahora algo así bien buena buenas bueno buenos claro con cuenta de del día dias días el ella en encanta encantado entonces eres es eso esta está estoy fue genial gracias gusta gusto ha hasta hola igual jaja la las le lo los luego me mi mucha muchas mucho muy nada ni no noche noches nos o para pero por pronto pues que qué sí si suena suerte también te tu tus un una vale verdad y ya yo " +
	"até bem boa boas bom com da dia do e ela então era esse está eu foi gosto isso já legal lhe mais me meu muito na não nem no obrigada obrigado oi os ótimo para pelo por prazer que sim sorte tá também te tem teu tudo um uma você " +
	"anche allora bella bello bene buon buona buono che ciao come con così di è era fatto felice già grazie grande ha ho il io la lo ma mi mia mio molto ne no non per perfetto perché piacere più prego può sei sì sono ti tu tua tutto un va vero " +
	"en dag dank dat de een erg fijn ga goed graag heb heel hoi ik is ja je jij leuk maar mijn mooi nee niet nog ook oké van veel wat we wel zo " +
	"а боже большое был была было вам вас ведь все всё вот все да добрый день до за здорово здравствуйте и как класс конечно круто ладно мне много могу можно мы на надо не нет ничего но ну о ок он она они отлично очень пожалуйста пока понятно понял поняла правда привет приятно рад рада с свидания себя слава со согласен спасибо супер так там тебе тебя тоже ты у удачи уже утро хорошо хороший хорошего что это я ясно " +
	"أنا أنت الله الحمد السلام الف ألف أهلا إن اليوم بك بكل تسلم تمام جدا جميل جيد حسنا خير رائع شكرا صباح صحيح طبعا طيب عفوا على عليكم عن فعلا في كل كيف لا لك لله ما مرحبا مساء مع ممتاز من نعم هذا هل و والله يا يسعدني يعني " +
	"अच्छा अच्छी आप आपका आपको आपकी और अरे कि की के को कोई क्या खुशी खुश गया जी ठीक तो था थी दिन धन्यवाद नमस्ते नहीं ने बहुत बात बढ़िया बिल्कुल भी मुझे मैं में यह वाह शुक्रिया शुभ सच सही से हाँ हां हूँ हूं है हैं हो")

// idleSigns lists such words in scripts without spaces. A word that begins with another one comes before it.
var idleSigns = strings.Fields("不好意思 不用客气 不用谢 不客气 没关系 没问题 没事 谢谢你 谢谢您 谢谢 非常感谢 十分感谢 太感谢 感谢 多谢 麻烦你了 麻烦您了 麻烦了 麻烦你 你好 您好 早安 早上好 早呀 早 晚安 晚上好 下午好 再见 拜拜 好的好的 好的 好呀 好啊 好吧 好嘞 很好 太好了 真好 真棒 太棒了 好 明白了 明白 知道了 知道 了解了 了解 收到 可以的 可以 行的 行 嗯嗯 嗯 哦哦 哦 噢 哈哈哈 哈哈 呵呵 嘿嘿 哎呀 哇 是的 是吗 是啊 是呀 对的 对啊 对 真的吗 真的 当然可以 当然 祝您 祝你 生活愉快 玩得愉快 玩得开心 旅途愉快 游玩愉快 生活 愉快 开心 一切 顺利 需要随时找我 随时 需要 有 找我 再 辛苦了 希望对你有帮助 希望能帮到你 加油 我也是 我也一样 听你这么说 果然 你 您 了 吧 吗 啊 呢 呀 哦 的 这样 那 就 我 " +
	"ありがとうございました ありがとうございます ありがとう どういたしまして おはようございます おはよう こんにちは こんばんは おやすみなさい おやすみ お疲れ様です お疲れさま すみません ごめんなさい わかりました 分かりました 了解しました 了解です 了解 承知しました なるほど そうですね そうですか そうなんですね そうなんだ そうですよ すごいですね すごい いいですね よかったです よかった 良かった 楽しみです 楽しみ 本当ですか 本当に 本当 はい いいえ うん ええ もちろんです もちろん よろしくお願いします お願いします どうも へえ それは です ます ました ね よ か " +
	"감사합니다 고맙습니다 고마워요 고마워 안녕하세요 안녕히 안녕 네네 네 예 아니요 아뇨 알겠습니다 알겠어요 좋아요 좋네요 좋습니다 좋은 그래요 그렇군요 그렇네요 그럼요 맞아요 정말요 정말 진짜요 진짜 괜찮아요 수고하세요 물론이죠 물론 하하 ㅎㅎ ㅋㅋ 와 아 오 잘 자요 가세요 하루 되세요 요 " +
	"ขอบคุณมาก ขอบคุณ สวัสดี ครับ ค่ะ คะ ใช่ ไม่เป็นไร ดีมาก โอเค ได้ เลย นะ จ้ะ")

// idle reports whether a sentence says nothing by itself, such as a greeting.
func idle(text string, ws []words.Word) bool {
	if ws[0].Kind&words.Pair != 0 {
		return idleBySigns(text)
	}
	if len(ws) > longestIdle {
		return false
	}
	for k, w := range ws {
		switch {
		case w.Kind&(words.Digit|words.Pair) != 0:
			if !isHeart(text, w) {
				return false
			}
		case !idleWords.Has(spelled(text, w)):
			if !isAddressed(text, ws, k) {
				return false
			}
		}
	}
	return true
}

// isHeart reports whether a word is the digit of "<3".
func isHeart(text string, w words.Word) bool {
	return w.From > 0 && text[w.From-1] == '<' && text[w.From:w.End] == "3"
}

// isAddressed reports whether word k is a name with which the sentence addresses somebody: "Wow, Maria, that's cool!",
// "Thanks Maria!", "Bye Maria!".
func isAddressed(text string, ws []words.Word, k int) bool {
	w := ws[k]
	if k == 0 || w.Kind&words.Capital == 0 || isQuestion(text) || int(w.End) < len(text) && strings.IndexByte(",.!", text[w.End]) < 0 {
		return false
	}
	return strings.HasSuffix(strings.TrimRight(text[:w.From], " "), ",") || k == 1 && (fillers.Has(spelled(text, ws[0])) || len(ws) == 2 && strings.HasSuffix(text, "!") && idleWords.Has(spelled(text, ws[0])))
}

// idleBySigns is like idle, for scripts without spaces.
func idleBySigns(text string) bool {
	if len(text) > longestIdleSigns {
		return false
	}
next:
	for text != "" {
		for _, s := range idleSigns {
			if strings.HasPrefix(text, s) {
				text = text[len(s):]
				continue next
			}
		}
		r, size := utf8.DecodeRuneInString(text)
		if words.Unspaced(r) || r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9') {
			return false
		}
		text = text[size:]
	}
	return true
}
