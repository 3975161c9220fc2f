package policy

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestKnownPrices(t *testing.T) {
	for name, want := range map[string][4]float64{
		"claude-opus-4-8":               {5, 25, 0.5, 6.25},
		"anthropic/claude-opus-4.8":     {5, 25, 0.5, 6.25},
		"claude-sonnet-5-5-20261001":    {2, 10, 0.1, 2.5},
		"openai/gpt-5.4-mini":           {0.75, 4.5, 0.075, 0.75},
		"gpt-5.4":                       {2.5, 15, 0.25, 2.5},
		"models/gemini-2.5-flash-lite":  {0.1, 0.4, 0.01, 0.1},
		"deepseek-v4-pro":               {1.32, 3.96, 0.044, 1.32},
		"us.anthropic.claude-opus-5-v1": {5, 25, 0.5, 6.25},
	} {
		p := Policy{Model: name}
		got := p.KnownPrices()
		if got == nil {
			t.Errorf("%s: no prices", name)
		} else if row := [4]float64{got.Input, got.Output, *got.CacheRead, *got.CacheWrite}; row != want {
			t.Errorf("%s: %v, want %v", name, row, want)
		}
	}
	for _, name := range []string{"o1-mini", "kimi-k3.1", "gpt-4.5-preview", "", "my-gpt-5.4", "gpt-50", "claude", "an-unknown-model"} {
		if got := (&Policy{Model: name}).KnownPrices(); got != nil {
			t.Errorf("%q: %+v, want no prices", name, got)
		}
	}
	own := &Prices{Input: 7}
	if got := (&Policy{Model: "gpt-5.4", Prices: own}).KnownPrices(); got != own {
		t.Errorf("%+v, want the policy's own prices", got)
	}
	no := false
	if got := (&Policy{Model: "gpt-5.4", WireSafe: &no}).KnownPrices(); got != nil {
		t.Errorf("a published system: %+v, want no prices", got)
	}
}

// The table matches prices.json, which has the date and the version of the catalogue that `make models` reads.
func TestPricesAreGenerated(t *testing.T) {
	src, err := os.ReadFile("prices.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Date, Source string
		Models       map[string]Prices
	}
	if err := json.Unmarshal(src, &list); err != nil {
		t.Fatal(err)
	}
	targets, err := os.ReadFile("../../../bench/targets.mk")
	if err != nil {
		t.Fatal(err)
	}
	catalogue := regexp.MustCompile(`(?m)^CATALOGUE +:= (\S+)@(\S+)\nCATALOGUE_DATE := (\S+)$`).FindSubmatch(targets)
	if catalogue == nil || list.Date != string(catalogue[3]) || !strings.HasSuffix(list.Source, fmt.Sprintf("/%s/v/%s", catalogue[1], catalogue[2])) || len(list.Models) != len(listPrices) {
		t.Errorf("date %q, source %q, %d prices and a table of %d", list.Date, list.Source, len(list.Models), len(listPrices))
	}
	for name, want := range list.Models {
		if _, known := published(name); !known {
			t.Errorf("%s has a price, and no window in models.json", name)
		}
		got := (&Policy{Model: name}).KnownPrices()
		if got == nil || got.Input != want.Input || got.Output != want.Output || *got.CacheRead != *want.CacheRead || *got.CacheWrite != *want.CacheWrite {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
