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

// Event marks the start or the end of a compaction of a [Conversation].
type Event struct {
	// Type is EventStart or EventEnd.
	Type string `json:"type"`
	// Conversation identifies the conversation: the ID in its options.
	Conversation string `json:"conversation,omitempty"`
	// Trigger is the reason why the compaction began: TriggerAuto, TriggerBackground, TriggerCold, TriggerManual or TriggerRecovery.
	Trigger string    `json:"trigger"`
	Time    time.Time `json:"time"`

	// The sizes before and after the compaction, in messages and in estimated tokens. In the start
	// event, the sizes after it are 0.
	MessagesBefore int `json:"messages_before"`
	MessagesAfter  int `json:"messages_after"`
	TokensBefore   int `json:"tokens_before"`
	TokensAfter    int `json:"tokens_after"`

	// Set in the end event only: the reason from the report, the messages that were removed from the context (as
	// half-open ranges of their old indexes), and the error if the compaction failed.
	Reason  api.Reason `json:"reason,omitempty"`
	Removed [][2]int   `json:"removed,omitempty"`
	Error   string     `json:"error,omitempty"`
}

// eventJSON is an Event as it is written to a file.
//
//easyjson:json
type eventJSON Event

// The types and triggers of an [Event].
const (
	EventStart = "compaction_start"
	EventEnd   = "compaction_end"

	TriggerAuto       = "auto"                   // the compaction was due
	TriggerBackground = "background"             // the compaction started before it was due
	TriggerCold       = "cold"                   // the prompt cache is cold
	TriggerManual     = "manual"                 // the program or the user requested it
	TriggerRecovery   = "context_limit_recovery" // the model reported that the conversation does not fit
)

// Auto reports whether the compaction started without a request by the program or the user.
func (e Event) Auto() bool { return e.Trigger != TriggerManual }

// Journal stores events. Its methods may be called from any number of goroutines.
type Journal interface {
	// Append stores an event. If it fails, the error is logged and the compaction continues.
	Append(ctx context.Context, e Event) error
	// Events returns the events of a conversation, oldest first.
	Events(ctx context.Context, conversation string) ([]Event, error)
}

// MemoryJournal is a [Journal] in memory. Its zero value is ready to use.
type MemoryJournal struct {
	mu     sync.Mutex
	events []Event
}

// Append stores an event. It never fails.
func (j *MemoryJournal) Append(_ context.Context, e Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
	return nil
}

// Events returns the events of a conversation in the order in which they were appended. It never
// fails.
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

// FileJournal is a [Journal] in a file, with one line of JSON per event. Several programs may write to the same file.
type FileJournal struct {
	path string
	mu   sync.Mutex
}

// NewFileJournal returns a FileJournal. The file is created with the first event (mode 0600).
func NewFileJournal(path string) *FileJournal { return &FileJournal{path: path} }

// Append appends a line to the file in a single write. It creates the file, readable only by its owner, if there is
// none.
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

// Events returns the events of a conversation from the file, oldest first. It ignores an incomplete
// last line, which a crash leaves behind. If the file doesn't exist, there are no events and no
// error. If a line isn't an event, the error contains the line's number.
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
