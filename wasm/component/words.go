package component

import "github.com/ctxfold/ctxfold/api"

// The enums of wit/ctxfold.wit. A case is encoded as the index of its word. A test compares them with the WIT and package api.
var (
	// Codes are the cases of error-code.
	Codes = []api.Code{
		api.CodeInvalidJSON, api.CodeTruncatedJSON, api.CodeInvalidUTF8, api.CodeTooDeep, api.CodeTooLarge, api.CodeWrongType,
		api.CodeDuplicateKey, api.CodeUnknownField, api.CodeMissingField, api.CodeOutOfRange, api.CodeUnknownSession, api.CodeCannotSave,
		api.CodeNoMessages, api.CodeMissingRole, api.CodeUnknownFormat, api.CodeAmbiguousFormat, api.CodeUnknownPreset,
		api.CodeUnknownEstimator, api.CodeUnknownPass, api.CodeEmptyQuery, api.CodeHandleMismatch, api.CodePlanMismatch,
		api.CodeSessionClosed, api.CodeSummaryFailed, api.CodeNeedsFull, api.CodeNeedsWhole, api.CodeUnknownFunction, api.CodeUnknownOp, api.CodeInternal,
		api.CodeUnknownWindow, api.CodeWrongFormat, api.CodeJobMismatch, api.CodeUnknownEffect,
	}
	// Reasons are the cases of reason.
	Reasons = []api.Reason{
		api.ReasonCompacted, api.ReasonUnderBudget, api.ReasonUnknownWindow, api.ReasonNoProgress, api.ReasonGainTooSmall,
		api.ReasonOpenThinking, api.ReasonStuck, api.ReasonNeedsSummaries, api.ReasonOverLimit, api.ReasonOverBytes, api.ReasonCold,
		api.ReasonSummaryFailed, api.ReasonRepaired, api.ReasonRestored, api.ReasonNothingToRestore, api.ReasonValid,
		api.ReasonUnlimited,
	}
	// Sources are the cases of token-source.
	Sources = []api.TokenSource{api.TokensMeasured, api.TokensCalibrated, api.TokensEstimated, api.TokensUpperBound}
	// Scopes are the cases of scope.
	Scopes = []api.Scope{
		api.ScopeSession, api.ScopeUpdate, api.ScopeTurnPrefix, api.ScopePart, api.ScopeMerge, api.ScopeBranch, api.ScopeToolOutput,
	}
)
