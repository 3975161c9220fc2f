package loop

import (
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Version is the version of the format of jobs. A host may keep a job for a long time, or move it to another machine
// with a newer module.
const Version = 1

// The phases of a job. The comment after each says what the job waits for.
const (
	phaseEntering  = "entering"  // for other compactions of the conversation to end
	phaseBeginning = "beginning" // for the host's decision about a compaction that is about to begin
	phaseLoading   = "loading"   // for records
	phaseCounting  = "counting"  // for the number of tokens
	phaseLeasing   = "leasing"   // for a lease
	phaseWaiting   = "waiting"   // for another job's lease to end
	phaseAsking    = "asking"    // for summaries
	phaseStoring   = "storing"   // for removed content to be stored
	phaseSaving    = "saving"    // for a record to be saved
)

// Job is the state of a job between two events.
//
//easyjson:json
type Job struct {
	Version  int             `json:"version"`           // see the constant Version
	Settings api.JobSettings `json:"settings"`          // the host's settings, without those that apply to the first call only
	Policy   api.Raw         `json:"policy,omitempty"`  // as the host gave it; empty for the default policy
	Options  api.Options     `json:"options"`           // the options of the request, completed by the job
	State    api.Raw         `json:"state,omitempty"`   // the conversation's state, for a plan; may be empty
	Phase    string          `json:"phase"`             // what the job waits for
	Clock    int64           `json:"clock"`             // time of the newest event, in milliseconds since 1970
	Random   uint32          `json:"random,omitempty"`  // state of the pseudo-random sequence, at first the host's seed
	LastID   int             `json:"last_id"`           // the id of the last effect
	Flights  []flight        `json:"flights,omitempty"` // the pending effects

	// The contents of the records. At is the index of the first key that has not been looked up yet.
	Check       api.Raw   `json:"check,omitempty"` // the check of a turn that has not begun to compact
	Found       []entry   `json:"found,omitempty"`
	Attempts    []attempt `json:"attempts,omitempty"`
	At          int       `json:"at,omitempty"`
	LaterLoaded bool      `json:"later,omitempty"`    // whether the records for other texts of the first message were loaded
	Uses        bool      `json:"uses,omitempty"`     // whether the record of the model's calls has been requested
	Measured    bool      `json:"measured,omitempty"` // whether the idle time of the conversation is known
	Counted     bool      `json:"counted,omitempty"`  // whether the host was asked for a token count
	Seen        string    `json:"seen,omitempty"`     // fingerprint of everything that was found

	// Due is the response that the operation returned before the job had the lease. It is still valid with the lease if
	// the records found (DueSeen) and the messages (DueSize bytes) are the same.
	Due     api.Raw `json:"due,omitempty"`
	DueSeen string  `json:"due_seen,omitempty"`
	DueSize int     `json:"due_size,omitempty"`

	// The lease. If Holder is "", the job has none, and LeaseKey is the key to lease next.
	LeaseKey     string `json:"lease_key,omitempty"`
	Holder       string `json:"holder,omitempty"`
	WaitKey      string `json:"wait_key,omitempty"`   // the key of another job's lease
	RenewAt      int64  `json:"renew_at,omitempty"`   // when to renew the lease, in milliseconds since 1970
	Polls        int    `json:"polls,omitempty"`      // number of attempts to get a lease that another job holds
	PollAt       int64  `json:"poll_at,omitempty"`    // when to try again, in milliseconds since 1970
	GiveUpAt     int64  `json:"give_up_at,omitempty"` // when the job stops waiting for another job's lease
	Lost         int    `json:"lost,omitempty"`       // number of lost leases
	WithoutLease bool   `json:"free,omitempty"`       // whether the job may proceed without a lease

	// The compaction. Base is the entry that it starts from, and Tries is the number of times that the model has failed
	// at it.
	Base         *entry     `json:"base,omitempty"`
	Plan         api.Raw    `json:"plan,omitempty"`
	Questions    []question `json:"questions,omitempty"`
	Tries        int        `json:"tries,omitempty"`
	Window       int        `json:"window,omitempty"`     // the window of a forced compaction
	NoReserve    bool       `json:"no_reserve,omitempty"` // whether a forced compaction reserves nothing for the output
	Repeats      bool       `json:"repeats,omitempty"`    // whether this repeats a compaction during which the model failed
	Repeated     bool       `json:"repeated,omitempty"`   // whether that repetition has been tried already
	Stale        *entry     `json:"stale,omitempty"`      // the compaction to repeat
	Narrowed     int        `json:"narrowed,omitempty"`   // the size, in tokens, of a history that was rejected but should fit
	BackgroundID int        `json:"behind,omitempty"`     // the id of the background job that compacts this history
	Paused       bool       `json:"paused,omitempty"`     // the model failed recently

	// The model.
	Failed      bool   `json:"failed,omitempty"`       // whether the model returned no summary
	Down        string `json:"down,omitempty"`         // why the model is not asked any more
	PausedUntil int64  `json:"paused_until,omitempty"` // when a busy model may be asked again, in milliseconds since 1970; 0 if it isn't busy
	Probing     bool   `json:"probing,omitempty"`      // whether only one request is sent at a time, until a busy model responds
	After       int64  `json:"after,omitempty"`        // the longest delay that the model asked for, in milliseconds

	// The end of the job. Answer is the result of the operation, and New the record to save.
	Answer api.Raw `json:"answer,omitempty"`
	New    *record `json:"new,omitempty"`
	Saves  int     `json:"saves,omitempty"` // number of attempts to save
	// If a background job can't store the content that it removed, it saves Nothing under NothingKey instead of New.
	Nothing    *attempt `json:"nothing,omitempty"`
	NothingKey string   `json:"nothing_key,omitempty"`
	// SaveKeys are the keys under which to save the record, and Then is what the job does afterwards.
	SaveKeys []string `json:"save_keys,omitempty"`
	Then     string   `json:"then,omitempty"`
}

// The values of Job.Then, which say what the job does after a record has been saved.
const (
	thenEnd  = ""     // the job ends with the answer
	thenLook = "look" // the job looks again
)

// flight is an effect whose result the job waits for.
type flight struct {
	ID       int            `json:"id"`                 // the number of the effect, by which its result names it
	Effect   api.EffectName `json:"effect"`             // its kind
	Deadline int64          `json:"deadline,omitempty"` // when the job stops waiting, in milliseconds since 1970; 0 for never
	Renews   bool           `json:"renews,omitempty"`   // whether it renews the job's own lease
	Uses     bool           `json:"uses,omitempty"`     // whether it loads the newest calls of the model
	Holder   string         `json:"holder,omitempty"`   // holder of the requested lease
}

// toJSON returns the job as JSON.
func (j *Job) toJSON() []byte {
	return marshalJSON(j.MarshalEasyJSON)
}

// maxFlights is the maximum number of pending effects of a job. No plan has as many requests and
// bodies.
const maxFlights = 1 << 20

// validate returns an error unless the job is valid and has the current version. The error has the code job_mismatch. A
// job is data that a host stored, so its fields are checked like input.
func (j *Job) validate() *jsonspan.Error {
	mismatch := func(message string) *jsonspan.Error {
		return &jsonspan.Error{Code: api.CodeJobMismatch, Message: message + ": start another job"}
	}
	switch {
	case j.Version != Version:
		return mismatch("the job was made by another version")
	case min(j.LastID, j.Tries, j.Polls, j.Lost, j.Saves, j.At) < 0 || len(j.Flights) > maxFlights || j.At > maxKeys:
		return mismatch("this is no job")
	}
	switch j.Phase {
	case phaseEntering, phaseBeginning:
		if j.Settings.Turn == nil {
			return mismatch("this is no job")
		}
	case phaseLoading, phaseCounting, phaseLeasing, phaseWaiting, phaseAsking, phaseStoring, phaseSaving:
	default:
		return mismatch("this is no job")
	}
	neverAsked := func(q question) bool { return q.Attempts < 0 || q.Attempts == 0 && q.Flight != 0 } // a request in flight has been asked
	if j.Phase == phaseSaving && j.New == nil || slices.ContainsFunc(j.Questions, neverAsked) {
		return mismatch("this is no job")
	}
	if err := checkSettings(&j.Settings); err != nil {
		err.At = ""
		return mismatch("this is no job")
	}
	return nil
}

// Limits and defaults of settings. Times are in milliseconds.
const (
	defaultSummaryTimeout, maxTimeout         = 120_000, 86_400_000
	defaultStoreTimeout                       = 30_000
	defaultLease, shortestLease, longestLease = 15_000, 100, 3_600_000
	defaultConcurrency, maxConcurrency        = 4, 64
	maxOwner                                  = 1 << 16 // in bytes
	maxLimit                                  = 1 << 30 // in tokens
	// MaxTime is the latest time, in the year 2286.
	MaxTime = 9_999_999_999_999
)

// outOfRange returns the error for a setting that is out of range. name is the setting's name, and valid describes the
// values that it accepts, as in "from 1 to 64".
func outOfRange(name, valid string) *jsonspan.Error {
	return &jsonspan.Error{Code: api.CodeOutOfRange, At: name, Message: name + " must be " + valid}
}

// defaultInRange sets *n to preset if it is 0. Otherwise it returns an error unless *n is between least and most,
// inclusive. If endless is set, -1 is also valid and means that there is no limit.
func defaultInRange(n *int64, name string, preset, least, most int64, endless bool) *jsonspan.Error {
	if *n == 0 {
		*n = preset
	}
	if *n == -1 && endless || *n >= least && *n <= most {
		return nil
	}
	return outOfRange(name, "from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10))
}

// effects lists all effects that a host may execute.
var effects = []api.EffectName{
	api.EffectLoad, api.EffectSave, api.EffectLease, api.EffectRelease, api.EffectPut, api.EffectAsk, api.EffectCount,
	api.EffectWait, api.EffectBegin, api.EffectStop, api.EffectEmit, api.EffectCancel, api.EffectEnter,
	api.EffectBefore,
}

// checkSettings fills in defaults, and returns an error for a value that is out of range.
func checkSettings(s *api.JobSettings) *jsonspan.Error {
	concurrency := int64(s.Concurrency)
	for _, err := range []*jsonspan.Error{
		defaultInRange(&concurrency, "concurrency", defaultConcurrency, 1, maxConcurrency, false),
		defaultInRange(&s.SummaryTimeout, "summary_timeout", defaultSummaryTimeout, 1, maxTimeout, true),
		defaultInRange(&s.StoreTimeout, "store_timeout", defaultStoreTimeout, 1, maxTimeout, true),
		defaultInRange(&s.Lease, "lease", defaultLease, shortestLease, longestLease, false),
	} {
		if err != nil {
			return err
		}
	}
	s.Concurrency = int(concurrency)
	switch {
	case s.Now < 0 || s.Now > MaxTime:
		return outOfRange("now", "the time in milliseconds since 1970")
	case len(s.Owner) > maxOwner:
		return outOfRange("owner", "at most 65,536 bytes")
	case s.Remembered < 0 || s.Remembered > maxEntries:
		return outOfRange("remembered", "from 1 to 64")
	case s.Limit < 0 || s.Limit > maxLimit:
		return outOfRange("limit", "a number of tokens")
	}
	if err := checkWords(s); err != nil {
		return err
	}
	return checkTurn(s)
}

// checkWords returns an error if a setting whose values are words from a fixed set has an unknown
// word.
func checkWords(s *api.JobSettings) *jsonspan.Error {
	switch {
	case s.Operation != "" && s.Operation != api.JobFit && s.Operation != api.JobPlan:
		return outOfRange("operation", "\"fit\" or \"plan\"")
	case s.Records != "" && s.Records != api.RecordsByPrefix && s.Records != api.RecordsByOwner:
		return outOfRange("records", "\"prefix\" or \"owner\"")
	case slices.ContainsFunc(s.Can, func(e api.EffectName) bool { return !slices.Contains(effects, e) }):
		return outOfRange("can", "a list of effects")
	}
	return nil
}

// checkTurn returns an error if a turn is invalid. A job without a turn is valid.
func checkTurn(s *api.JobSettings) *jsonspan.Error {
	if s.Turn == nil {
		return nil
	}
	wrong := func(says string) *jsonspan.Error {
		return &jsonspan.Error{Code: api.CodeOutOfRange, At: "turn", Message: says}
	}
	switch s.Turn.Moment {
	case api.TurnAfter, api.TurnBefore, api.TurnCall, api.TurnForced, api.TurnBackground:
	default:
		return wrong("turn has no such moment")
	}
	if s.Operation != api.JobPlan {
		return wrong("a turn belongs to a job with the operation \"plan\"")
	}
	return nil
}

// random returns the next number in [0, n) of the job's pseudo-random sequence (mulberry32). n is at most 1<<32.
func (j *Job) random(n int64) int64 {
	j.Random += 0x6D2B79F5
	x := j.Random
	x = (x ^ x>>15) * (x | 1)
	x ^= x + (x^x>>7)*(x|61)
	x ^= x >> 14
	return int64(uint64(x) * uint64(n) >> 32)
}

// deadline returns the time at which timeout, in milliseconds from now, ends; 0 if it is negative (no limit).
func (j *Job) deadline(timeout int64) int64 {
	if timeout < 0 {
		return 0
	}
	return j.Clock + timeout
}
