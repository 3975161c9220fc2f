package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// archiveFlag is the flag --archive. It names the directory that stores the content removed by compactions.
type archiveFlag struct{ dir string }

func (a *archiveFlag) register(c *cobra.Command, usage string) {
	c.Flags().StringVar(&a.dir, "archive", "", usage)
}

// store opens the archive. It returns nil if the flag is not set. It returns an error if the directory can't be used.
func (a *archiveFlag) store() (ctxfold.Store, error) {
	if a.dir == "" {
		return nil, nil
	}
	return ctxfold.NewDirStore(a.dir)
}

// note stores the state in the archive directory, in a file whose name is derived from the transcript, so that restore
// works without --state. Without an archive it does nothing.
func (a *archiveFlag) note(transcript, state []byte) error {
	if a.dir == "" || len(transcript) == 0 {
		return nil
	}
	return writeFile(a.stateFile(transcript), append(bytes.Clone(state), '\n'))
}

// noted returns the state that note stored for a transcript, or nil if there is none, for example because messages have since been added
// to the transcript.
func (a *archiveFlag) noted(transcript []byte) []byte {
	state, err := os.ReadFile(a.stateFile(transcript))
	if a.dir == "" || err != nil || !json.Valid(state) {
		return nil
	}
	return state
}

func (a *archiveFlag) stateFile(transcript []byte) string {
	sum := sha256.Sum256(bytes.TrimSpace(transcript))
	return filepath.Join(a.dir, hex.EncodeToString(sum[:8])+".state")
}

const keepUsage = "the `DIRECTORY` that stores removed content, for restore and recall"

func restoreCommand(f *flags) *cobra.Command {
	var o restoreFlags
	c := &cobra.Command{
		Use:   "restore --archive DIRECTORY [FILE|-]",
		Short: "Restore what compactions removed from a transcript",
		Long: `restore returns the original content that compact --archive stored, byte for byte: everything in the directory, from
the last compaction back to the first, or only the handles that you give with --handle. Markers and digests in the transcript
name the handles of what they replace. The transcript goes to standard output, and a list of what was restored to standard error.

What the directory does not have stays as it is. The transcript is printed all the same, and the exit code is 1 if anything that you
asked for did not come back.

Some removals leave no marker, for example reasoning. The state finds those. The directory has the state of a transcript that is
exactly what compact printed. If messages were added since and nothing was folded, pass the file that compact --state wrote with
--state; it isn't changed.

With --list, restore changes nothing: it lists the handles that the transcript names, and needs no --archive.`,
		Example: `  ctxfold restore --archive .ctxfold session.json > longer.json
  ctxfold restore --archive .ctxfold --state session.state.json session.json > longer.json
  ctxfold restore --archive .ctxfold --handle 49bd29b43f1c2f5a session.json
  ctxfold restore --list session.json`,
		Args: atMostOneFile,
		RunE: func(c *cobra.Command, args []string) error { return o.run(f, c, args) },
	}
	o.policy.register(c, false)
	o.archive.register(c, "the `DIRECTORY` that compact --archive has filled")
	c.Flags().StringVar(&o.state, "state", "", "the `FILE` with the state of the conversation, as written by compact --state")
	c.Flags().StringSliceVar(&o.handles, "handle", nil, "the `HANDLE` of a body to put back, 16 digits or more; may be given more than once")
	c.Flags().BoolVar(&o.list, "list", false, "only list the handles that the transcript names")
	return c
}

// restoreFlags has the values of restore's flags.
type restoreFlags struct {
	policy  policyFlags
	archive archiveFlag
	state   string   // the file with the state; "" for the state in the archive
	handles []string // the bodies to put back; nil for all
	list    bool     // whether to list the handles only
}

// check returns an error if the flags don't fit together.
func (o *restoreFlags) check(c *cobra.Command) error {
	switch {
	case o.list && len(o.handles) > 0:
		return usage(c, "--list and --handle are two questions: ask one")
	case o.archive.dir == "" && len(o.handles) > 0:
		return usage(c, "--handle needs --archive, the directory that has the bodies")
	case o.archive.dir == "" && !o.list:
		return usage(c, "restore needs --archive, the directory that has the content; --list shows what the transcript names")
	}
	return nil
}

// run restores the input of the command.
func (o *restoreFlags) run(f *flags, c *cobra.Command, args []string) error {
	store, err := o.archive.store()
	if err != nil {
		return err
	}
	if err := o.check(c); err != nil {
		return err
	}
	j, err := f.start(c, args, &o.policy, o.state, 0)
	if err != nil {
		return err
	}
	if o.state == "" {
		j.State = o.archive.noted(j.Messages)
	}
	if o.list {
		markers, err := j.Markers(c.Context(), j.Input)
		if err != nil {
			return j.sources.locate(err)
		}
		return f.printMarkers(markers)
	}
	a, err := j.Restore(c.Context(), j.Input, store, o.handles...)
	if err != nil {
		return j.sources.locate(err)
	}
	markers := wanted(a.Markers, o.handles)
	partial := len(markers) > 0 || len(o.handles) > 0 && a.Report.Restored == 0
	result := a.Messages
	if f.json {
		result = a.Raw
	} else {
		f.printRestored(j, a, markers, partial)
	}
	if err := f.printLine(result); err != nil || !partial {
		return err
	}
	return errPartial
}

// wanted returns the markers that should have been restored: those with one of the given handles, or all if no handle is given.
func wanted(markers []api.Marker, handles []string) []api.Marker {
	if len(handles) == 0 {
		return markers
	}
	const digits = 16 // the number of a handle's digits that a marker shows
	return slices.DeleteFunc(slices.Clone(markers), func(m api.Marker) bool {
		return !slices.ContainsFunc(handles, func(h string) bool {
			return strings.EqualFold(h[:min(len(h), digits)], m.Handle[:min(len(m.Handle), digits)])
		})
	})
}

// printRestored reports on standard error which content was restored, and which should have been
// but wasn't. partial means that some of the requested content was not restored.
func (f *flags) printRestored(j *job, a *api.Restored, markers []api.Marker, partial bool) {
	unknown := ""
	if partial && len(markers) == 0 {
		unknown = "what --handle names"
	}
	lines(f.err,
		j.read(),
		[2]string{"put back", bodies(a.Report.Restored)},
		[2]string{"not in the transcript", unknown},
		[2]string{"not in the archive", left(markers, "")},
		[2]string{"corrupt in the archive", left(markers, api.MarkerCorrupt)},
		[2]string{"not taken back", notTakenBack(markers)},
		[2]string{"written differently", respelled(markers)},
		[2]string{"messages", count(a.Report.Messages.Before) + " → " + count(a.Report.Messages.After)},
		[2]string{"tokens", count(a.Report.Tokens.Before) + " → " + count(a.Report.Tokens.After)})
	if !a.Valid {
		fmt.Fprintln(f.err, text.FgRed.Sprint("the transcript breaks rules of its format"), "(validate lists them)")
	}
	if partial {
		fmt.Fprintf(f.err, "ctxfold: warning: %v\n", errPartial)
	}
}

// bodies formats a number of stored contents, as in "1 body" or "2 bodies".
func bodies(n int) string {
	if n == 1 {
		return "1 body"
	}
	return count(n) + " bodies"
}

// left returns the number of handles that were not restored for the given reason, as in "2
// handles", or "" if there are none.
func left(markers []api.Marker, why api.MarkerFault) string {
	n := 0
	for _, m := range markers {
		if m.Fault == why {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return plural(n, "handle")
}

// notTakenBack returns the warning about compactions that could not be undone, or "" if there are none.
func notTakenBack(markers []api.Marker) string {
	if n := left(markers, api.MarkerChanged); n == "" {
		return ""
	}
	return "what a compaction removed without a marker: the transcript has changed since, or belongs to another state"
}

// respelled returns the note about tool calls that are restored as another branch has them, or "" if there are none.
func respelled(markers []api.Marker) string {
	if left(markers, api.MarkerRespelled) == "" {
		return ""
	}
	return "tool calls: they are put back as another branch of the conversation has them"
}

// printMarkers prints the markers as a table, or as JSON with --json. An error comes from standard output.
func (f *flags) printMarkers(markers []api.Marker) error {
	if f.json {
		out, err := json.Marshal(markers)
		if err != nil {
			return err
		}
		return f.printLine(out)
	}
	if len(markers) == 0 {
		fmt.Fprintln(f.out, "the transcript names no handle")
		return nil
	}
	t := newTable("handle", "of", "#message")
	for _, m := range markers {
		at := count(m.Message)
		if m.Message < 0 { // the handle is in the state, not in a message
			at = ""
		}
		t.AppendRow(table.Row{m.Handle[:min(len(m.Handle), 16)], m.What, at})
	}
	fmt.Fprintln(f.out, t.Render())
	return nil
}

func recallCommand(f *flags) *cobra.Command {
	var archive archiveFlag
	var format string
	var offset int
	c := &cobra.Command{
		Use:   "recall --archive DIRECTORY HANDLE",
		Short: "Show removed content as a model would read it",
		Long: `recall prints the content that compact --archive stored under a handle, as text for a model: at most 20,000 characters,
starting at --offset.`,
		Example: `  ctxfold recall --archive .ctxfold 49bd29b43f1c2f5a`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(c, "recall needs one HANDLE")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			store, err := archive.store()
			if err != nil {
				return err
			}
			if store == nil {
				return usage(c, "recall needs --archive, the directory that has the body")
			}
			compactor, err := f.compactor(c.Context(), 0)
			if err != nil {
				return err
			}
			arguments, err := json.Marshal(map[string]any{"handle": args[0], "offset": offset})
			if err != nil {
				return err
			}
			said, err := compactor.Recall(c.Context(), store, api.Format(format), arguments)
			if err != nil {
				return err
			}
			return f.printLine([]byte(said))
		},
	}
	archive.register(c, "the `DIRECTORY` that compact --archive has filled")
	c.Flags().StringVar(&format, "format", "", "the wire format of the conversation; with it, folded messages are printed as a readable record")
	c.Flags().IntVar(&offset, "offset", 0, "the character to start at")
	return c
}
