package digest

import "testing"

// What people want to do once is not a rule, in any language. What they want something to be like is one.
func TestWishesToDoSomethingAreNoRules(t *testing.T) {
	for _, s := range []string{
		"Guten Tag, ich möchte mein Fahrrad zur Wartung bringen, ein blaues.", "Ich möchte zwei Karten umtauschen.",
		"Buenas tardes, quiero alquilar un coche en Sevilla para el lunes.", "Hola, me gustaría cambiar la fecha del vuelo.", "Necesito devolver unas botas.",
		"Bonjour, je voudrais louer une salle à Nantes pour samedi.", "J'aimerais déplacer mon rendez-vous.",
		"Buongiorno, vorrei prenotare un tavolo per domenica.", "Olá, gostaria de remarcar a consulta.", "Quero comprar dois bilhetes para Braga.",
		"مرحبا، أريد حجز طاولة في مطعم المرسى.", "السلام عليكم، أريد إلغاء الطلب.", "नमस्ते, मुझे कानपुर के लिए दो टिकट चाहिए।", "12 मई को दोपहर 3 बजे।",
		"Además quiero darme de alta en octubre.", "لا، أفضل يوم الاثنين.", "أريد موعدا عند طبيب القلب.",
		"朝食は7時半にしてください。", "住三晚，每晚450元以内。", "每人90元以内的套餐。",
	} {
		if got := statements(s, new(readRoom)); len(got) > 0 {
			t.Errorf("a request is listed as a rule: %q", got)
		}
	}
	for _, s := range []string{
		"Ich möchte immer am Gang sitzen.", "Ich möchte kurze Antworten.", "Ich möchte geduzt werden.", "Ich möchte keine Anrufe bekommen.",
		"Quiero respuestas cortas.", "No quiero recibir llamadas.", "Siempre quiero sentarme junto a la ventana.", "Quiero reservar una mesa, y soy alérgico a las nueces.",
		"Je voudrais des réponses courtes.", "Vorrei risposte brevi.", "Quiero informes breves.", "أفضل الإجابات القصيرة.", "Quero respostas curtas.", "Vorrei evitare i piatti con le noci.",
		"أريد إجابات قصيرة.", "मुझे हमेशा खिड़की वाली सीट चाहिए।", "हर दिन सुबह याद दिलाना।",
		"回答は日本語にしてください。", "毎朝7時にしてください。", "回答请控制在100字以内。",
	} {
		if got := statements(s, new(readRoom)); len(got) != 1 {
			t.Errorf("%q isn't listed as a rule: %q", s, got)
		}
	}
}
