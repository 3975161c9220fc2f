package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// checkKinds is a set of kinds of checks: bit 1 means tests, bit 2 linters and formatters, bit 3 type checks, bit 4
// builds, bit 5 commands whose names don't say what they check, and bit 6 installations.
type checkKinds uint8

// plainCheck is the kind for commands whose names don't say what they check.
const plainCheck checkKinds = 1 << 5

// checkSets is the number of possible sets of kinds.
const checkSets = 1 << 7

// buildRow is the row of build programs, which can also run other checks ("make test").
const buildRow = 4

// testChecks is the set of kinds for a command that runs only tests.
const testChecks checkKinds = 1 << 1

// checkers lists programs that check something. checking lists words that denote a check after the name of a runner
// ("npm run lint"). The numbers of their rows are those of the kinds; checkers has no rows for the last two kinds.
var (
	checkers = words.NewTable("pytest jest vitest mocha ctest tox nox rspec phpunit playwright cypress",
		"eslint biome prettier ruff flake8 black staticcheck golangci-lint rubocop shellcheck", "tsc tsgo mypy", "make cmake gradle gradlew mvn mvnw ant sbt bazel ninja meson xcodebuild msbuild")
	checking = words.NewTable("test tests ci e2e pytest unittest jest vitest", "lint vet format fmt clippy eslint biome", "typecheck tsc tsgo", "build compile",
		"check verify", "install")
)

// checkOf returns the kind of check that a command performs, as a row number, or 0 if it performs none. name is the
// name of the command's program.
func checkOf(name string, words []string) int {
	row := checkers.Row(name)
	if row == 0 && !runners.has(name) || row > 0 && row != buildRow {
		return row
	}
	for _, w := range words[1:min(len(words), 5)] {
		for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return r == ':' || r == '-' || r == '/' }) {
			if row := checking.Row(part); row > 0 {
				return row
			}
		}
	}
	return row
}

// checksIn returns the kinds of checks that a script runs.
func checksIn(script string) (kinds checkKinds) {
	eachCommand(script, func(words []string) {
		if words, name := withoutLaunchers(words); kindOfWords(words) == checks {
			kinds |= 1 << checkOf(name, words)
		}
	}, func(string) {})
	return kinds
}

// checkedPart returns the part of a script that determines its result: from the first to the last check of the last
// command list that contains one, or the whole script if it has no check. For example, "sed -i s/a/b/ x.go && go build
// ./...; echo done" becomes "go build ./...". If a later list runs a program of the kind acts, which may be what
// failed, behind is the rest of the script from there on. Other commands, such as echo and rm, don't count.
func checkedPart(script string) (part, behind string) {
	bare, _ := cutHeredocs(script)
	from, to, inList := 0, 0, false
	for rest, n := bare, 0; len(rest) > 0 && n < mostCommands; n++ {
		at := len(bare) - len(rest)
		var words []string
		words, rest = simpleCommand(rest, func(string) {})
		for len(words) > 0 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
		end := len(bare) - len(rest)
		if len(words) > 0 && kindOfWords(words) == checks {
			if !inList {
				from, inList = at, true
			}
			to, behind = end, ""
		} else if len(words) > 0 && to > 0 && !inList && behind == "" && kindOfWords(words) == acts {
			behind = strings.TrimSpace(bare[at:])
		}
		inList = inList && (bare[end-1] != ';' && bare[end-1] != '\n')
	}
	if to == 0 {
		return script, ""
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimRight(bare[from:to], " \n&|;"), "2>&1")), behind
}

// covers reports whether a passing check of the kinds k shows that an earlier failure of the kinds other is fixed. It
// returns false if other includes tests, because some tests may pass while others still fail. A check of no particular
// kind ("npm run check") usually runs the linter and the type check.
func (k checkKinds) covers(other checkKinds) bool {
	if k&plainCheck != 0 {
		k |= 1<<2 | 1<<3
	}
	return other != 0 && other&^k == 0 && other&testChecks == 0
}
