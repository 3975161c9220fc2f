package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// patchFiles holds the patches that scripts wrote to files, by path as given in the script. Such a patch has no effect
// until a script applies it.
type patchFiles struct{ files critbit.Map[string] }

// patchRefusals lists phrases, in lower case, with which programs report that a patch was not applied.
var patchRefusals = substringsOf("malformed patch|patch does not apply|patch failed|corrupt patch|only garbage was found|can't find file to patch|failed at |invalid patch|" +
	"verification failed|failed to find expected lines|failed to find context|no such file or directory")

// ran calls applied for each patch that a script applies, unless the output of the script says that this failed. It
// also stores the patches that the script writes to files.
func (p *patchFiles) ran(script string, output func() string, applied func(patch string)) {
	var patches []string
	if strings.Contains(script, "<<") {
		rest := withoutWritten(script, func(path, body string) {
			if isPatch(body) {
				p.files.Set(strings.Clone(path), body)
			}
		})
		_, docs := cutHeredocs(rest)
		patches = append(patches, slices.DeleteFunc(docs, func(doc string) bool { return !isPatch(doc) })...)
	}
	if p.files.Len() > 0 {
		eachCommand(script, func(words []string) { patches = append(patches, p.appliedBy(words)...) }, func(string) {})
	}
	if len(patches) == 0 || patchRefusals.inAnyCase(output()) {
		return
	}
	for _, patch := range patches {
		applied(patch)
	}
}

// appliedBy returns the text of the known patches that a patch or git apply command applies. It
// returns nil for any other command, and if the command only checks or reverts patches.
func (p *patchFiles) appliedBy(words []string) (patches []string) {
	if words[0] != "patch" && !(len(words) > 2 && words[0] == "git" && words[1] == "apply") {
		return nil
	}
	for _, w := range words {
		switch w {
		case "-R", "--reverse", "--dry-run", "--check", "--stat", "--numstat", "--summary":
			return nil
		}
		if patch, found := p.files.Get(w); found {
			patches = append(patches, patch)
		}
	}
	return patches
}

// isPatch reports whether text is a patch, that is, names the files that it changes.
func isPatch(text string) bool {
	found := false
	patchedFiles(text, func(string) { found = true })
	return found
}
