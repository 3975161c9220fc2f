package component

import "github.com/ctxfold/ctxfold/api"

//go:generate sh ../../internal/apigen/easyjson.sh types.go

// Types of package api that only this package decodes, as parts of an answer. Decoders in package api would be linked
// into the plain module too.
type (
	// SummaryRequest is a request for a summary.
	//
	//easyjson:json
	SummaryRequest api.SummaryRequest

	// Body is the removed content in an archive.
	//
	//easyjson:json
	Body api.Body

	// ReportTokens are the token counts in a report.
	//
	//easyjson:json
	ReportTokens api.ReportTokens
)
