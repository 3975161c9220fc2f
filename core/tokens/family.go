package tokens

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/tokens/script"
)

// families tells the family of a model's tokenizer by words in its name. The first that is found counts. What is not here
// is taken for o200k, the newest of those whose counts can be had.
var families = []struct{ word, family string }{
	{"claude", "claude"}, {"anthropic", "claude"},
	{"gpt-4o", "o200k"}, {"gpt-4.1", "o200k"}, {"gpt-4.5", "o200k"},
	{"gpt-4", "cl100k"}, {"gpt-3.5", "cl100k"}, {"gpt-35", "cl100k"}, {"text-embedding", "cl100k"},
	{"llama", "llama3"}, {"deepseek", "llama3"}, {"qwen", "cl100k"},
	{"gemini", "gemini"}, {"gemma", "gemini"},
}

// Family is the name of the family of tokenizers that a model has.
func Family(model string) string {
	model = strings.ToLower(model)
	for _, f := range families {
		if strings.Contains(model, f.word) {
			return f.family
		}
	}
	return "o200k"
}

// unitBound is the error, in percent, that nine of ten texts of some thousand bytes stay below where units are divided by a
// number: docs/TOKENS.md.
const unitBound = 60

// For returns the estimator for a model by its name, which may be empty. The estimators that count units are the same for
// all models.
func (p *Profile) For(model string) *Profile {
	own := *p
	own.Correction = Correction{Scale: unscaled, Source: Estimated}
	if p.Unit != Weight {
		own.Bound = unitBound
		return &own
	}
	f := script.ByName(Family(model))
	own.Automaton, own.Family, own.Bound = f.Automaton(), f.Name, f.Bound
	return &own
}
