//go:build unix

package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// content fails the test unless a file has text, and no temporary file is left next to it.
func content(t *testing.T, name, want string) fs.FileInfo {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil || string(text) != want {
		t.Errorf("%s is %q, %v; want %q", name, text, err, want)
	}
	if left, _ := filepath.Glob(name + ".*.tmp"); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestWriteKeepsModeAndOwner replaces a file whose mode, and as root also whose owner, differ from those of new files.
func TestWriteKeepsModeAndOwner(t *testing.T) {
	name := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	owner := os.Getuid()
	if owner == 0 {
		if owner = 12345; os.Chown(name, owner, owner) != nil {
			t.Skip("root can't change owners here")
		}
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(name, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info := content(t, name, "new")
	if info.Mode().Perm() != 0o640 || int(info.Sys().(*syscall.Stat_t).Uid) != owner {
		t.Errorf("mode %v, owner %d; want 0640 and %d", info.Mode(), info.Sys().(*syscall.Stat_t).Uid, owner)
	}
}

// TestWriteThroughLinks writes to symbolic and hard links. The links stay, and their targets have the new text.
func TestWriteThroughLinks(t *testing.T) {
	folder := t.TempDir()
	file, soft, hard := filepath.Join(folder, "a"), filepath.Join(folder, "soft"), filepath.Join(folder, "hard")
	if err := os.WriteFile(file, []byte("a longer old text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Symlink("a", soft) != nil || os.Link(file, hard) != nil {
		t.Skip("no links here")
	}
	for i, name := range []string{soft, hard} {
		text := []string{"soft", "hard"}[i]
		if err := writeFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		content(t, file, text)
		content(t, hard, text)
	}
	if info, err := os.Lstat(soft); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the symbolic link is %v, %v", info.Mode(), err)
	}
	loop := filepath.Join(folder, "loop")
	if err := os.Symlink("loop", loop); err != nil || writeFile(loop, []byte("x")) == nil {
		t.Errorf("a link to itself was written to, %v", err)
	}
}

// TestWriteIntoDevicesAndPipes writes to a device and a pipe, which stay as they are.
func TestWriteIntoDevicesAndPipes(t *testing.T) {
	if err := writeFile(os.DevNull, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Fatalf("%s is %v, %v", os.DevNull, info.Mode(), err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	read := make(chan []byte)
	go func() {
		text, _ := os.ReadFile(pipe)
		read <- text
	}()
	if err := writeFile(pipe, []byte("through")); err != nil {
		t.Fatal(err)
	}
	if text := <-read; !bytes.Equal(text, []byte("through")) {
		t.Errorf("the pipe gave %q", text)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v, %v", info.Mode(), err)
	}
}
