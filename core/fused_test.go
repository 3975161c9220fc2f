package core_test

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// fused matches arm64's instructions that multiply and add with a single rounding.
var fused = regexp.MustCompile(`\t(FMADD|FMSUB|FNMADD|FNMSUB)[DS]\t`)

// TestNothingFused compiles core for arm64 and looks for a multiplication that is fused with an addition: its result may differ from that of
// amd64 and of WebAssembly. float64(a*b)+c forbids it, on arm64 and on every other machine.
func TestNothingFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles core for another machine")
	}
	build := exec.Command("go", "build", "-gcflags=-S", "./...", "../pass", "../api")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	lines, seen := bufio.NewScanner(out), false
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line := lines.Text()
		seen = seen || strings.Contains(line, "\tFMULD\t")
		if fused.MatchString(line) && !strings.Contains(line, "core/internal/tokens/fit/") { // that is no part of core
			t.Error(strings.TrimSpace(line))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if err := build.Wait(); err != nil {
		t.Fatal(err)
	}
	if !seen {
		t.Fatal("no machine code of arm64 was seen")
	}
}
