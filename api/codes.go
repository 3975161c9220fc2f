package api

// Code names a kind of error. Codes are stable.
type Code string

// The error codes.
const (
	CodeInvalidJSON      Code = "invalid_json"      // the text isn't JSON (RFC 8259)
	CodeTruncatedJSON    Code = "truncated_json"    // the JSON ends too early
	CodeInvalidUTF8      Code = "invalid_utf8"      // the text isn't valid UTF-8
	CodeTooDeep          Code = "too_deep"          // more than 512 levels of nesting
	CodeTooLarge         Code = "too_large"         // a request over 1 GiB, a transcript over 1,048,576 messages or 2,097,152 parts, or a policy over 1 MiB
	CodeWrongType        Code = "wrong_type"        // a value has the wrong JSON type
	CodeDuplicateKey     Code = "duplicate_key"     // an object has a significant key twice
	CodeUnknownField     Code = "unknown_field"     // a request, policy, pass, state or plan has an unknown key
	CodeMissingField     Code = "missing_field"     // the operation needs this key
	CodeOutOfRange       Code = "out_of_range"      // a value is out of its range
	CodeUnknownSession   Code = "unknown_session"   // the input of `open` or `save` isn't a known session file
	CodeCannotSave       Code = "cannot_save"       // a session file of this kind can't hold these messages
	CodeNoMessages       Code = "no_messages"       // there is no message list, for example in a request body without one
	CodeMissingRole      Code = "missing_role"      // a message has no role
	CodeUnknownFormat    Code = "unknown_format"    // the wire format is unknown, or none has messages like these; the message names the nearest
	CodeAmbiguousFormat  Code = "ambiguous_format"  // several wire formats have messages like these: set `format` in the policy
	CodeUnknownPreset    Code = "unknown_preset"    // the preset is unknown
	CodeUnknownEstimator Code = "unknown_estimator" // the estimator is unknown
	CodeUnknownPass      Code = "unknown_pass"      // the pass is unknown
	CodeEmptyQuery       Code = "empty_query"       // a query has no words
	CodeHandleMismatch   Code = "handle_mismatch"   // a body doesn't match its handle
	CodePlanMismatch     Code = "plan_mismatch"     // the plan was made for other messages or by another version: plan again
	CodeSessionClosed    Code = "session_closed"    // no session with this number is open: open it again
	CodeSummaryFailed    Code = "summary_failed"    // there is no summary, and the policy turns that into an error (`summary.on_failure`, with `wire_safe` off)
	CodeNeedsFull        Code = "needs_full"        // only the full module (`ctxfold-full.wasm`) can do this: a policy with `"wire_safe": false`, or the operation `function`
	CodeNeedsWhole       Code = "needs_whole"       // only the whole module (`ctxfold.wasm`) can do this, and the slim one was called: the message names the operation or the wire format that it lacks
	CodeUnknownFunction  Code = "unknown_function"  // the function is unknown
	CodeUnknownOp        Code = "unknown_op"        // the operation is unknown (native calls only; the module has no export for it)
	CodeInternal         Code = "internal"          // a bug in ctxfold: please report it. Nothing was changed
	CodeUnknownWindow    Code = "unknown_window"    // the policy has no context window, and that of its model is unknown, so nothing would ever be compacted: set `window.tokens`, or `window.unlimited`
	CodeWrongFormat      Code = "wrong_format"      // the policy names a wire format that doesn't read the text of these messages; the message names a format that does
	CodeJobMismatch      Code = "job_mismatch"      // this is not a job of this version of the module: start a new one
	CodeUnknownEffect    Code = "unknown_effect"    // an event has the result of an effect that the job never asked for
)
