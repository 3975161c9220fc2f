package extract

import "github.com/ctxfold/ctxfold/core/internal/words"

// selves lists the words for I, me, my, we, us and our in some languages in which people write to assistants. It
// doesn't include affixes with these meanings.
const selves = "i my me we us our ich mein meine meinen mir mich wir uns unser unsere je ma mes moi nous notre nos yo mi mis nosotros nuestra nuestro " +
	"eu meu minha meus nosso io mio mia miei noi nostro ik mijn wij я мой моя моё мои меня мне мы нас наш наша أنا نحن मैं मेरा मेरी मुझे हम हमारा"

var selfSet = words.NewSet(selves)
