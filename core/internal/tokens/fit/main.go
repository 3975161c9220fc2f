// Command fit fits the weights of the script estimator to true token counts, and writes the table and a report.
//
//	fit -table core/tokens/script/weights.go -report bench/tokens/report.md FOLDER...
//	fit -keep -judge FOLDER -report build/report.md FOLDER...
//
// A folder contains texts, named KIND-NUMBER.txt, with the counts that count.mjs wrote for them. The report is about
// texts that weights are not fitted to: those with an odd number, and those of the folder for evaluation.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ctxfold/ctxfold/core/internal/tokens/script"
)

// text holds a text with its true counts and the estimates to compare.
type text struct {
	name, kind string             // its file, and its kind by the folder
	bytes      int                // its length
	true       map[string]float64 // the true count in tokens, by tokenizer
	features   []uint32           // how often each feature occurs
	fitted     bool               // whether the weights are fitted to it, or it is held out
	body       []byte             // the text
}

var (
	table  = flag.String("table", "", "where to write the weights")
	report = flag.String("report", "", "where to write the report")
	judge  = flag.String("judge", "", "a folder with texts of others, to judge by")
	keep   = flag.Bool("keep", false, "report on the weights as they are, and fit none")
	rounds = flag.Int("rounds", 5, "how often texts that are far off are made to count for more")
	far    = flag.Float64("far", 0.03, "the error at which a text counts twice")
	under  = flag.Float64("under", 2.5, "how much more a text counts that is too low")
	much   = flag.Float64("much", 0.13, "the error from which on a text that is too low counts for more and more")
	ridge  = flag.Float64("ridge", 1e-5, "how strongly a weight is held to that of its group")
)

// encodings lists the tokenizers that weights are fitted to, by the name of their family.
var encodings = []string{"o200k", "cl100k", "claude", "llama3", "gemini"}

func main() {
	flag.Parse()
	var texts []*text
	runs := map[string]map[string]float64{}
	for _, folder := range flag.Args() {
		texts = append(texts, load(folder)...)
		if b, err := os.ReadFile(filepath.Join(folder, "runs.json")); err == nil {
			must(json.Unmarshal(b, &runs))
		}
	}
	var fit []*text
	for _, t := range texts {
		if t.fitted {
			fit = append(fit, t)
		}
	}
	tables := map[string]string{}
	var all sync.WaitGroup
	var lock sync.Mutex
	for _, e := range encodings {
		all.Go(func() {
			table := script.ByName(e).Table
			if !*keep {
				table = fitted(fit, runs, e)
			}
			lock.Lock()
			defer lock.Unlock()
			tables[e] = table
		})
	}
	all.Wait()
	if *table != "" {
		must(os.WriteFile(*table, writeTable(tables, texts), 0o644))
	}
	var held, others []*text
	for _, t := range texts {
		if !t.fitted {
			held = append(held, t)
		}
	}
	if *judge != "" {
		others = load(*judge)
	}
	r := writeReport(tables, held, others, len(fit))
	if *report != "" {
		must(os.WriteFile(*report, []byte(r), 0o644))
	} else {
		fmt.Print(r)
	}
}

// fitted returns the table of weights that fits the texts. It is a string with one code per weight, as script.New reads
// it. runs has the true counts of long runs of one character.
func fitted(texts []*text, runs map[string]map[string]float64, encoding string) string {
	w := solve(texts, encoding)
	codes := make([]byte, 0, len(w)+script.Runs)
	for _, x := range w {
		codes = append(codes, script.Code(x))
	}
	log.Printf("%s: fitted on %d texts", encoding, len(texts))
	return string(append(codes, runCodes(runs, encoding)...))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// load reads the texts in a folder that have counts. Texts with an even number in their name are those that are fitted.
// If a file can't be read, the program ends.
func load(folder string) (texts []*text) {
	b, err := os.ReadFile(filepath.Join(folder, "counts.json"))
	must(err)
	var counts map[string]map[string]float64
	must(json.Unmarshal(b, &counts))
	names, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	must(err)
	for _, name := range names {
		body, err := os.ReadFile(name)
		must(err)
		base := filepath.Base(name)
		kind, number, _ := strings.Cut(strings.TrimSuffix(base, ".txt"), "-")
		t := &text{name: base, kind: kind, bytes: len(body), true: counts[base],
			features: make([]uint32, script.Features()), body: body}
		t.fitted = (number[len(number)-1]-'0')%2 == 0
		if t.true == nil {
			continue
		}
		script.Count(body, t.features)
		texts = append(texts, t)
	}
	return texts
}

// solve finds the nonnegative weights that minimize the sum of squared relative errors over the texts. A weight is
// drawn towards that of its group, which is computed first in the same way. Then the weights are computed again, with
// more influence for texts with large errors: more for those that are estimated too low, and most for those that are
// estimated much too low. encoding names the tokenizer.
func solve(texts []*text, encoding string) []float64 {
	groups := script.Groups()
	number := map[int]int{}
	for _, g := range groups {
		if _, ok := number[g]; !ok {
			number[g] = len(number)
		}
	}
	kinds := map[string]float64{}
	for _, t := range texts {
		kinds[t.kind]++
	}
	coarse := make([][]float64, len(texts))
	fine := make([][]float64, len(texts))
	weights := make([]float64, len(texts))
	for i, t := range texts {
		coarse[i], fine[i] = make([]float64, len(number)), make([]float64, len(groups))
		for f, n := range t.features {
			x := float64(n) / t.true[encoding]
			fine[i][f] = x
			coarse[i][number[groups[f]]] += x
		}
		weights[i] = 1 / math.Sqrt(kinds[t.kind])
	}
	start := make([]float64, len(number))
	for i := range start {
		start[i] = 0.3
	}
	group := nnls(coarse, weights, start, start, 1e-6)
	prior := make([]float64, len(groups))
	for f, g := range groups {
		prior[f] = group[number[g]]
	}
	w := nnls(fine, weights, prior, prior, *ridge)
	for range *rounds {
		again := make([]float64, len(texts))
		for i, row := range fine {
			e := -1.0
			for j, x := range row {
				e += x * w[j]
			}
			again[i] = weights[i] * (1 + math.Abs(e) / *far)
			if e < 0 {
				again[i] *= *under * max(1, e*e / *much / *much)
			}
		}
		w = nnls(fine, again, prior, w, *ridge)
	}
	return w
}

// nnls returns the w that minimizes the sum over rows of weight × (row·w − 1)² plus ridge times the
// sum of weights × |w − prior|², for w ≥ 0, by coordinate descent from start.
func nnls(rows [][]float64, weights, prior, start []float64, ridge float64) []float64 {
	n := len(prior)
	gram := make([][]float64, n)
	for i := range gram {
		gram[i] = make([]float64, n)
	}
	w := append([]float64(nil), start...)
	gradient := make([]float64, n) // of half of the sum, at w
	hold := 0.0
	for k, row := range rows {
		var at []int
		sum := -1.0
		for j, x := range row {
			if x != 0 {
				at = append(at, j)
				sum += x * w[j]
			}
		}
		for _, i := range at {
			x := weights[k] * row[i]
			gradient[i] += x * sum
			for _, j := range at {
				gram[i][j] += x * row[j]
			}
		}
		hold += ridge * weights[k]
	}
	for i := range gram {
		gram[i][i] += hold
		gradient[i] += hold * (w[i] - prior[i])
	}
	for range 1500 {
		most := 0.0
		for i := range w {
			next := max(0, w[i]-gradient[i]/gram[i][i])
			if d := next - w[i]; d != 0 {
				w[i] = next
				for j, g := range gram[i] {
					gradient[j] += g * d
				}
				most = max(most, d, -d)
			}
		}
		if most < 1e-5 {
			break
		}
	}
	return w
}

// runCodes returns the codes for long runs of a character of each class. runs has, by character and tokenizer, the
// tokens of 1,600 of them.
func runCodes(runs map[string]map[string]float64, encoding string) []byte {
	sum, n := make([]float64, script.Runs), make([]float64, script.Runs)
	all, many := 0.0, 0.0
	for char, counts := range runs {
		c, x := script.Class(char), counts[encoding]/1600
		sum[c] += x
		n[c]++
		all += x
		many++
	}
	codes := make([]byte, script.Runs)
	for c := range codes {
		x := all / many
		if n[c] > 0 {
			x = sum[c] / n[c]
		}
		codes[c] = max(1, script.Code(x))
	}
	return codes
}
