package policy

import (
	"testing"

	"github.com/ctxfold/ctxfold/core/jsonspan"
)

func TestResolveLaysThePolicyOverItsPreset(t *testing.T) {
	p, err := Resolve([]byte(`{"preset":"window-budget","window":{"tokens":200000},"gate":{"target":0.5}}`))
	if err != nil {
		t.Fatal(err)
	}
	if *p.Window.Reserve != 2048 || p.Gate.Ratio != 0.75 || p.Gate.Target != 0.5 || len(p.Passes) != 3 || p.Estimator != "runes3.6" {
		t.Errorf("%+v", p)
	}
	// S3.11
	for window, limit := range map[int]int{200000: 148464, 128000: 94464, 8192: 4608} {
		p.Window.Tokens = window
		if p.Limit() != limit {
			t.Errorf("limit %d of %d, want %d", p.Limit(), window, limit)
		}
	}
	p, err = Resolve([]byte(`{"passes":[{"pass":"clear"}]}`))
	if err != nil || len(p.Passes) != 1 || string(p.Passes[0].JSON) != `{"pass":"clear"}` {
		t.Errorf("%+v %v", p, err)
	}
}

func TestReserve(t *testing.T) {
	for _, c := range []struct {
		json   string
		usable int
	}{
		{`{"window":{"tokens":200000}}`, 200000 - 16384},
		{`{"window":{"tokens":8000}}`, 7000},
		{`{"window":{"tokens":8000,"reserve":0}}`, 8000},
		{`{"window":{"tokens":8000,"reserve":9000},"wire_safe":false}`, -1000},
	} {
		p, err := Resolve([]byte(c.json))
		if err != nil || p.Usable() != c.usable {
			t.Errorf("%s: %v %v", c.json, p, err)
		}
		if p.Limit() < 0 {
			t.Errorf("%s: limit %d", c.json, p.Limit())
		}
	}
}

func TestResolveErrors(t *testing.T) {
	for src, code := range map[string]jsonspan.Code{
		`{"preset":"x"}`:                        UnknownPreset,
		`{"presett":"x"}`:                       UnknownField,
		`{"gate":{"ratio":"1"}}`:                jsonspan.WrongType,
		`{"gate":{"ratio":0}}`:                  OutOfRange,
		`{"gate":{"ratio":1.5}}`:                OutOfRange,
		`{"gate":{"target":-1}}`:                OutOfRange,
		`{"window":{"tokens":-1}}`:              OutOfRange,
		`{"window":{"tokens":1e400}}`:           jsonspan.WrongType,
		`{"window":{"tokens":99999999999}}`:     OutOfRange,
		`{"window":{"tokens":10,"reserve":10}}`: OutOfRange,
		`{"summary":{"mode":"x"}}`:              OutOfRange,
		`{"summary":{"max_input_tokens":-5}}`:   OutOfRange,
		`{"answer":"x"}`:                        OutOfRange,
		`{"open_calls":"x"}`:                    OutOfRange,
		`{"repair":"x"}`:                        OutOfRange,
		`{"pins":[{}]}`:                         OutOfRange,
		`{"pins":[{"role":"agent"}]}`:           OutOfRange,
		`{"passes":[{"keep":1}]}`:               jsonspan.WrongType,
		`{"passes":["clear"]}`:                  jsonspan.WrongType,
		`[]`:                                    jsonspan.WrongType,
		`"default"`:                             jsonspan.WrongType,
	} {
		if _, err := Resolve([]byte(src)); err == nil || err.Code != code {
			t.Errorf("%s: %v, want %s", src, err, code)
		}
	}
}

func TestEveryPresetResolves(t *testing.T) {
	for _, p := range Presets() {
		if _, err := Resolve([]byte(`{"preset":"` + p.Name + `"}`)); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}
