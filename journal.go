package ctxfold

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/ctxfold/ctxfold/api"
)

// Event says that a compaction of a [Conversation] begins or has ended.
type Event struct {
	// Type is EventStart or EventEnd.
	Type string `json:"type"`
	// Conversation is the id of the conversation.
	Conversation string `json:"conversation,omitempty"`
	// Trigger says why: TriggerAuto, TriggerBackground, TriggerCold, TriggerManual or TriggerRecovery.
	Trigger string    `json:"trigger"`
	Time    time.Time `json:"time"`

	// Sizes, estimated. At the start After is 0.
	MessagesBefore int `json:"messages_before"`
	MessagesAfter  int `json:"messages_after"`
	TokensBefore   int `json:"tokens_before"`
	TokensAfter    int `json:"tokens_after"`

	// Of the end only: the reason of the report; the messages that were removed of the context, by their indexes before, in half-open
	// ranges; and the error with which the compaction failed.
	Reason  api.Reason `json:"reason,omitempty"`
	Removed [][2]int   `json:"removed,omitempty"`
	Error   string     `json:"error,omitempty"`
}

// eventJSON is an Event as files have it.
//
//easyjson:json
type eventJSON Event

// Types and triggers of an [Event].
const (
	EventStart = "compaction_start"
	EventEnd   = "compaction_end"

	TriggerAuto       = "auto"                   // it was due
	TriggerBackground = "background"             // it was begun before it was due
	TriggerCold       = "cold"                   // the prompt cache is cold
	TriggerManual     = "manual"                 // it was asked for
	TriggerRecovery   = "context_limit_recovery" // a model said that the conversation does not fit
)

// Auto reports whether nobody asked for the compaction.
func (e Event) Auto() bool { return e.Trigger != TriggerManual }

// Journal keeps events. Its methods may be called from any number of goroutines.
type Journal interface {
	// Append keeps an event. Its error is logged; the compaction continues.
	Append(ctx context.Context, e Event) error
	// Events returns the events of a conversation, oldest first.
	Events(ctx context.Context, conversation string) ([]Event, error)
}

// MemoryJournal is a [Journal] in memory. Its zero value is ready to use.
type MemoryJournal struct {
	mu     sync.Mutex
	events []Event
}

// Append keeps an event.
func (j *MemoryJournal) Append(_ context.Context, e Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
	return nil
}

// Events returns the events of a conversation.
func (j *MemoryJournal) Events(_ context.Context, conversation string) (events []Event, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.events {
		if e.Conversation == conversation {
			events = append(events, e)
		}
	}
	return events, nil
}

// FileJournal is a [Journal] in a file: one line of JSON for each event. Several programs may write to one file.
type FileJournal struct {
	path string
	mu   sync.Mutex
}

// NewFileJournal makes a FileJournal. The file (0600) is made with the first event.
func NewFileJournal(path string) *FileJournal { return &FileJournal{path: path} }

// Append writes a line to the end of the file, all at once.
func (j *FileJournal) Append(_ context.Context, e Event) error {
	line := marshal((*eventJSON)(&e))
	j.mu.Lock()
	defer j.mu.Unlock()
	f, err := os.OpenFile(j.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// Events reads the file. A last line that a crash has left unfinished is left out.
func (j *FileJournal) Events(_ context.Context, conversation string) ([]Event, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var events []Event
	for r, n := bufio.NewReader(f), 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		var e Event
		if err := unmarshal("journal", line, (*eventJSON)(&e)); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", j.path, n, err)
		}
		if e.Conversation == conversation {
			events = append(events, e)
		}
	}
}
