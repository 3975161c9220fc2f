package digest

import "strings"

// Limits for a sentence that asserts something before it asks a question: the minimum numbers of words before the
// question and in the question. Fewer words before the question are only a greeting ("Hey Mia, …"), and a shorter
// question only asks for confirmation ("…, isn't it?").
const (
	leastAsserted = 3
	leastAsked    = 3
)

// asserted returns the length, in bytes, of the assertion at the beginning of a question: "Mia is allergic to walnuts"
// in "Mia is allergic to walnuts, does that matter?". It returns 0 if s isn't a question, asserts nothing, or asks
// under a condition ("If it rains, do I water?").
func asserted(s string, ws []word) int {
	if !isQuestion(s) {
		return 0
	}
	at := 0
	for at < len(ws) && ws[at].is(conjunctions) {
		at++
	}
	if at == len(ws) || ws[at].is(askers|conditions) {
		return 0
	}
	for i := at + leastAsserted; i+leastAsked <= len(ws); i++ {
		first := i
		for first < len(ws) && ws[first].is(conjunctions) {
			first++
		}
		if !ws[i].breaks || ws[i].quoted || first+leastAsked > len(ws) || !ws[first].is(askers) {
			continue
		}
		return len(strings.TrimRight(s[:ws[i].at], " \t,;:–—-，；：、"))
	}
	return 0
}
