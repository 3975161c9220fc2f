package api

// JobSettings are what a host says about one job when it starts it: what it is for, what the host can do, and how long things may take.
//
//easyjson:json
type JobSettings struct {
	// Operation is what the job does: fit a whole history (the default), or plan a compaction of a transcript that the host replaces.
	Operation JobOperation `json:"operation,omitempty"`
	// Now is the time in milliseconds since 1970.
	Now int64 `json:"now"`
	// Seed seeds the random part of waiting times. Jobs with the same seed and the same events behave identically.
	Seed uint32 `json:"seed,omitempty"`
	// Can lists the effects that the host executes. The job works around missing ones: for example, without ask no
	// model writes digests.
	Can []EffectName `json:"can,omitempty"`
	// Owner says whose conversation it is. What is remembered for one owner is never used for another.
	Owner string `json:"owner,omitempty"`
	// Records is how records are found; absent means by prefix.
	Records RecordKeys `json:"records,omitempty"`
	// RecordsRequired makes a failing store of records a failure of the job. Otherwise the job continues without it.
	RecordsRequired bool `json:"records_required,omitempty"`
	// Concurrency is how many requests for summaries run at the same time, from 1 to 64; 0 is 4.
	Concurrency int `json:"concurrency,omitempty"`
	// StoreTimeout is how long a load, save, lease or put may take, in milliseconds up to a day; 0 is 30,000 and -1 no limit.
	StoreTimeout int64 `json:"store_timeout,omitempty"`
	// SummaryTimeout is how long one summary may take, in milliseconds up to a day, with its repetitions; 0 is 120,000 and -1 no limit.
	SummaryTimeout int64 `json:"summary_timeout,omitempty"`
	// Remembered is how many compactions the record of an owner keeps, from 1 to 64; 0 is 64.
	Remembered int `json:"remembered,omitempty"`
	// Loaded is the answer to the load with which a job with records "owner" begins, from a host that has it already.
	Loaded *EffectResult `json:"loaded,omitempty"`
	// Lease is how long a lease lasts unless it is renewed, in milliseconds from 100 to an hour; 0 is 15,000.
	Lease int64 `json:"lease,omitempty"`
	// Prefix reports whether the host can append requests for summaries to the conversation, for the provider's prompt cache.
	Prefix bool `json:"prefix,omitempty"`
	// Background makes the job compact before that is due, or repeat a compaction during which the model failed.
	Background bool `json:"background,omitempty"`
	// Running are the jobs in the background that the host runs for this owner. One that has become useless is stopped.
	Running []RunningJob `json:"running,omitempty"`
	// Model and Provider say who is called next, by any names. With `gate.idle` of the policy, a change means that the prompt cache is cold.
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	// Refusal is the failed model call because of which the host starts the job. If it failed because the messages do
	// not fit, the job compacts them further; otherwise it changes nothing.
	Refusal *Failure `json:"refusal,omitempty"`
	// Refused says that a provider rejected the messages because they do not fit, for a host that has classified the
	// error itself. Limit is the window in tokens that the provider named, or 0. Unlike with Refusal, the result is
	// unchanged if nothing helps.
	Refused bool `json:"refused,omitempty"`
	Limit   int  `json:"limit,omitempty"`
	// Turn makes the job, one with the operation "plan", a turn of a conversation that the host keeps: it decides whether a compaction begins,
	// now or in the background.
	Turn *Turn `json:"turn,omitempty"`
}

// Turn is a moment at which a conversation may be compacted.
type Turn struct {
	Moment TurnMoment `json:"moment"`
	// Notes are those of the last turn that returned any.
	Notes *TurnNotes `json:"notes,omitempty"`
	// Running is the job that compacts the conversation in the background, a number above 0; 0 is none.
	Running int `json:"running,omitempty"`
	// Edited reports whether the messages were replaced since the last turn. What was tried before doesn't count then.
	Edited bool `json:"edited,omitempty"`
}

// TurnMoment is when a turn takes place.
type TurnMoment string

// The moments of turns.
const (
	TurnAfter      TurnMoment = "after"      // the model has ended its turn
	TurnBefore     TurnMoment = "before"     // the model is called next: a cold prompt cache counts
	TurnCall       TurnMoment = "call"       // the model is called next, and reports if the messages do not fit: only a cold prompt cache counts
	TurnForced     TurnMoment = "forced"     // a compaction is requested, or needed after a refusal
	TurnBackground TurnMoment = "background" // a turn has begun this job
)

// TurnNotes are what the turns of a conversation leave for later ones. A host passes them on and has no need to read them.
type TurnNotes struct {
	// Time is when the model was called last, in milliseconds since 1970, and Model and Provider say which.
	Time     int64  `json:"time,omitempty"`
	Model    string `json:"model,omitempty"`
	Provider string `json:"provider,omitempty"`
	// Tried and Messages are the tokens and the number of messages for which a compaction was begun in the background.
	Tried    int `json:"tried,omitempty"`
	Messages int `json:"messages,omitempty"`
}

// Trigger is why a compaction of a conversation begins.
type Trigger string

// The triggers.
const (
	TriggerAuto       Trigger = "auto"                   // it is due
	TriggerBackground Trigger = "background"             // it is begun before it is due
	TriggerCold       Trigger = "cold"                   // the prompt cache is cold
	TriggerManual     Trigger = "manual"                 // the program or the user wants it
	TriggerRecovery   Trigger = "context_limit_recovery" // a model said that the conversation does not fit
)

// Beginning is what a host is told before a compaction of a conversation begins.
type Beginning struct {
	Trigger  Trigger `json:"trigger"`
	Messages int     `json:"messages"`
	Tokens   int     `json:"tokens"`
}

// RunningJob is a job in the background that a host runs.
type RunningJob struct {
	// ID is a positive number by which the host identifies the job.
	ID int `json:"id"`
	// Keys are those of the last lease that the job requested.
	Keys []string `json:"keys"`
}

// JobOperation is what a job does.
type JobOperation string

// The operations that a job carries out.
const (
	JobFit  JobOperation = "fit"  // returns what to send for a whole history, and remembers its compactions; the default
	JobPlan JobOperation = "plan" // compacts a transcript or a session that the host replaces by the result
)

// RecordKeys is how records are found.
type RecordKeys string

// The ways to find records.
const (
	RecordsByPrefix RecordKeys = "prefix" // a record for each compaction, under the hashes of what it replaces and of what it became; the default
	RecordsByOwner  RecordKeys = "owner"  // one record for each owner, with all of the owner's compactions
)

// EffectName is the name of an effect.
type EffectName string

// The effects.
const (
	EffectLoad    EffectName = "load"    // read the record of the first of keys that has one
	EffectSave    EffectName = "save"    // write a record under each of keys
	EffectLease   EffectName = "lease"   // lease keys[0] to holder for ttl, or renew that, unless another holder has a lease on one of keys
	EffectRelease EffectName = "release" // end the lease of holder on keys[0]; it has no answer
	EffectPut     EffectName = "put"     // store body under handle
	EffectAsk     EffectName = "ask"     // ask the model for a summary
	EffectCount   EffectName = "count"   // count the tokens of messages exactly
	EffectWait    EffectName = "wait"    // call again with an event without results at until, or when the lease on key ends; it replaces an earlier wait
	EffectBegin   EffectName = "begin"   // start another job for the same messages, with settings, unless the running job target does that already; it has no answer
	EffectStop    EffectName = "stop"    // cancel the running job target; it has no answer
	EffectEmit    EffectName = "emit"    // report notice, for example to a log; it has no answer
	EffectEnter   EffectName = "enter"   // wait until no other job compacts the conversation; none begins before this job has ended
	EffectBefore  EffectName = "before"  // a compaction of a conversation is about to begin, as beginning says: the host may skip it
	EffectCancel  EffectName = "cancel"  // cancel the effect target, whose answer is no longer needed
)

// Effect is something that a job wants its host to do. An effect with an ID is answered by an EffectResult.
type Effect struct {
	Effect EffectName `json:"effect"`
	ID     int        `json:"id,omitempty"`
	// Keys are the keys of load, save, lease and release: 64 hexadecimal digits each, or the owner if records is
	// "owner". For begin they are the Keys of the RunningJob until it requests a lease.
	Keys []string `json:"keys,omitempty"`
	// Record is what save writes. With IfRevision, only if the record under keys[0] still has this revision or, if it
	// is "", is still missing. With Holder, only if the holder still has its lease on Lease.
	Record     string  `json:"record,omitempty"`
	IfRevision *string `json:"if_revision,omitempty"`
	Holder     string  `json:"holder,omitempty"`
	Lease      string  `json:"lease,omitempty"`
	TTL        int64   `json:"ttl,omitempty"` // in milliseconds
	Handle     string  `json:"handle,omitempty"`
	Body       Raw     `json:"body,omitempty" is:"string"`
	// Request is the request of ask. Sent are the messages for a request with `conversation`, in the shape of the
	// input.
	Request  Raw   `json:"request,omitempty" is:"SummaryRequest"`
	Sent     Raw   `json:"sent,omitempty" is:"any"`
	Deadline int64 `json:"deadline,omitempty"` // when the answer of ask is no longer waited for, in milliseconds since 1970; 0 is never
	// Messages are those to count, in the shape of the input; with the option `answer: "edits"`, Edits transform the
	// input into them.
	Messages Raw    `json:"messages,omitempty" is:"any"`
	Edits    Raw    `json:"edits,omitempty" is:"Edits"`
	Until    int64  `json:"until,omitempty"` // in milliseconds since 1970
	Key      string `json:"key,omitempty"`
	// Settings are those of the job to begin. The host adds the time and a seed.
	Settings *JobSettings `json:"settings,omitempty"`
	Notice   *JobNotice   `json:"notice,omitempty"`
	Target   int          `json:"target,omitempty"`
	// Beginning is what before tells.
	Beginning *Beginning `json:"beginning,omitempty"`
}

// JobNotice is something worth a line in a log.
type JobNotice struct {
	Name    NoticeName `json:"name"`
	Message string     `json:"message"`
}

// NoticeName is the name of a notice.
type NoticeName string

// The notices.
const (
	NoticeSummaryFailed    NoticeName = "summary_failed"    // the model gave no summary
	NoticeRecordsFailed    NoticeName = "records_failed"    // the store of records failed, and the job continued without it
	NoticeLeaseLost        NoticeName = "lease_lost"        // the lease ended during a compaction, which starts over
	NoticeBackgroundFailed NoticeName = "background_failed" // a compaction in the background led to nothing
)

// JobEvent is what happened since the last call. Without results it only reports the time.
//
//easyjson:json
type JobEvent struct {
	Now     int64          `json:"now"` // in milliseconds since 1970
	Results []EffectResult `json:"results,omitempty"`
	// Cancel ends the job without changes.
	Cancel bool `json:"cancel,omitempty"`
}

// EffectResult is the answer to an effect.
type EffectResult struct {
	ID int `json:"id"`
	// Refused says that the host does not support the effect. The job then works without it.
	Refused bool `json:"refused,omitempty"`
	// Error is why the effect failed.
	Error string `json:"error,omitempty"`
	// Done reports, for save, that the record was written, and for lease, that it was granted.
	Done bool `json:"done,omitempty"`
	// Record is what load found; absent if nothing. At is the index of its key; for lease, the index of a key that
	// another holder has leased. Revision is compared by a later save: any text that changes whenever the record does.
	Record   *string `json:"record,omitempty"`
	At       int     `json:"at,omitempty"`
	Revision string  `json:"revision,omitempty"`
	// Summary is the answer to ask. Its id may be missing. In the answer to before it is the summary itself: no model is asked.
	Summary *Summary `json:"summary,omitempty"`
	// Busy says that the provider was overloaded, and After how long to wait before the next attempt, in milliseconds;
	// 0 if unknown.
	Busy  bool  `json:"busy,omitempty"`
	After int64 `json:"after,omitempty"`
	// Incomplete says that the answer was cut off, so that an immediate repetition may succeed.
	Incomplete bool `json:"incomplete,omitempty"`
	// Tokens is the answer to count. In that to enter they are the exact tokens of the conversation as it is now, from a host with a tokenizer.
	Tokens int `json:"tokens,omitempty"`
	// Skip, in the answer to before, leaves the compaction out. Redact replaces texts in what it reads, and Score says what matters, as the options do.
	Skip   bool    `json:"skip,omitempty"`
	Redact *Redact `json:"redact,omitempty"`
	Score  *Score  `json:"score,omitempty"`
}

// JobProgress is the answer of the operations loop_start and loop_event: the job's state and the effects to execute.
// With Result or Failure the job has ended, and there is no Job.
//
//easyjson:json
type JobProgress struct {
	// Job is the state that the host passes to the next loop_event unchanged.
	Job Raw `json:"job,omitempty" is:"object"`
	// NeedsMessages reports whether the next loop_event must include the messages or the session. Messages may have
	// been added since.
	NeedsMessages bool     `json:"needs_messages,omitempty"`
	Effects       []Effect `json:"effects"`
	// Failure is why the job ended without a result. Nothing was changed.
	Failure *JobFailure `json:"failure,omitempty"`
	// Result is the answer of the operation, with the member memory left out.
	Result Raw `json:"result,omitempty" is:"Planned"`
	// Check is that of a turn which has ended without a compaction; its Result is null.
	Check Raw `json:"check,omitempty" is:"Check"`
	// Notes are for the next turn of the conversation, from the loop_start of a turn.
	Notes *TurnNotes `json:"notes,omitempty"`
	// Raw is the whole answer as it came, including members that this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// JobFailure is why a job ended without a result.
type JobFailure struct {
	Code    FailureCode `json:"code"`
	Message string      `json:"message"`
	// Path is the location of the error, as in an Error. Offset is its offset in bytes from the start of the messages,
	// if it is in them.
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
