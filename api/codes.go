package api

// Code names a kind of error. Codes are stable.
type Code string

// The codes of errors.
const (
	CodeInvalidJSON      Code = "invalid_json"      // no JSON as RFC 8259 has it
	CodeTruncatedJSON    Code = "truncated_json"    // the JSON ends too early
	CodeInvalidUTF8      Code = "invalid_utf8"      // bytes that are not UTF-8
	CodeTooDeep          Code = "too_deep"          // objects and arrays are nested more than 512 deep
	CodeTooLarge         Code = "too_large"         // a request of more than 1 GiB, a transcript of more than 1,048,576 messages or 2,097,152 parts, a policy of more than 1 MiB
	CodeWrongType        Code = "wrong_type"        // another type is wanted here
	CodeDuplicateKey     Code = "duplicate_key"     // a key that matters stands twice in one object
	CodeUnknownField     Code = "unknown_field"     // there is no such key in a request, a policy, a pass, a state or a plan
	CodeMissingField     Code = "missing_field"     // the operation needs this key
	CodeOutOfRange       Code = "out_of_range"      // a value that makes no sense
	CodeUnknownSession   Code = "unknown_session"   // `open` or `save` was given no session file
	CodeCannotSave       Code = "cannot_save"       // a session file of its kind cannot hold these messages
	CodeNoMessages       Code = "no_messages"       // there is no list of messages: a request body without one
	CodeMissingRole      Code = "missing_role"      // a message has no role
	CodeUnknownFormat    Code = "unknown_format"    // there is no such wire format, or none has messages like these; the message names the nearest
	CodeAmbiguousFormat  Code = "ambiguous_format"  // several wire formats have messages like these: set `format` in the policy
	CodeUnknownPreset    Code = "unknown_preset"    // there is no such preset
	CodeUnknownEstimator Code = "unknown_estimator" // there is no such estimator
	CodeUnknownPass      Code = "unknown_pass"      // there is no such pass
	CodeEmptyQuery       Code = "empty_query"       // a query has no word
	CodeHandleMismatch   Code = "handle_mismatch"   // a body is not the one of its handle
	CodePlanMismatch     Code = "plan_mismatch"     // the plan was made for other messages, or by another version
	CodeSessionClosed    Code = "session_closed"    // there is no open session of this number
	CodeSummaryFailed    Code = "summary_failed"    // there is no summary, and the policy wants an error then (`summary.on_failure`, with `wire_safe` off)
	CodeNeedsFull        Code = "needs_full"        // this is in the full module only (`ctxfold-full.wasm`): a policy with `"wire_safe": false`, or the operation `function`
	CodeUnknownFunction  Code = "unknown_function"  // there is no such function
	CodeUnknownOp        Code = "unknown_op"        // there is no such operation (natively; a module has no export for it)
	CodeInternal         Code = "internal"          // a mistake in ctxfold: please report it; nothing was changed
)
