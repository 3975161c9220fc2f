package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ctxfold": main, replicaName: patientMain})
}

// TestScripts runs testdata/script: files that read like a session in a terminal.
func TestScripts(t *testing.T) {
	samples, err := filepath.Abs("../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir() // shared, so that the module is compiled once
	if dir, name := filepath.Split(os.Getenv("CTXFOLD_CACHE")); name == "ctxfold" {
		cache = dir // the command's folder there has the module that other tests have compiled
	}
	home := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", home)
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("SAMPLE", filepath.Join(samples, "sample.anthropic.json"))
			env.Setenv("OPENAI", filepath.Join(samples, "sample.openai.json"))
			env.Setenv("SESSIONS", filepath.Join(samples, "sessions"))
			return nil
		},
	})
}
