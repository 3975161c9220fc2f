package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold/api"
)

// redactFlag is the flag --redact, which may be repeated. It is a pflag.Value.
type redactFlag []*regexp.Regexp

// String returns the patterns, separated by spaces.
func (r *redactFlag) String() string {
	patterns := make([]string, len(*r))
	for i, each := range *r {
		patterns[i] = each.String()
	}
	return strings.Join(patterns, " ")
}

// Set adds a pattern. It returns an error if the pattern is invalid, or also matches the empty text.
func (r *redactFlag) Set(pattern string) error {
	compiled, err := regexp.Compile(pattern)
	if err == nil && compiled.MatchString("") {
		err = fmt.Errorf("it also matches no text at all")
	}
	if err == nil {
		*r = append(*r, compiled)
	}
	return err
}

// Type returns the placeholder of the value for the help text.
func (r *redactFlag) Type() string { return "REGEXP" }

func (r *redactFlag) register(c *cobra.Command) {
	c.Flags().Var(r, "redact", "a regular `REGEXP` for what summaries, digests and archives must not have, such as 'sk-[A-Za-z0-9]{20,}'; may be repeated")
}

// find returns a function that finds all matches of the patterns in text, or nil if there are no patterns.
func (r redactFlag) find() func(text string) []api.Redaction {
	if len(r) == 0 {
		return nil
	}
	return func(text string) (found []api.Redaction) {
		for _, pattern := range r {
			for _, match := range pattern.FindAllString(text, -1) {
				found = append(found, api.Redaction{Text: match})
			}
		}
		return found
	}
}
