package main

import (
	"strings"
	"testing"
)

const events = `{"Action":"start","Package":"x/core"}
{"Action":"run","Package":"x/core","Test":"TestA"}
{"Action":"output","Package":"x/core","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"x/core","Test":"TestA","Output":"    a_test.go:3: fine\n"}
{"Action":"pass","Package":"x/core","Test":"TestA","Elapsed":1.254}
{"Action":"output","Package":"x/core","Test":"TestB","Output":"    data.go:7: no real sessions\n"}
{"Action":"skip","Package":"x/core","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"x/core","Test":"TestC/one","Output":"    c_test.go:9: it broke\n"}
{"Action":"fail","Package":"x/core","Test":"TestC/one","Elapsed":0.1}
{"Action":"fail","Package":"x/core","Test":"TestC","Elapsed":2}
{"Action":"output","Package":"x/core","Output":"FAIL\tx/core\t3.4s\n"}
{"Action":"fail","Package":"x/core","Elapsed":3.4}
{"ImportPath":"x/host","Action":"build-output","Output":"host.go:1: undefined: y\n"}
go: a line of the go command
`

func TestFilter(t *testing.T) {
	var out, times strings.Builder
	if err := filter(strings.NewReader(events), &out, &times); err != nil {
		t.Fatal(err)
	}
	if want := "    c_test.go:9: it broke\nFAIL\tx/core\t3.4s\nhost.go:1: undefined: y\ngo: a line of the go command\n"; out.String() != want {
		t.Errorf("printed\n%s, want\n%s", &out, want)
	}
	if want := "time 1.25 core TestA\nskip core TestB: no real sessions\ntime 2.00 core TestC\n"; times.String() != want {
		t.Errorf("noted\n%s, want\n%s", &times, want)
	}
}
