// Command memory measures how much of a conversation is retained by compactions without a model, and writes docs/inside/memory.md (make
// bench-memory).
//
// With -part it measures one part and prints it. With CTXFOLD_CHATS it also measures the conversations in that folder,
// and prints the results.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/bench/memory/chats"
)

// options are the command's flags.
type options struct {
	root     string // of the project
	seeds    int
	language string // a code, or "" for all
	peers    bool
	verbose  bool
}

// parts are the sections of the page, in order.
var parts = []struct {
	name    string
	section func(o *options) (string, error)
}{
	{"chats", chatSection},
	{"canaries", canarySection},
	{"coding", codingSection},
	{"search", searchSection},
	{"squeeze", squeezeSection},
	{"examples", exampleSection},
}

func main() {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	o := &options{}
	part := flag.String("part", "", "measure only this part and print it: "+strings.Join(names, ", "))
	dump := flag.String("dump", "", "only write the conversations with their questions to this file")
	flag.IntVar(&o.seeds, "seeds", 2, "how many conversations of each language and kind, and sessions of each set of canaries")
	flag.StringVar(&o.language, "lang", "", "only the language with this code")
	flag.BoolVar(&o.peers, "peers", true, "measure other packages too; they run in Node")
	flag.BoolVar(&o.verbose, "v", false, "with -part canaries: print what was lost")
	flag.Parse()
	if err := run(o, *part, *dump, names); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o *options, part, dump string, names []string) error {
	var err error
	if o.root, err = root(); err != nil {
		return err
	}
	if dump != "" {
		text, err := json.MarshalIndent(o.chats(), "", " ")
		if err != nil {
			return err
		}
		return os.WriteFile(dump, text, 0o644)
	}
	if part != "" && !slices.Contains(names, part) {
		return fmt.Errorf("there is no part %q, but %s", part, strings.Join(names, ", "))
	}
	if folder := os.Getenv("CTXFOLD_CHATS"); folder != "" && cmp.Or(part, "chats") == "chats" {
		if err := o.measureExternal(folder); err != nil {
			return err
		}
	}
	page := head + readers
	for _, p := range parts {
		if part != "" && p.name != part {
			continue
		}
		fmt.Fprintln(os.Stderr, p.name)
		text, err := p.section(o)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if part != "" {
			fmt.Println(text)
			return nil
		}
		if text = strings.TrimSpace(text); text != "" {
			page += "\n" + text + "\n"
		}
	}
	return os.WriteFile(filepath.Join(o.root, "docs/inside/memory.md"), []byte(page), 0o644)
}

// root returns the folder of the project: the nearest parent with a go.mod.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("there is no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

// chats makes the conversations to measure.
func (o *options) chats() (all []*chats.Chat) {
	for _, l := range chats.Languages() {
		if o.language != "" && o.language != l.Code {
			continue
		}
		for seed := 1; seed <= o.seeds; seed++ {
			for _, assistant := range []bool{false, true} {
				all = append(all, chats.Make(l, assistant, seed, estimate))
			}
		}
	}
	return all
}

// each calls a function for every index below n, two at a time, and returns the error with the lowest index.
func each(n int, do func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	done := make(chan bool)
	const workers = 2
	for range workers {
		go func() {
			for i := range next {
				errs[i] = do(i)
			}
			done <- true
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	for range workers {
		<-done
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// table formats a table whose first column is text and whose others are numbers.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|---|%s\n", strings.Join(head, " | "), strings.Repeat("---:|", len(head)-1))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	return b.String()
}

func percent(s score) string {
	if s.asked == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", s.percent())
}
