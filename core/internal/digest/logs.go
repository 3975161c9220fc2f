package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// leastLog is the minimum size, in bytes, of a result that counts as a log.
const leastLog = 1000

// IsLog reports whether part n is the result of a command that successfully changed or checked something. The output of
// such a command is a log of its work rather than information that somebody asked for. In a script with several
// commands, the last one decides.
func IsLog(t *transcript.Transcript, n int32) bool {
	p := &t.Parts[n]
	if p.Pair < 0 || useOf(t.Text(t.Parts[p.Pair].Name)) != runs || p.Size.Bytes < leastLog || p.Has(transcript.IsError) {
		return false
	}
	log := false
	eachCommand(withoutFolder(commandOf(t, &t.Parts[p.Pair])), func(words []string) {
		log = kindOfWords(words) >= alters && !fetches(words)
	}, func(string) {})
	if !log {
		return false
	}
	output := ResultText(t, int(n))
	if said := strings.TrimLeft(withoutEnvelope(output), " \t\r\n"); said == "" || said[0] == '{' || said[0] == '[' && strings.HasPrefix(strings.TrimLeft(said[1:], " \t\r\n"), "{") {
		return false
	}
	exit := exitIn(output)
	return exit == "" || exit == "0"
}

// fetchers lists programs, subcommands and options of commands that change nothing, and print information that somebody
// asked for.
var fetchers = wordListOf("psql mysql curl wget ssh api plan template exec cat diff freeze doc tag ps inspect -n --dry-run --collect-only --stdout")

// fetches reports whether a command only prints information that somebody asked for, although other commands of the
// same program change something.
func fetches(words []string) bool {
	words, name := withoutLaunchers(words)
	for _, w := range words[1:min(len(words), 4)] {
		if fetchers.has(w) {
			return true
		}
	}
	return fetchers.has(name)
}
