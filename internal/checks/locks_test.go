package checks_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// TestLockFilesNameArchives checks that lock files of npm name the archive of each package. Without its address npm reads the list of all
// versions of a package, which takes up to a third of the CPU time of an installation. npm leaves the addresses out where a user has set
// omit-lockfile-registry-resolved, and puts a configured registry in place of npm's own.
func TestLockFilesNameArchives(t *testing.T) {
	listed, err := exec.Command("git", "ls-files", "*package-lock.json").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(listed))
	if len(files) < 20 {
		t.Fatalf("only %d lock files", len(files))
	}
	for _, file := range files {
		if strings.HasPrefix(file, "wasm/") { // inputs of the module, whose key would change with them
			continue
		}
		var lock struct {
			Packages map[string]struct{ Name, Version, Resolved, Integrity string }
		}
		if err := json.Unmarshal([]byte(read(t, file)), &lock); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for path, entry := range lock.Packages {
			if entry.Integrity == "" { // the package itself, a link, or what bench/package-lock.json names by its version alone
				continue
			}
			name := entry.Name // of a package that is installed under another name
			if name == "" {
				name = path[strings.LastIndex("/"+path, "/node_modules/")+len("node_modules/"):]
			}
			want := "https://registry.npmjs.org/" + name + "/-/" + name[strings.LastIndex(name, "/")+1:] + "-" + entry.Version + ".tgz"
			if entry.Resolved != want {
				t.Errorf("%s: %s is resolved to %q, and not to %q", file, path, entry.Resolved, want)
			}
		}
	}
}
