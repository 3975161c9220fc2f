package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// batchOutput is the destination of a batch's lines: standard output, or a file that a later run can continue.
type batchOutput struct {
	to     io.Writer
	file   *os.File // nil for standard output
	before *os.File // the output of an earlier run, read again while its lines are skipped; nil if there is none
	lines  int      // number of lines that the earlier run wrote
	blank  *bufio.Reader
}

// openOutput opens the output. With resume, the output of an earlier run is kept up to its last complete line, because
// a killed process may have left an incomplete line. An empty name is standard output. It returns an error if the
// output is the input, or can't be written.
func (b *batch) openOutput(name string, resume bool, input *os.File) (*batchOutput, error) {
	if name == "" {
		return &batchOutput{to: b.out}, nil
	}
	mode := os.O_CREATE | os.O_WRONLY
	if !resume {
		mode |= os.O_TRUNC
	}
	if input != nil && sameFile(input, name) {
		return nil, usageError{text: "--output must be another file than the one that is read"}
	}
	file, err := os.OpenFile(name, mode, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", name, err)
	}
	o := &batchOutput{to: file, file: file}
	if !resume {
		return o, nil
	}
	if err := o.keepWholeLines(name); err != nil {
		file.Close()
		return nil, fmt.Errorf("cannot continue %s: %w", name, err)
	}
	return o, nil
}

func sameFile(input *os.File, name string) bool {
	there, err := os.Stat(name)
	if err != nil {
		return false
	}
	from, err := input.Stat()
	return err == nil && os.SameFile(from, there)
}

// keepWholeLines counts the lines of the file and truncates it after the last line feed. name is the file's name. It
// returns an error if the file can't be read or truncated.
func (o *batchOutput) keepWholeLines(name string) error {
	before, err := os.Open(name)
	if err != nil {
		return err
	}
	o.before = before
	end, at := int64(0), int64(0)
	piece := make([]byte, 1<<16)
	for {
		n, err := before.Read(piece)
		o.lines += bytes.Count(piece[:n], []byte{'\n'})
		if i := bytes.LastIndexByte(piece[:n], '\n'); i >= 0 {
			end = at + int64(i) + 1
		}
		if at += int64(n); errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if err := o.file.Truncate(end); err != nil {
		return err
	}
	if _, err := o.file.Seek(end, io.SeekStart); err != nil {
		return err
	}
	if _, err := before.Seek(0, io.SeekStart); err != nil {
		return err
	}
	o.blank = bufio.NewReaderSize(before, 1<<16)
	return nil
}

// skips reports whether an earlier run has processed a line of the input, given by its number from 1. It returns an error
// if the output doesn't belong to this input: empty lines in the output must correspond to empty lines in the input.
func (o *batchOutput) skips(number int, line []byte) (bool, error) {
	if number > o.lines {
		return false, nil
	}
	done, err := readLine(o.blank)
	if err != nil {
		return false, err
	}
	if (len(bytes.TrimSpace(done)) == 0) != (len(bytes.TrimSpace(line)) == 0) {
		return false, fmt.Errorf("--resume: line %d of the output does not belong to line %d of the input", number, number)
	}
	return true, nil
}

// readLine reads a line, including its line feed. The last line may have none. It returns io.EOF after it.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	return line, err
}

// Write writes a complete line at once, so that a killed process loses little.
func (o *batchOutput) Write(line []byte) (int, error) { return o.to.Write(line) }

func (o *batchOutput) close() error {
	if o.before != nil {
		o.before.Close()
	}
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// interrupted is the error of a batch that was interrupted. All lines that the batch has written are complete.
type interrupted struct {
	lines  int    // number of finished lines, including those of earlier runs
	output string // the file that contains them; "" for standard output
}

// Error says how many lines of the input are done, and how to continue.
func (e interrupted) Error() string {
	text := "interrupted: " + plural(e.lines, "line") + " of the input are done"
	if e.lines == 1 {
		text = "interrupted: 1 line of the input is done"
	}
	if e.output == "" {
		return text + " (with --output FILE, --resume goes on from there)"
	}
	return text + "; the same command with --resume goes on from there"
}

// Is reports whether target is context.Canceled, because an interruption cancels the batch.
func (interrupted) Is(target error) bool { return target == context.Canceled }
