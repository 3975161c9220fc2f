package digest

import "testing"

// A choice that somebody makes for one deal with a service is not a rule for later deals.
func TestChoicesAreNoRules(t *testing.T) {
	for _, s := range []string{
		"No, I do not want rental insurance.", "No extra luggage, thank you.", "No ticket insurance, and no luggage either, thanks.",
		"I'd prefer not to be transferred.", "No, I really don't want to be transferred to another desk.", "Thanks for the offer, but I'd rather not be transferred.",
		"I'd like to use a gift card for payment.", "I'd like to use a gift card for the ferry, and I don't need insurance.", "I'll use the Visa ending in 6437.",
		"Use my credit card ending in 1204 for any additional charges.", "Please proceed.", "Yes, please proceed with the booking.", "I only need a one-way ticket, not a return.",
		"I appreciate the suggestion, but I'd really prefer not to be transferred.", "We don't have any luggage, and I would prefer an aisle seat.",
		"I would prefer a full refund for the cabin.", "I don't want to cancel the booking, just the insurance.", "I'd prefer to pay with a voucher.",
		"I prefer to use the voucher for the payment instead.", "It's really important to me to have this cabin.", "I know the terms, but this is very important to me.",
		"I would like to upgrade the cabin for both my son and Noor.", "I would prefer a window and a middle seat that are next to each other.",
		"Nein, ich möchte keine Reiseversicherung.", "Keine Versicherung, danke.", "Ich möchte nicht weiterverbunden werden.", "Ich möchte keine Versicherung und kein Gepäck.",
		"No, no quiero seguro de viaje.", "No necesito seguro, gracias.", "Preferiría no ser transferido.", "Sin seguro, gracias.",
		"Non, je ne veux pas d'assurance.", "Pas d'assurance, merci.", "Je préférerais ne pas être transférée.",
		"不，我不想要旅行保险。", "我想用礼品卡付款。", "就用尾号6437的Visa卡吧。", "不用，谢谢，我不需要行李托运。", "我不想被转接。", "不要保险，谢谢。",
		"吃完饭我想找一家最低价格在200-300元的酒店住宿，给推荐一家吧。", "请帮我推荐一个适合散步的公园。",
	} {
		if got := statements(s, new(readRoom)); len(got) > 0 {
			t.Errorf("a choice is listed as a rule: %q", got)
		}
	}
	for _, s := range []string{
		"Never call me before ten.", "Always reply in Spanish.", "I'd like to cancel the tour, and please never call me before ten.", "I'd like to use tabs, and I don't want comments.", "I'm allergic to nuts.", "From now on I want my receipts by mail.", "I don't want to be called before ten.",
		"I prefer aisle seats.", "I never pay by credit card.", "I'd rather not be contacted by phone.", "I don't want any marketing emails.", "I only buy refundable tickets.",
		"I don't need travel insurance, and never call me before ten.", "No, I never want travel insurance.", "I always want an aisle seat.", "I don't want insurance on any of my bookings.",
		"I'd like to book a table, and I'm allergic to nuts.", "Whenever I book, use my card ending in 1204.", "I don't want the payment module touched.", "I don't want to touch the payment.",
		"I don't want you to change the booking.", "I don't want ticket numbers in commit messages.", "Always use the card component for lists.", "No global state, please.", "No, I prefer tabs.",
		"I don't eat pork.", "I don't like being transferred between desks.", "No booking without payment.", "No ticket, no merge.", "I don't want a fee in the totals.", "I always need a wheelchair at the airport.", "It's important to me that answers are short.", "I appreciate the suggestion, but I never eat meat.", "I prefer early trains.",
		"Ich möchte nie eine Versicherung.", "Ich mag keine Flüge am Morgen.", "Ruf mich nie vor zehn an.", "Antworte immer auf Spanisch.", "Ich bin allergisch gegen Nüsse.", "Keine Anrufe vor zehn.",
		"Nunca quiero seguro de viaje.", "Nunca me llames antes de las diez.", "Soy alérgico a las nueces.", "Responde siempre en español.",
		"Je ne veux jamais d'assurance.", "Réponds toujours en espagnol.", "Je suis allergique aux noix.",
		"我从来不买保险。", "以后都用礼品卡付款。", "不要改支付模块。", "别在十点前给我打电话。", "请用中文回答。", "我对坚果过敏。", "以后都用信用卡付款。", "不要删除订单。",
		"以后推荐一家餐馆就够了。",
	} {
		if got := statements(s, new(readRoom)); len(got) != 1 {
			t.Errorf("%q isn't listed as a rule: %q", s, got)
		}
	}
}

// What somebody has to do, has read, or agrees to while making a deal is not a rule.
func TestSaidForADealIsNoRule(t *testing.T) {
	for _, s := range []string{
		"I can look at that later, but I also need to change the driver to my son.", "I need to cancel the second cabin as well.", "First of all I have to reschedule the visit of your plumber.",
		"I have a warranty, and I read in your brochure that it should cover the repair.", "I was told that the fee should be refunded.",
		"If that's the only cabin, then yes, please go ahead and book it with the 40 euros on top.", "Actually, I only need a one-way ticket, not round trip.",
		"Ensure we get a window and a middle seat together.", "Sure, and once everything is ready, I'd prefer to pay with a voucher.",
		"Can you please search for other cabins on the same day within my budget?",
	} {
		if got := statements(s, new(readRoom)); len(got) > 0 {
			t.Errorf("listed as a rule: %q", got)
		}
	}
	for _, s := range []string{
		"Ensure that all answers are in English.", "I was told that you should never restart the pump, so don't.",
		"If a test fails, then stop and tell me.", "Everything should be in metric units.", "I have to avoid nuts.", "Ensure we get approval before each deployment.", "Always search the archive first.",
	} {
		if got := statements(s, new(readRoom)); len(got) != 1 {
			t.Errorf("%q isn't listed as a rule: %q", s, got)
		}
	}
}
