package core_test

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// TestNothingFused compiles core for arm64 and looks for a multiplication that is fused with an addition: its result may differ from that of
// amd64 and of WebAssembly. float64(a*b)+c forbids it, on arm64 and on every other machine. It runs in make test-arm64.
func TestNothingFused(t *testing.T) {
	t.Parallel()
	if !trials.All() {
		t.Skip("for the long run: it compiles core for another machine")
	}
	program := filepath.Join(t.TempDir(), "core")
	build := exec.Command("go", "build", "-tags=ctxfold_count", "-ldflags=-w -checklinkname=0", "-o", program, "./internal/counter")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	text := file.Section(".text")
	code, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	products := 0
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || !strings.HasPrefix(s.Name, "github.com/ctxfold/ctxfold/") {
			continue // the standard library may fuse
		}
		for at := s.Value - text.Addr; at < s.Value-text.Addr+s.Size; at += 4 {
			switch word := binary.LittleEndian.Uint32(code[at:]); {
			case multiplies(word):
				products++
			case multipliesAndAdds(word):
				t.Errorf("%s, byte %d: a multiplication and an addition are fused", s.Name, at-(s.Value-text.Addr))
			}
		}
	}
	if products < 10 {
		t.Fatalf("%d multiplications were seen", products)
	}
}

// multiplies reports whether an instruction of arm64 is FMUL of doubles.
func multiplies(word uint32) bool { return word&0xffe0fc00 == 0x1e600800 }

// multipliesAndAdds reports whether an instruction of arm64 is FMADD, FMSUB, FNMADD or FNMSUB, of singles or doubles.
func multipliesAndAdds(word uint32) bool { return word&0xff800000 == 0x1f000000 }
