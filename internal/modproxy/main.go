// Command modproxy writes the Go modules of the workspace into a directory, in the layout of a module proxy:
//
//	go run ./internal/modproxy DIRECTORY
//	GOPROXY=file://DIRECTORY go install github.com/ctxfold/ctxfold/host/cmd/ctxfold@latest
//
// A test installs the modules from this directory as a user installs a release. They contain the files that git would
// commit now.
package main

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ctxfold/ctxfold/core"
)

const version = "v" + core.Version

// module is a module in the output of go list.
type module struct{ Path, Dir string }

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: modproxy DIRECTORY")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(out string) error {
	modules, err := workspace()
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := m.publish(out); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
	}
	return nil
}

// workspace returns the modules of go.work.
func workspace() (modules []module, err error) {
	out, err := output("", "go", "list", "-m", "-json")
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var m module
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return modules, nil
		} else if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
}

// publish writes the four files that a module proxy serves for one version of a module.
func (m module) publish(out string) error {
	folder := filepath.Join(out, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	gomod, err := os.ReadFile(filepath.Join(m.Dir, "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Appendf(nil, "{\"Version\":%q,\"Time\":%q}\n", version, time.Now().UTC().Format(time.RFC3339))
	for name, text := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": gomod} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	files, err := output(m.Dir, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	names := strings.Split(strings.TrimSuffix(files, "\x00"), "\x00")
	nested := map[string]bool{} // folders with their own go.mod, which aren't part of this module
	for _, name := range names {
		if folder, base := path.Split(name); base == "go.mod" && folder != "" {
			nested[folder] = true
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		for folder := range nested {
			if strings.HasPrefix(name, folder) {
				return true
			}
		}
		return false
	})
	return m.pack(filepath.Join(folder, version+".zip"), names)
}

// pack writes files of the module into the archive name, under the prefix that the go command expects.
func (m module) pack(name string, files []string) error {
	archive, err := os.Create(name)
	if err != nil {
		return err
	}
	defer archive.Close()
	z := zip.NewWriter(archive)
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(m.Dir, file))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, but not committed yet
		}
		if err != nil {
			return err
		}
		w, err := z.Create(m.Path + "@" + version + "/" + filepath.ToSlash(file))
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return archive.Close()
}

func output(dir, command string, args ...string) (string, error) {
	c := exec.Command(command, args...)
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.Output()
	return string(out), err
}
