package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/dates"
)

// mixed returns three bodies: a dated conversation of two people who call each other by name, a session with a tool, and text.
func mixed() []Body {
	talk := []string{
		"[8 May 2023] Hi Melanie! How was the trip to Lisbon?",
		"Lovely, Caroline. We saw the blue boat leak, and the lighthouse of Cascais.",
		"Melanie, did you take the blue car or the boat?",
		"The boat, Caroline! The car has a flat tyre since March.",
		"Poor you, Melanie. My sister repairs tyres in Porto.",
		"Caroline, you are kind. Which garage is it?",
		"[12 June 2023] Melanie, it is the garage behind the old lighthouse. Ask for Ines.",
		"Thanks Caroline, Ines has repaired the car. It took an hour.",
		"Good, Melanie! Bring the boat as well; Ines repairs boats too.",
		"Caroline, the boat is sold. " + strings.Repeat("I wrote a long letter about it and about nothing else. ", 60) + "The lighthouse keeper bought the blue boat for 900 euros.",
	}
	session := `[{"role":"system","content":"You repair boats."},
		{"role":"user","content":"List the boats in boats.txt","timestamp":"2024-02-01T10:00:00Z"},
		{"role":"assistant","content":[{"type":"text","text":"I read it."},{"type":"tool_use","id":"t","name":"read","input":{"path":"boats.txt"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"blue boat: 900 euros\nred boat: 300 euros"}]},
		{"role":"assistant","content":"There are two boats, a blue one and a red one."}]`
	return []Body{chat(talk...), {Text: []byte(session)}, {Text: []byte("A note: the lighthouse is closed in winter.")}}
}

// TestScores lists the results of several kinds of queries with their scores: body.message score role date offset text.
func TestScores(t *testing.T) {
	roles := func(of ...Role) (s RoleSet) {
		for _, r := range of {
			s.Add(r)
		}
		return s
	}
	for _, c := range []struct {
		query Query
		want  string
	}{
		{Query{Text: "blue boat"}, `1.3 5742 tool 2024-2-1 0 blue boat: 900 euros red boat: 300 euros
1.4 5493 assistant 2024-2-1 0 There are two boats, a blue one and a re
0.1 5488 assistant 2023-5-8 0 Lovely, Caroline. We saw the blue boat l
0.2 5185 user 2023-5-8 0 Melanie, did you take the blue car or th
1.2 3556 assistant 2024-2-1 0 I read it. read boats.txt`},
		{Query{Text: "Who repairs boats in Porto?"}, `0.4 18965 user 2023-5-8 0 Poor you, Melanie. My sister repairs tyr
0.5 10242 assistant 2023-5-8 0 Caroline, you are kind. Which garage is
0.3 10036 assistant 2023-5-8 0 The boat, Caroline! The car has a flat t
1.1 8008 user 2024-2-1 0 List the boats in boats.txt
1.0 7444 system 0-0-0 0 You repair boats.`},
		{Query{Text: "What does Melanie say about the lighthouse?"}, `0.9 16337 assistant 2023-6-12 3157 …else. I wrote a long letter about it an
0.8 10926 user 2023-6-12 0 Good, Melanie! Bring the boat as well; I
0.6 8127 user 2023-6-12 0 [12 June 2023] Melanie, it is the garage
0.7 6647 assistant 2023-6-12 0 Thanks Caroline, Ines has repaired the c
0.2 6622 user 2023-5-8 0 Melanie, did you take the blue car or th`},
		{Query{Text: "Caroline garage"}, `0.5 12390 assistant 2023-5-8 0 Caroline, you are kind. Which garage is
0.6 10004 user 2023-6-12 0 [12 June 2023] Melanie, it is the garage
0.7 8095 assistant 2023-6-12 0 Thanks Caroline, Ines has repaired the c
0.4 6076 user 2023-5-8 0 Poor you, Melanie. My sister repairs tyr
0.3 5291 assistant 2023-5-8 0 The boat, Caroline! The car has a flat t`},
		{Query{Text: "lighthouse", Roles: roles(Assistant)}, `0.1 3329 assistant 2023-5-8 0 Lovely, Caroline. We saw the blue boat l
0.5 1650 assistant 2023-5-8 0 Caroline, you are kind. Which garage is
0.7 1650 assistant 2023-6-12 0 Thanks Caroline, Ines has repaired the c
0.9 1601 assistant 2023-6-12 3157 …else. I wrote a long letter about it an
0.3 998 assistant 2023-5-8 0 The boat, Caroline! The car has a flat t`},
		{Query{Text: "boat", Roles: roles(System, Tool)}, `1.3 1298 tool 2024-2-1 0 blue boat: 900 euros red boat: 300 euros
1.0 1206 system 0-0-0 0 You repair boats.`},
		{Query{Text: "What happened in June 2023?"}, `0.6 27414 user 2023-6-12 0 [12 June 2023] Melanie, it is the garage
0.7 12729 assistant 2023-6-12 0 Thanks Caroline, Ines has repaired the c
0.4 9439 user 2023-5-8 0 Poor you, Melanie. My sister repairs tyr
0.5 8486 assistant 2023-5-8 0 Caroline, you are kind. Which garage is
0.8 7632 user 2023-6-12 0 Good, Melanie! Bring the boat as well; I`},
		{Query{Text: "boat", After: dates.New(2023, 6, 1)}, `1.1 1305 user 2024-2-1 0 List the boats in boats.txt
1.3 1298 tool 2024-2-1 0 blue boat: 900 euros red boat: 300 euros
1.2 1201 assistant 2024-2-1 0 I read it. read boats.txt
1.4 1183 assistant 2024-2-1 0 There are two boats, a blue one and a re
0.8 951 user 2023-6-12 0 Good, Melanie! Bring the boat as well; I`},
		{Query{Text: "boat", Before: dates.New(2023, 5, 0)}, `0.3 1109 assistant 2023-5-8 0 The boat, Caroline! The car has a flat t
0.1 1104 assistant 2023-5-8 0 Lovely, Caroline. We saw the blue boat l
0.2 927 user 2023-5-8 0 Melanie, did you take the blue car or th
0.4 493 user 2023-5-8 0 Poor you, Melanie. My sister repairs tyr
0.0 490 user 2023-5-8 0 [8 May 2023] Hi Melanie! How was the tri`},
		{Query{Text: "boat", After: dates.New(2023, 6, 12), Before: dates.New(2023, 12, 31)}, `0.8 951 user 2023-6-12 0 Good, Melanie! Bring the boat as well; I
0.9 631 assistant 2023-6-12 0 Caroline, the boat is sold. I wrote a lo
0.7 443 assistant 2023-6-12 0 Thanks Caroline, Ines has repaired the c
0.6 224 user 2023-6-12 0 [12 June 2023] Melanie, it is the garage`},
		{Query{Text: "euros keeper"}, `1.3 6996 tool 2024-2-1 0 blue boat: 900 euros red boat: 300 euros
0.9 6994 assistant 2023-6-12 3157 …else. I wrote a long letter about it an
1.2 3498 assistant 2024-2-1 0 I read it. read boats.txt
1.4 3498 assistant 2024-2-1 0 There are two boats, a blue one and a re
1.1 2097 user 2024-2-1 0 List the boats in boats.txt`},
		{Query{Text: "repair"}, `0.7 5037 assistant 2023-6-12 0 Thanks Caroline, Ines has repaired the c
0.8 5037 user 2023-6-12 0 Good, Melanie! Bring the boat as well; I
1.0 3477 system 0-0-0 0 You repair boats.
0.4 3388 user 2023-5-8 0 Poor you, Melanie. My sister repairs tyr
0.5 2700 assistant 2023-5-8 0 Caroline, you are kind. Which garage is`},
		{Query{Text: "what did the user say"}, `0.2 10713 user 2023-5-8 0 Melanie, did you take the blue car or th
0.3 5455 assistant 2023-5-8 0 The boat, Caroline! The car has a flat t
0.1 5452 assistant 2023-5-8 0 Lovely, Caroline. We saw the blue boat l
0.0 4136 user 2023-5-8 0 [8 May 2023] Hi Melanie! How was the tri
0.4 3444 user 2023-5-8 0 Poor you, Melanie. My sister repairs tyr`},
		{Query{Text: "zebra"}, ``},
	} {
		var out []string
		c.query.Limit = 5
		for _, h := range run(t, c.query, mixed()...) {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%d.%d %d %s %d-%d-%d %d %.40s", h.Body, h.Index, h.Score, h.Role.Word(), h.Date.Year(), h.Date.Month(), h.Date.Day(), h.Offset, strings.ReplaceAll(h.Snippet, "\n", " "))))
		}
		if got := strings.Join(out, "\n"); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.query, got, c.want)
		}
	}
}

// TestCalledBy searches for statements of a person whom the other calls by name. n of his 12 messages contain the name, and m of the
// other's.
func TestCalledBy(t *testing.T) {
	for _, c := range []struct {
		user, assistant, want int
	}{
		{5, 0, 21}, {4, 0, 20}, {6, 0, 21}, {7, 0, 20}, {5, 1, 21}, {5, 2, 20}, {0, 5, 20}, {0, 0, 20},
	} {
		var texts []string
		for i := range 12 {
			user, assistant := "What was there to see", "There was nothing to see"
			if i < c.user {
				user += ", Melanie"
			}
			if i < c.assistant {
				assistant += ", Melanie"
			}
			if i == 10 {
				user, assistant = "The garden is green", "The garden is green"
			}
			texts = append(texts, user, assistant)
		}
		hits := run(t, Query{Text: "What does Melanie say about the garden?"}, chat(texts...))
		if hits[0].Index != c.want {
			t.Errorf("%d and %d messages have the name: %+v", c.user, c.assistant, hits[:2])
		}
	}
}
