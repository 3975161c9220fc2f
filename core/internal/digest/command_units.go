package digest

import (
	"slices"
	"strings"
)

// run is a command and its outcome, from which an entry of the log is written.
type run struct {
	script  string  // without leading cd commands
	kind    runKind // what the command is for
	exit    string  // the exit code, "failed" without one, or "" if it is unknown
	failure string  // the error message
	result  string  // what the output says about the result, if the command didn't fail
	tests   string  // the names of the tests that failed
	runs    string  // the script that a package manager says it is running
	asserts bool    // failure is what a failed test says
}

// runKind is the purpose of a command, such as a test or a commit; see the constants.
type runKind uint8

const (
	looks   runKind = iota // only prints something: not worth reporting, and no error if it finds nothing
	acts                   // anything else
	alters                 // changes files, repositories, services
	checks                 // tests, builds and linters
	commits                // git commit
)

// Lists of programs that only inspect something, of git subcommands and other words that do the same, of programs that
// change something, of programs that launch others, and of runners.
var (
	lookers = wordListOf("ls cat head tail sed nl less bat grep rg egrep fgrep ag find fd tree pwd which type whereis wc stat file du df ps " +
		"env printenv echo printf date test [ diff cmp cd true false sleep wait jq awk sort uniq cut tr xxd hexdump od strings readlink " +
		"realpath basename dirname whoami uname lsof top htop history")
	gitLooks   = wordListOf("status diff log show branch ls-files rev-parse blame grep remote fetch config describe shortlog reflog stash")
	queryWords = wordListOf("status version --version help --help list ls info show describe view logs doctor whoami ls-tree ls-remote " +
		"for-each-ref check-ignore rev-list --list which get search wait capture")
	alterers = wordListOf("rm mv cp mkdir rmdir ln chmod chown touch tee kill pkill docker kubectl helm terraform systemctl service gh glab " +
		"apt apt-get brew pip pip3 psql mysql rsync scp ssh tar unzip curl wget")
	launchers = wordListOf("sudo time timeout env xargs nohup nice command")
	runners   = wordListOf("npm pnpm yarn bun npx bunx node python python3 go cargo dotnet deno uv uvx poetry bundle rake swift zig mix composer " +
		"mise just task turbo nx pdm hatch rye pixi rush lerna gulp grunt invoke dune cabal stack")
)

// failed reports whether the command's exit code means failure.
func (r *run) failed() bool { return r.exit != "" && r.exit != "0" }

// runOf returns the run that a command and its output describe. failed means that the tool reported an error.
func runOf(script, output string, failed bool) run {
	r := run{script: withoutFolder(script), exit: exitIn(output)}
	output = withoutEnvelope(output)
	r.kind = scriptKind(r.script)
	if r.exit == "" && failed {
		r.exit = "failed"
	}
	if abandoned(output) { // the exit code means nothing
		r.exit, r.kind = "", looks
	}
	unbuilt := false // nothing but packages failed
	if r.kind == checks {
		r.runs = scriptRun(output[:min(len(output), lookResult)])
		names, count := failedTests(plainText(output))
		r.tests, unbuilt = testList(names, count), !slices.ContainsFunc(names, func(name string) bool { return !isUnbuilt(name) })
	}
	switch {
	case r.exit == "0" && !mayHide(r.script): // lines that look like those of failed tests are logged by what is tested
		r.tests = ""
	case r.tests != "" && !r.failed(), r.failsUnseen(output):
		r.exit = "failed"
	}
	if r.failed() {
		r.explain(output, unbuilt)
	} else {
		r.result = r.resultIn(output)
	}
	return r
}

// failsUnseen reports whether the output shows a failure that the exit code doesn't show, because it is unknown or may
// be that of another command.
func (r *run) failsUnseen(output string) bool {
	if r.kind != acts && r.kind != checks || r.exit != "" && !(r.exit == "0" && mayHide(r.script)) {
		return false
	}
	return r.kind == checks && endsInFailure(plainText(output)) || endsInTraceback(output) || notStarted(output)
}

// explain sets the error message of a command that failed. unbuilt means that the only tests that failed are packages
// that don't compile; the message then replaces them, because it says more.
func (r *run) explain(output string, unbuilt bool) {
	output = plainText(output)
	if r.kind == checks {
		if r.failure = testMessage(output); r.failure != "" {
			r.asserts = true
			return
		}
	}
	r.failure = withoutEnds(complaint(output), r.tests != "")
	if unbuilt && r.failure != "" {
		r.tests = ""
	}
}

// resultIn returns what the output of a command that succeeded says about its result, or "".
func (r *run) resultIn(output string) string {
	switch r.kind {
	case commits:
		result := commitOf(output)
		if pushed := pushOf(output); result != "" && pushed != "" {
			return result + "; pushed " + pushed
		}
		return result
	case alters:
		return effectOf(r.script, plainText(endsOf(output)))
	case looks:
		return countOf(r.script, plainText(output[:min(len(output), lookResult)]))
	case checks:
		return outcomeLine(plainText(output[max(0, len(output)-lookResult):]))
	}
	if len(r.script) <= maxCommand || isProbe(r.script) {
		return shortResult(output)
	}
	return ""
}

// mayHide reports whether the exit code of a script may be that of a command other than the one that matters: a filter
// after it, or a later command.
func mayHide(script string) bool { return strings.ContainsAny(script, "|;\n") }

// withoutFolder returns a script without leading cd commands. Such a command ends at "&&", ";" or the end of its line;
// a script that consists only of one is returned unchanged.
func withoutFolder(script string) string {
	for {
		script = strings.TrimSpace(script)
		if !strings.HasPrefix(script, "cd ") {
			return script
		}
		at := strings.Index(script, "&&")
		if n := strings.IndexAny(script, ";\n"); n >= 0 && (at < 0 || n < at) {
			at = n - 1
		}
		if at < 0 {
			return script
		}
		script = script[at+2:]
	}
}

// scriptKind returns the kind of the most significant command of a script.
func scriptKind(script string) (kind runKind) {
	eachCommand(script, func(words []string) { kind = max(kind, kindOfWords(words)) }, func(string) { kind = max(kind, alters) })
	return kind
}

// mostCommands is the maximum number of commands examined in a script.
const mostCommands = 32

// eachCommand calls see with the words of each command in a script, without leading variable assignments. It calls
// wrote with each file to which a command's output is redirected.
func eachCommand(script string, see func(words []string), wrote func(string)) {
	script, _ = cutHeredocs(script)
	for n := 0; len(script) > 0 && n < mostCommands; n++ {
		var words []string
		words, script = simpleCommand(script, wrote)
		for len(words) > 0 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
		if len(words) > 0 {
			see(words)
		}
	}
}

// withoutLaunchers returns the words of a command and the name of its program, without leading programs that only start
// another command ("sudo", "xargs -0").
func withoutLaunchers(words []string) (rest []string, name string) {
	name = words[0][strings.LastIndexByte(words[0], '/')+1:]
	for len(words) > 1 && launchers.has(name) {
		words = words[1:]
		for len(words) > 1 && (words[0] == "" || words[0][0] == '-' || exitOf(words[0]) != "") { // options of the launcher
			words = words[1:]
		}
		name = words[0]
	}
	return words, name
}

// kindOfGit returns the kind of a git command. The first word without a hyphen determines it.
func kindOfGit(words []string) runKind {
	for _, w := range words[1:] {
		switch {
		case strings.HasPrefix(w, "-"):
		case w == "commit":
			return commits
		case gitLooks.has(w):
			return looks
		default:
			return alters
		}
	}
	return looks
}

// kindOfWords returns the kind of a command, or of the one that it runs in a container or a worktree.
func kindOfWords(words []string) runKind {
	if len(words) > 1 && words[0] == "command" && lower(words[1]) == "-v" { // only asks for the program's path
		return looks
	}
	words, _ = withoutLaunchers(words)
	kind, known := kindOfProgram(words)
	if inner := wrappedIn(words); !known && inner != nil {
		kind, _ = kindOfProgram(inner)
	}
	return kind
}

// kindOfProgram returns the kind of a command by its program. known is false if the program is unknown.
func kindOfProgram(words []string) (kind runKind, known bool) {
	words, name := withoutLaunchers(words)
	for _, w := range words[1:min(len(words), 4)] {
		if queryWords.has(w) {
			return looks, true
		}
	}
	switch {
	case len(words) == 2 && (words[1] == "-v" || words[1] == "-h") && checkers.Row(name) == 0: // of a test runner, -v means verbose
		return looks, true
	case name == "git":
		return kindOfGit(words), true
	case isManual(words, name):
		return looks, true
	case alterers.has(name), name == "sed" && editsInPlace(words):
		return alters, true
	case name == "sed":
		return looks, true
	case checkOf(name, words) > 0:
		return checks, true
	case runners.has(name):
		return acts, true
	case lookers.has(name):
		return looks, true
	}
	return acts, false
}

// wrappedIn returns the words of the command that another one runs in a container or a worktree ("workon kiln -- git
// diff"), if it is one of a known program that inspects something, or of git. Otherwise it returns nil.
func wrappedIn(words []string) []string {
	if at := slices.Index(words, "--"); at > 0 && at+1 < len(words) && (words[at+1] == "git" || lookers.has(words[at+1])) {
		return words[at+1:]
	}
	return nil
}

// failedIn reports whether the text of an entry says that a command failed.
func failedIn(text string) bool {
	return strings.Contains(text, exitArrow) || strings.Contains(text, failedArrow) || strings.Contains(text, commitFailed)
}

// The texts with which an entry says that a command failed: before the exit code, if there is none, and before the error
// of a commit.
const (
	exitArrow    = " → exit "
	failedArrow  = " → failed"
	commitFailed = ", which failed: "
)

// withoutDocs returns a script without its heredocs. If other commands follow, it also omits a first line that writes a
// heredoc to a file.
func withoutDocs(script string) string {
	script, docs := cutHeredocs(script)
	if docs == nil {
		return script
	}
	if line, rest, found := strings.Cut(script, "\n"); found && strings.Contains(line, "cat >") && strings.TrimSpace(rest) != "" {
		return strings.TrimSpace(rest)
	}
	return strings.TrimSpace(script)
}

// withoutLooks returns a script without inspecting commands at the end: "npm test | tail -5"
// becomes "npm test". A script that begins with a loop, a condition or a group is returned
// unchanged, and so is one in which all commands inspect something.
func withoutLooks(script string) string {
	for _, head := range []string{"for ", "while ", "if ", "(", "{", "case "} {
		if strings.HasPrefix(script, head) {
			return script
		}
	}
	end := 0
	for rest := script; len(rest) > 0; {
		var words []string
		at := len(script) - len(rest)
		words, rest = simpleCommand(rest, func(string) {})
		for len(words) > 0 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
		if len(words) > 0 && kindOfWords(words) > looks {
			if end = len(script) - len(rest); rest != "" || strings.ContainsAny(script[end-1:], ";|&\n") {
				end = max(at, end-1)
			}
		}
	}
	if end == 0 {
		return script
	}
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(script[:end], " \n&|;"), "2>&1"), " \n&|;")
}

// scriptVerb precedes the comment that describes a script.
const scriptVerb = "ran a script: "

// skipsHooks is the git option for making a commit without running hooks. The reader should know
// that it was used.
const skipsHooks = " --no-verify"

// commitText returns a description of a commit with the given message for an entry.
func (r *run) commitText(message string) string {
	if r.failed() {
		return "tried to commit “" + Fence(message) + "”" + commitFailed + Fence(clipLine(r.failure, quotedChange))
	}
	text := "committed “" + Fence(message) + "”"
	if r.result != "" {
		text += " (" + Fence(r.result) + ")"
	}
	if strings.Contains(r.script, skipsHooks) {
		text += " with" + skipsHooks
	}
	return text
}

// text returns a description of a command and its outcome for an entry.
func (r *run) text() string {
	if r.kind == commits {
		if message := commitMessage(r.script); message != "" {
			return r.commitText(message)
		}
	}
	script := r.script
	if comment, rest, found := strings.Cut(script, "\n"); found && strings.HasPrefix(comment, "# ") && len(rest) > quotedLine {
		script = comment // the comment describes a long script better
	} else {
		script = withoutDocs(script)
	}
	script = withoutLooks(script)
	text := "ran "
	if said, found := strings.CutPrefix(script, "# "); found {
		text, script = scriptVerb, said
	}
	text += codeQuote(Fence(clipWords(scriptOnOneLine(script), quotedLine+30)))
	if r.runs != "" {
		text += " (runs " + codeQuote(Fence(clipLine(r.runs, quotedLine))) + ")"
	}
	return text + r.outcomeText()
}

// outcomeText returns what follows a command in an entry: " → passed", " → exit 1: the error message". It is "" if
// nothing is known.
func (r *run) outcomeText() string {
	text := ""
	switch {
	case r.exit == "failed":
		text = failedArrow
	case r.failed():
		text = exitArrow + r.exit
	case r.result != "":
		return " → " + Fence(r.result)
	case r.exit == "0" && r.kind == checks:
		return " → passed"
	case r.exit == "0" && r.kind == alters && !strings.Contains(r.script, "|| true") && !strings.Contains(r.script, "--dry-run"):
		return " → ok"
	}
	if r.tests != "" {
		text += ": " + Fence(r.tests)
	}
	if r.failure != "" {
		text += ": " + Fence(clipLine(r.failure, quotedChange))
	}
	return text
}
