package digest

import (
	"strings"
	"unicode"
)

// chatter lists the words of messages in which users only praise, thank, greet or wait.
var chatter = wordListOf("wow ok okay k kk yo hey hi hello thanks thank you thx ty nice cool great perfect awesome amazing excellent good job work well done lol haha hah jesus damn " +
	"sweet neat lovely brilliant love it are a the best monster legend so much very there still ping test hmm hm oh ah yay yeah yes that's thats is this super fantastic beautiful " +
	"danke super toll gut prima klasse hallo merci bravo génial salut gracias genial hola obrigado grazie ciao спасибо отлично круто привет")

// chatterSigns lists the beginnings of messages in Chinese, Japanese and Korean that contain only praise, thanks or a
// greeting.
var chatterSigns = []string{"谢谢", "太好了", "你好", "不错", "厉害", "ありがとう", "すごい", "감사합니다", "고마워"}

// longestChatter is the maximum length, in bytes, of a message that can be chatter.
const longestChatter = 40

// isChatter reports whether a user message contains only praise, thanks, a greeting or a word like "still". A question
// never is.
func isChatter(asked string) bool {
	if len(asked) > longestChatter || strings.ContainsAny(asked, "?？`\n") {
		return false
	}
	for _, sign := range chatterSigns {
		if strings.HasPrefix(asked, sign) && len(asked) < len(sign)+9 {
			return true
		}
	}
	found := false
	for word := range strings.FieldsFuncSeq(lower(asked), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		if found = true; !chatter.has(word) {
			return false
		}
	}
	return found
}
