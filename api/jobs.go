package api

// JobSettings are the settings with which a host starts a job: the job's purpose, the host's capabilities, and timeouts.
//
//easyjson:json
type JobSettings struct {
	// Operation is the job's purpose: fit a whole history (the default), or plan a compaction of a transcript that the host will replace.
	Operation JobOperation `json:"operation,omitempty"`
	// Now is the time in milliseconds since 1970.
	Now int64 `json:"now"`
	// Seed seeds the random part of waiting times. Jobs with the same seed and the same events behave identically.
	Seed uint32 `json:"seed,omitempty"`
	// Can lists the effects that the host executes. The job works around missing ones: for example, without ask no
	// model writes digests.
	Can []EffectName `json:"can,omitempty"`
	// Owner identifies whose conversation it is. What is remembered for one owner is never used for another.
	Owner string `json:"owner,omitempty"`
	// Records determines how records are looked up; absent means by prefix.
	Records RecordKeys `json:"records,omitempty"`
	// RecordsRequired makes the job fail if the store of records fails. Otherwise the job continues without records.
	RecordsRequired bool `json:"records_required,omitempty"`
	// Concurrency is the maximum number of summary requests in flight at the same time, from 1 to 64; 0 means 4.
	Concurrency int `json:"concurrency,omitempty"`
	// StoreTimeout is the timeout for a load, save, lease or put, in milliseconds up to a day; 0 means 30,000 and -1 no timeout.
	StoreTimeout int64 `json:"store_timeout,omitempty"`
	// SummaryTimeout is the timeout for one summary including retries, in milliseconds up to a day; 0 means 120,000 and -1 no timeout.
	SummaryTimeout int64 `json:"summary_timeout,omitempty"`
	// Remembered is the number of compactions that an owner's record keeps, from 1 to 64; 0 means 64.
	Remembered int `json:"remembered,omitempty"`
	// Loaded is the result of the initial load of a job with records "owner", if the host already has it.
	Loaded *EffectResult `json:"loaded,omitempty"`
	// Lease is the duration of a lease that is not renewed, in milliseconds from 100 to an hour; 0 means 15,000.
	Lease int64 `json:"lease,omitempty"`
	// Prefix reports whether the host can append requests for summaries to the conversation, for the provider's prompt cache.
	Prefix bool `json:"prefix,omitempty"`
	// Background makes the job compact before a compaction is due, or redo a compaction during which the model
	// failed.
	Background bool `json:"background,omitempty"`
	// Running lists the background jobs that the host runs for this owner. The job stops those that have become
	// useless.
	Running []RunningJob `json:"running,omitempty"`
	// Model and Provider identify the model that will be called next and its provider, by names of the host's choice.
	// If the policy has `gate.idle`, a change means that the prompt cache is cold.
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	// Refusal is the failed model call that made the host start the job. If it failed because the messages do not
	// fit, the job compacts them further; otherwise it changes nothing.
	Refusal *Failure `json:"refusal,omitempty"`
	// Refused reports that a provider rejected the messages because they do not fit, for a host
	// that has classified the error itself. Limit is the window that the provider named, in tokens,
	// or 0. Unlike with Refusal, if nothing helps, the result is unchanged instead of an error.
	Refused bool `json:"refused,omitempty"`
	Limit   int  `json:"limit,omitempty"`
	// Turn makes a job with the operation "plan" a turn of a conversation that the host keeps: the job decides
	// whether a compaction begins, now or in the background.
	Turn *Turn `json:"turn,omitempty"`
}

// Turn is a moment at which a conversation may be compacted.
type Turn struct {
	Moment TurnMoment `json:"moment"` // when the turn takes place
	// Notes are the notes that the last turn returned, if any.
	Notes *TurnNotes `json:"notes,omitempty"`
	// Running is the id of the job that compacts the conversation in the background, above 0; 0 means none.
	Running int `json:"running,omitempty"`
	// Edited reports whether the messages were replaced since the last turn. Earlier failed attempts are then
	// disregarded.
	Edited bool `json:"edited,omitempty"`
}

// TurnMoment is when a turn takes place.
type TurnMoment string

// The moments of turns.
const (
	TurnAfter      TurnMoment = "after"      // the model has ended its turn
	TurnBefore     TurnMoment = "before"     // the model is about to be called: a cold prompt cache counts
	TurnCall       TurnMoment = "call"       // the model is about to be called and reports if the messages do not fit: only a cold prompt cache counts
	TurnForced     TurnMoment = "forced"     // a compaction is requested, or needed after a refusal
	TurnBackground TurnMoment = "background" // a turn has started this job
)

// TurnNotes carry information from one turn of a conversation to later ones. A host passes them on without reading
// them.
type TurnNotes struct {
	// Time is when the model was last called, in milliseconds since 1970; Model and Provider identify it.
	Time     int64  `json:"time,omitempty"`
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	// Tried and Messages are the number of tokens and of messages at which a background compaction was last started.
	Tried    int `json:"tried,omitempty"`
	Messages int `json:"messages,omitempty"`
}

// Trigger is the reason why a compaction of a conversation begins.
type Trigger string

// The triggers.
const (
	TriggerAuto       Trigger = "auto"                   // the compaction is due
	TriggerBackground Trigger = "background"             // the compaction starts before it is due
	TriggerCold       Trigger = "cold"                   // the prompt cache is cold
	TriggerManual     Trigger = "manual"                 // the program or the user requested it
	TriggerRecovery   Trigger = "context_limit_recovery" // a model reported that the conversation does not fit
)

// Beginning is passed to the host before a compaction of a conversation begins.
type Beginning struct {
	Trigger  Trigger `json:"trigger"`  // why the compaction begins
	Messages int     `json:"messages"` // number of messages in the conversation
	Tokens   int     `json:"tokens"`   // size of the conversation, in tokens
}

// RunningJob is a background job that a host runs.
type RunningJob struct {
	// ID is a positive number by which the host identifies the job.
	ID int `json:"id"`
	// Keys are the keys of the last lease that the job requested.
	Keys []string `json:"keys"`
}

// JobOperation is the purpose of a job.
type JobOperation string

// The operations of a job.
const (
	JobFit  JobOperation = "fit"  // returns the messages to send for a whole history, and remembers its compactions; the default
	JobPlan JobOperation = "plan" // compacts a transcript or a session, which the host replaces with the result
)

// RecordKeys is how records are looked up.
type RecordKeys string

// The ways to look up records.
const (
	RecordsByPrefix RecordKeys = "prefix" // one record per compaction, under hashes of the messages that it replaces and of the resulting messages; the default
	RecordsByOwner  RecordKeys = "owner"  // one record per owner, with all of the owner's compactions
)

// EffectName is the name of an effect.
type EffectName string

// The effects.
const (
	EffectLoad    EffectName = "load"    // read the record under the first of keys that has one
	EffectSave    EffectName = "save"    // write a record under each of keys
	EffectLease   EffectName = "lease"   // lease keys[0] to holder for ttl, or renew the lease, unless another holder has a lease on one of keys
	EffectRelease EffectName = "release" // end the lease of holder on keys[0]; it has no result
	EffectPut     EffectName = "put"     // store body under handle
	EffectAsk     EffectName = "ask"     // ask the model for a summary
	EffectCount   EffectName = "count"   // count the tokens of messages exactly
	EffectWait    EffectName = "wait"    // call again with an event without results at until, or when the lease on key ends; replaces an earlier wait
	EffectBegin   EffectName = "begin"   // start another job for the same messages with settings, unless the running job target already does the same; it has no result
	EffectStop    EffectName = "stop"    // cancel the running job target; it has no result
	EffectEmit    EffectName = "emit"    // report notice, for example to a log; it has no result
	EffectEnter   EffectName = "enter"   // wait until no other job compacts the conversation; no other compaction may begin before this job has ended
	EffectBefore  EffectName = "before"  // report that a compaction of a conversation, described by beginning, is about to begin: the host may skip it
	EffectCancel  EffectName = "cancel"  // cancel the effect target, whose result is no longer needed
)

// Effect is an action that a job requests from its host. The host responds to an effect that has an
// ID with an EffectResult.
type Effect struct {
	Effect EffectName `json:"effect"`       // what the host does
	ID     int        `json:"id,omitempty"` // number of the effect within its job, from 1; absent if it has no result
	// Keys are the keys of load, save, lease and release: 64 hexadecimal digits each, or the owner if records is
	// "owner". For begin they are the Keys of the RunningJob until it requests a lease.
	Keys []string `json:"keys,omitempty"`
	// Record is the record to save. With IfRevision, it writes only if the record under keys[0] still has this revision or, if IfRevision
	// is "", does not exist yet. With Holder, it writes only if the holder still has its lease on Lease.
	Record     string  `json:"record,omitempty"`
	IfRevision *string `json:"if_revision,omitempty"`
	Holder     string  `json:"holder,omitempty"`
	Lease      string  `json:"lease,omitempty"`
	TTL        int64   `json:"ttl,omitempty"`              // in milliseconds
	Handle     string  `json:"handle,omitempty"`           // handle of the body, for put
	Body       Raw     `json:"body,omitempty" is:"string"` // the body to store, as JSON, for put
	// Request is the request to answer, for ask. Sent holds the messages for a request with `conversation`, in the
	// shape of the input.
	Request  Raw   `json:"request,omitempty" is:"SummaryRequest"`
	Sent     Raw   `json:"sent,omitempty" is:"any"`
	Deadline int64 `json:"deadline,omitempty"` // when the job stops waiting for the result of ask, in milliseconds since 1970; 0 means never
	// Messages are the messages to count, in the shape of the input. With the option `answer: "edits"`, Edits
	// transform the input into them.
	Messages Raw    `json:"messages,omitempty" is:"any"`
	Edits    Raw    `json:"edits,omitempty" is:"Edits"`
	Until    int64  `json:"until,omitempty"` // in milliseconds since 1970
	Key      string `json:"key,omitempty"`   // key of the lease to wait for, for wait; absent if only the time counts
	// Settings are the settings of the job to begin. The host adds the time and a seed.
	Settings *JobSettings `json:"settings,omitempty"`
	Notice   *JobNotice   `json:"notice,omitempty"` // what to report, for emit
	Target   int          `json:"target,omitempty"` // id of a RunningJob, for begin and stop, or of an effect, for cancel; absent if there is none
	// Beginning describes the compaction that the effect before announces.
	Beginning *Beginning `json:"beginning,omitempty"`
}

// JobNotice is an event worth a line in a log.
type JobNotice struct {
	Name    NoticeName `json:"name"`    // what happened
	Message string     `json:"message"` // text for people, with the cause
}

// NoticeName is the name of a notice.
type NoticeName string

// The notices.
const (
	NoticeSummaryFailed    NoticeName = "summary_failed"    // the model returned no summary
	NoticeRecordsFailed    NoticeName = "records_failed"    // the store of records failed, and the job continued without it
	NoticeLeaseLost        NoticeName = "lease_lost"        // the lease ended during a compaction, which starts over
	NoticeBackgroundFailed NoticeName = "background_failed" // a background compaction produced no result
)

// JobEvent reports what has happened since the last call. Without results it only reports the time.
//
//easyjson:json
type JobEvent struct {
	Now     int64          `json:"now"`               // in milliseconds since 1970
	Results []EffectResult `json:"results,omitempty"` // results of effects, in any order
	// Cancel ends the job without changes.
	Cancel bool `json:"cancel,omitempty"`
}

// EffectResult is the result of an effect.
type EffectResult struct {
	ID int `json:"id"` // the id of the effect
	// Refused reports that the host does not support the effect. The job then works without it.
	Refused bool `json:"refused,omitempty"`
	// Error is the reason why the effect failed.
	Error string `json:"error,omitempty"`
	// Done reports, for save, that the record was written, and for lease, that it was granted.
	Done bool `json:"done,omitempty"`
	// Record is the record that load found; absent if there was none. At is the index of its key in Keys; for lease,
	// the index of a key that another holder has leased. Revision is any string that changes whenever the record
	// does; a later save compares it.
	Record   *string `json:"record,omitempty"`
	At       int     `json:"at,omitempty"`
	Revision string  `json:"revision,omitempty"`
	// Summary is the result of ask; its id may be missing. In the result of before, it is a finished summary: no
	// model is asked.
	Summary *Summary `json:"summary,omitempty"`
	// Failure is what the host knows about a failed call of ask, in addition to Error. The job decides from both whether and
	// when to call again.
	Failure *CallFailure `json:"failure,omitempty"`
	// Busy reports that the provider was overloaded, and After is the time to wait before the next attempt, in milliseconds; 0 if unknown.
	// A host sets them if the program has said so; otherwise the job decides.
	Busy  bool  `json:"busy,omitempty"`
	After int64 `json:"after,omitempty"`
	// Incomplete reports that the model's output was cut off, so an immediate retry may succeed.
	Incomplete bool `json:"incomplete,omitempty"`
	// Tokens is the result of count. In the result of enter, it is the exact size of the conversation as it is now,
	// from a host with a tokenizer.
	Tokens int `json:"tokens,omitempty"`
	// Skip, in the result of before, skips the compaction. Redact lists texts to replace in what
	// the compaction reads, and Score rates calls and messages, like the options of these names.
	Skip   bool    `json:"skip,omitempty"`
	Redact *Redact `json:"redact,omitempty"`
	Score  *Score  `json:"score,omitempty"`
}

// CallFailure is what a host knows about a failed model call.
type CallFailure struct {
	Status int    `json:"status,omitempty"` // HTTP status code
	Body   string `json:"body,omitempty"`   // body of the response; absent means the text in error
	// The unchanged values of the response headers Retry-After, Retry-After-Ms and X-Should-Retry.
	RetryAfter   string `json:"retry_after,omitempty"`
	RetryAfterMs string `json:"retry_after_ms,omitempty"`
	ShouldRetry  string `json:"should_retry,omitempty"`
	// Network reports that no response arrived, because the connection failed. Without it, the job recognizes the usual
	// error texts.
	Network bool `json:"network,omitempty"`
}

// JobProgress is the result of the operations loop_start and loop_event: the job's state and the effects to execute.
// Once the job has ended, it has Result or Failure, and no Job.
//
//easyjson:json
type JobProgress struct {
	// Job is the state that the host passes to the next loop_event unchanged.
	Job Raw `json:"job,omitempty" is:"object"`
	// NeedsMessages reports whether the next loop_event must include the messages or the session. Messages may have
	// been added since.
	NeedsMessages bool     `json:"needs_messages,omitempty"`
	Effects       []Effect `json:"effects"` // what the host does next; may be empty
	// Failure is the reason why the job ended without a result. Nothing was changed.
	Failure *JobFailure `json:"failure,omitempty"`
	// Result is the result of the operation, without its member memory.
	Result Raw `json:"result,omitempty" is:"Planned"`
	// Check is the result of the check of a turn that ended without a compaction; Result is then null.
	Check Raw `json:"check,omitempty" is:"Check"`
	// Notes must be passed to the next turn of the conversation. They come from the loop_start of a turn.
	Notes *TurnNotes `json:"notes,omitempty"`
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// JobFailure is the reason why a job ended without a result.
type JobFailure struct {
	Code    FailureCode `json:"code"`    // why the job failed
	Message string      `json:"message"` // for people; it can change in any version
	// Path is the location of the error, as in an Error. Offset is its offset in bytes from the start of the
	// messages, if the error is in the messages.
	Path   string `json:"path,omitempty"`
	Offset int    `json:"offset,omitempty"`
}

// FailureCode names a kind of failure of a job. Codes are stable.
type FailureCode string

// The failures of jobs. A job also fails with the code of an operation that it runs, such as `plan_mismatch`.
const (
	FailureCancelled FailureCode = "cancelled"      // the host has cancelled the job
	FailureStore     FailureCode = "store_failed"   // removed content could not be stored
	FailureRecords   FailureCode = "memory_failed"  // records could not be read or written, and the settings require them
	FailureNotFull   FailureCode = "not_overflow"   // the model call of `refusal` did not fail because the messages do not fit
	FailureStill     FailureCode = "still_overflow" // the messages do not fit, and a compaction did not help
)
