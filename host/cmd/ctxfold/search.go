package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// searchable holds the bodies to search and their names in the output.
type searchable struct {
	bodies []api.Kept
	names  []string // the name of each body
	lost   int      // the number of archive files whose content does not match their name
}

func searchCommand(f *flags) *cobra.Command {
	var q ctxfold.SearchQuery
	var roles []string
	c := &cobra.Command{
		Use:   "search DIRECTORY|FILE|- ... QUERY",
		Short: "Find messages in archives and transcripts by what they say",
		Long: `search prints the messages that match a question best: by its words in any script, with neighbouring messages, and by
dates and roles in it. It searches directories filled by compact --archive, and transcripts: arrays of messages, request bodies,
session files of coding agents.

Each result has the handle of its content, or the file, and the number of the message in it. recall shows the whole content.`,
		Example: `  ctxfold search .ctxfold 'Where does Ines keep her bees?'
  ctxfold search --role user --after 2025-03 .ctxfold session.json 'deadline'`,
		Args: func(c *cobra.Command, args []string) error {
			if q.Limit < 1 {
				return usage(c, "limit must be from 1 to 100")
			}
			if len(args) < 2 {
				return usage(c, "search needs at least one DIRECTORY or FILE, and the QUERY behind it")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			q.Text = args[len(args)-1]
			for _, role := range roles {
				q.Roles = append(q.Roles, api.Role(role))
			}
			compactor, err := f.compactor(c.Context(), 0)
			if err != nil {
				return err
			}
			var s searchable
			for _, path := range args[:len(args)-1] {
				if err := s.add(c.Context(), f, compactor, path); err != nil {
					return err
				}
			}
			a, err := compactor.SearchBodies(c.Context(), s.bodies, q)
			switch {
			case err != nil:
				return queryError(c, err)
			case f.json:
				return f.printLine(a.Raw)
			}
			return f.printFound(a, &s)
		},
	}
	c.Flags().IntVar(&q.Limit, "limit", 10, "how many results to print at most, 1 to 100")
	c.Flags().StringSliceVar(&roles, "role", nil, "only messages of this `ROLE`: user, assistant, tool or system; may be given more than once")
	c.Flags().StringVar(&q.After, "after", "", "only messages of this `DATE` or later: 2025-03-14, 2025-03 or 2025")
	c.Flags().StringVar(&q.Before, "before", "", "only messages of this `DATE` or earlier")
	completeWith(c, "role", "user", "assistant", "tool", "system")
	return c
}

// queryError returns an error of a search as one of usage if the query is what is wrong.
func queryError(c *cobra.Command, err error) error {
	var e *ctxfold.Error
	if errors.As(err, &e) && (e.Code == "empty_query" || e.Code == "out_of_range") {
		return usage(c, "%s", e.Message)
	}
	return err
}

// isKept matches the names of archive files that are bodies.
var isKept = regexp.MustCompile(`^[0-9a-f]{16,64}$`)

// add adds the bodies in a directory, or the transcript in a file, to the search. "-" is standard input. A directory
// without archived content is an error.
func (s *searchable) add(ctx context.Context, f *flags, compactor *ctxfold.Compactor, path string) error {
	info, err := os.Stat(path)
	if path == "-" || err == nil && !info.IsDir() {
		return s.addFile(ctx, f, compactor, path)
	}
	if err != nil {
		return unreadable(path, err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return unreadable(path, err)
	}
	store, err := ctxfold.NewDirStore(path)
	if err != nil {
		return err
	}
	before := len(s.bodies) + s.lost
	for _, e := range entries {
		if e.IsDir() || !isKept.MatchString(e.Name()) {
			continue
		}
		body, err := store.Get(ctx, e.Name())
		switch {
		case errors.Is(err, ctxfold.ErrCorrupt):
			s.lost++
			continue
		case err != nil:
			return unreadable(filepath.Join(path, e.Name()), err)
		}
		s.bodies = append(s.bodies, api.Kept{Handle: e.Name(), Text: string(body)})
		s.names = append(s.names, "handle "+e.Name()[:16])
	}
	if len(s.bodies)+s.lost == before {
		return fmt.Errorf("%s has no archived content: compact --archive has not written to it", path)
	}
	return nil
}

// addFile adds the messages of a transcript to the search. The file may be a session file. An empty file is an error.
func (s *searchable) addFile(ctx context.Context, f *flags, compactor *ctxfold.Compactor, path string) error {
	file, err := f.read(path)
	if err != nil {
		return err
	}
	messages := bytes.TrimPrefix(file.text, []byte("\ufeff"))
	if session, err := compactor.Open(ctx, messages); err == nil {
		messages = session.Messages
	} else if len(bytes.TrimSpace(messages)) == 0 {
		return fmt.Errorf("%s is empty: it must hold JSON", file.name)
	}
	s.bodies = append(s.bodies, api.Kept{Text: string(listIn(messages))})
	s.names = append(s.names, file.name)
	return nil
}

// listIn returns the list of messages of a request body; any other text is returned unchanged.
func listIn(transcript []byte) []byte {
	var body map[string]json.RawMessage
	if json.Unmarshal(transcript, &body) != nil {
		return transcript
	}
	for _, key := range []string{"messages", "input", "contents"} {
		if list := body[key]; len(list) > 0 && list[0] == '[' {
			return list
		}
	}
	return transcript
}

// printFound prints the results, each followed by its snippet. s has the names of the bodies.
func (f *flags) printFound(a *api.Found, s *searchable) error {
	var out strings.Builder
	for i, r := range a.Results {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "%s  %s", text.FgCyan.Sprintf("%s message %d", s.names[r.Body], r.Index), r.Role)
		if r.Date != "" {
			out.WriteString("  " + r.Date)
		}
		fmt.Fprintf(&out, "\n  %s\n", r.Snippet)
	}
	if len(a.Results) == 0 {
		out.WriteString("nothing was found\n")
	}
	if _, err := fmt.Fprint(f.out, out.String()); err != nil {
		return err
	}
	missing, lost := "", ""
	if n := len(a.Searched.Missing); n > 0 {
		missing = plural(n, "handle") + " of more removed content"
	}
	if s.lost > 0 {
		lost = plural(s.lost, "file") + ", not searched"
	}
	searched := plural(a.Searched.Messages, "message") + " in " + bodies(a.Searched.Bodies) + ", " + count(a.Searched.Bytes) + " bytes"
	lines(f.err, [2]string{"searched", searched}, [2]string{"not there", missing}, [2]string{"corrupt in the archive", lost})
	return nil
}
