package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/bench/memory/canaries"
	"github.com/ctxfold/ctxfold/bench/memory/chats"
	"github.com/ctxfold/ctxfold/bench/memory/held"
)

// head is the beginning of the page.
const head = `# Memory

For anyone who asks how much a compaction without a model remembers: the local digest, ` + "`search`" + ` and ` + "`squeeze`" + `, measured.
[Digests](../guides/digests.md) describes what they do. ` + "`make bench-memory`" + ` writes this page.

A generator (` + "`bench/memory`" + `) makes the conversations and statements from its own templates, which were written without looking at how digests
choose. The same seed makes the same conversation. Sizes are tokens, estimated for o200k.
`

// readers is what human and model readers knew after a compaction. It is written by hand, because their answers cannot
// be reproduced by code.
//
//go:embed readers.md
var readers string

// chatSection measures conversations between people and returns their section of the page.
func chatSection(o *options) (string, error) {
	results, err := o.measureChats(o.chats())
	if err != nil {
		return "", err
	}
	messages, tokens, questions, changed, pruned := 0, 0, 0, 0, 0
	most, least := 0, 1<<30
	codes := map[string]bool{}
	for _, r := range results {
		n := len(r.chat.Messages)
		most, least = max(most, n), min(least, n)
		codes[r.chat.Language.Code] = true
		messages, tokens, questions, pruned = messages+n, tokens+r.tokens, questions+len(r.chat.Questions), pruned+r.pruned
		for _, q := range r.chat.Questions {
			if len(q.Stale) > 0 {
				changed++
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `## Chats

%d conversations in %d languages, half of two people and half of a user and an assistant: %d to %d messages, %s tokens on average, over
some months, with dates in their text or metadata. People talk about themselves (where they live and work, what things cost, whom they met, when
they see the dentist), change their plans, and chat. %s questions cover about half of what
they say; %s of these facts change on the way; then the newest answer counts.

An answer is *held* if all its content words are within %d words of each other in what remains: the digest and the kept messages.
In scripts without spaces, every two neighbouring characters must be within %d. Each conversation is compacted once, by the preset
`+"`default`"+` with `+"`\"summary\":{\"mode\":\"local\"}`"+`. *20 %% left* is a window whose target is a fifth of the conversation; the windows below
have the default reserve. The column *left* is what really remained. The other methods get exactly that many tokens.

%s
*Newest messages*, *head and tail* and *uniform sample* take whole messages. *Greedy extract* is thirty lines of code: sentences by the rarity of
words that no chosen sentence has, relative to length, plus the newest messages in 15 %% of the room. *TextRank* is the package `+"`ts-textrank`"+`
over sentences and words of `+"`Intl.Segmenter`"+`; `+"`trimMessages`"+` is LangChain's with the strategy `+"`last`"+`; *pi* is the cut that its
compaction makes, without the model's summary. All versions are in `+"`bench/package.json`"+`.`, len(results), len(codes), least, most, thousands(tokens/max(1, len(results))), thousands(questions), thousands(changed), held.Words, held.Characters, chatTable(results, o.peers))
	if o.peers {
		fmt.Fprintf(&b, ` `+"`pruneMessages`"+` of the AI SDK removes reasoning and tool calls:
it keeps %.0f %% of these messages.`, 100*float64(pruned)/float64(max(1, messages)))
	}
	fmt.Fprintf(&b, `

Facts that changed:

%s
By language:

%s
### Your own texts

`+"`CTXFOLD_CHATS=folder make bench-memory`"+` also measures your conversations and prints the table. The folder has JSON files with lists of

`+"```json"+`
[{"messages": [{"role": "user", "content": "I moved to Porto in May."}, {"role": "assistant", "content": "How is it?"}],
  "questions": [{"question": "Where does the user live?", "answer": "Porto", "evidence": [0]}]}]
`+"```"+`

`+"`evidence`"+` has the indexes of the messages with the answer. A content may be a list of parts. `+"`go run ./bench/memory -dump chats.json`"+` writes
the generated conversations in the same form.
`, changedTable(results), languageTable(results))
	return b.String(), nil
}

// measureExternal prints the measurements of the conversations in a folder.
func (o *options) measureExternal(folder string) error {
	var english *chats.Language
	for _, l := range chats.Languages() {
		if l.Code == "en" {
			english = l
		}
	}
	list, err := external(folder, english)
	if err != nil {
		return err
	}
	results, err := o.measureChats(list)
	if err != nil {
		return err
	}
	var whole score
	questions := 0
	for _, r := range results {
		whole.plus(r.whole)
		questions += len(r.chat.Questions)
	}
	fmt.Printf("%s: %d conversations, %d questions; all of the text holds %s\n\n%s\n", folder, len(results), questions, percent(whole), chatTable(results, o.peers))
	if canSearch() {
		found, err := searchAll(list)
		if err != nil {
			return err
		}
		fmt.Println(searchTable([]string{"all"}, []searched{found}))
	}
	return nil
}

// canarySection returns the section on how many of twenty statements are retained after five compactions.
func canarySection(o *options) (string, error) {
	all, err := o.measureAllCanaries()
	if err != nil {
		return "", err
	}
	if o.verbose {
		for _, r := range all {
			for _, c := range r.lost {
				fmt.Printf("%d, %s: lost %s %q of %q\n", r.window, r.set.Name(), c.Kind, c.Key, c.Text)
			}
		}
	}
	return fmt.Sprintf(`## Rules, facts and goals over five compactions

In each session somebody says twenty things, one every one to three turns: four safety rules, four hard constraints, four preferences, four facts
and four goals, each in different words, inside another message or alone. Ordinary turns follow: a coding agent with tool calls, or small talk with
an assistant. After the last statement the session continues until it has been compacted %d times more, each time because it exceeds
its limit. A statement is held if its key phrase is in what remains. %d sets of statements, %d sessions of each.

%s
By set, where rules are safety rules, constraints and preferences:

%s`, rounds, len(canaries.Sets()), o.seeds, kindTable(all), setTable(all)), nil
}

// sessionName matches the name of a session file in the first column of a table.
var sessionName = regexp.MustCompile(`(?m)^\| (claude_code|codex|derived|openai_chat|gemini_cli|cline|openhands|pi|swe_agent|inspect_ai)/[^ ]*( at \d+ %)? \|`)

// agents maps the folders of recorded sessions to the agents' names.
var agents = map[string]string{
	"claude_code": "Claude Code", "codex": "Codex", "derived": "pi", "openai_chat": "mini-swe-agent", "gemini_cli": "Gemini CLI",
	"cline": "Cline", "openhands": "OpenHands", "pi": "pi", "swe_agent": "SWE-agent", "inspect_ai": "Inspect",
}

// codingSection returns the section with the tables of make bench-digest, whose tests measure real sessions.
func codingSection(o *options) (string, error) {
	var tables []string
	for _, name := range []string{"retention.md", "chain.md"} {
		text, err := os.ReadFile(filepath.Join(o.root, "build", name))
		if os.IsNotExist(err) {
			return "## Coding sessions\n\n`make bench-memory` measures them where the real sessions are.\n", nil
		}
		if err != nil {
			return "", err
		}
		tables = append(tables, strings.TrimSpace(sessionName.ReplaceAllStringFunc(string(text), func(cell string) string {
			parts := sessionName.FindStringSubmatch(cell)
			return "| " + agents[parts[1]] + parts[2] + " |"
		})))
	}
	return `## Coding sessions

Real sessions of coding agents. Facts are paths, addresses, identifiers, numbers, errors and the user's requests, found by code that doesn't know
how digests are made. Each session is cut at 50 % and 80 %. The facts before the cut that later messages use count.

` + tables[0] + `

Ten consecutive compactions, in a window of a sixth of the session: the facts that later messages use, in the transcript after the last
compaction, and the mean over all.

` + tables[1] + "\n", nil
}

// searchSection returns the section on the operation search.
func searchSection(o *options) (string, error) {
	if !canSearch() {
		return "## Search\n\nThis build has no operation `search`.\n", nil
	}
	list := o.chats()
	var names []string
	var rows []searched
	all := newSearched()
	for at := 0; at < len(list); {
		name, from := list[at].Language.Name, at
		for at < len(list) && list[at].Language.Name == name {
			at++
		}
		found, err := searchAll(list[from:at])
		if err != nil {
			return "", err
		}
		all.plus(found)
		names, rows = append(names, name), append(rows, found)
	}
	return fmt.Sprintf(`## Search

The conversations of the first section, searched with each of their questions. Most questions name a thing or a person from the message
("When does Marisol see the notary?"), but so do other messages. The rest use other words ("Which city does Marisol live in now?" for "These days
home is Leuven"). The table counts the messages with the answer among the first that `+"`search`"+` finds.

%s`, searchTable(append(names, "all"), append(rows, all))), nil
}

// searchAll returns the sums of the search results over several conversations.
func searchAll(list []*chats.Chat) (searched, error) {
	all := newSearched()
	parts := make([]searched, len(list))
	err := each(len(list), func(i int) (err error) {
		parts[i], err = measureSearch(list[i])
		return err
	})
	for _, p := range parts {
		if p != nil {
			all.plus(p)
		}
	}
	return all, err
}

func searchTable(names []string, rows []searched) string {
	head := []string{"language"}
	for _, what := range []string{"named: among ", "other words: among "} {
		for _, n := range foundAt {
			head = append(head, what+fmt.Sprint(n))
		}
	}
	shown := []string{head[0]}
	groups := 0
	for _, column := range []int{0, len(foundAt)} {
		if slices.ContainsFunc(rows, func(r searched) bool { return r[column].asked > 0 }) {
			groups++
		}
	}
	cells := make([][]string, len(rows))
	for i := range rows {
		cells[i] = []string{names[i]}
	}
	for column, name := range head[1:] {
		if !slices.ContainsFunc(rows, func(r searched) bool { return r[column].asked > 0 }) {
			continue // there are no such questions
		}
		if groups == 1 { // questions without groups
			_, name, _ = strings.Cut(name, ": ")
		}
		shown = append(shown, name)
		for i, r := range rows {
			cells[i] = append(cells[i], percent(r[column]))
		}
	}
	return table(shown, cells)
}

// squeezeSection returns the section with the table that the test of squeeze wrote to the file named by CTXFOLD_SQUEEZE.
func squeezeSection(*options) (string, error) {
	file := os.Getenv("CTXFOLD_SQUEEZE")
	text, err := os.ReadFile(file)
	if file == "" || os.IsNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return "## Squeeze\n\nTool results of real sessions, shortened by the pass `squeeze` before anything is cleared or folded.\n\n" + strings.TrimSpace(string(text)) + "\n", nil
}
