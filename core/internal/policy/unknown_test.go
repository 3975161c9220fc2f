package policy

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
)

// TestOptionKeys requires all keys of options in the list from which a misspelt one gets its suggestion.
func TestOptionKeys(t *testing.T) {
	var all []string
	var add func(of reflect.Type)
	add = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			return
		}
		for field := range of.Fields() {
			if key, _, _ := strings.Cut(field.Tag.Get("json"), ","); key != "" && key != "-" {
				all = append(all, key)
				add(field.Type)
			}
		}
	}
	add(reflect.TypeFor[api.Options]())
	if slices.Sort(all); len(all) < 30 {
		t.Fatalf("only %d keys", len(all))
	}
	if want := strings.Join(slices.Compact(all), " "); optionKeys != want {
		t.Errorf("the keys are\n%s\nnot\n%s", want, optionKeys)
	}
}
