// Package api contains the types of requests and responses (docs/reference/abi.md): reports and other results, their constants and error
// codes, and the values that a host stores or sends, such as options, plans, states and memory entries.
//
// The methods of package ctxfold return the response types. You need the request types only if you build requests
// yourself, for Compactor.Call. Values to pass on unchanged are [Raw].
//
// Unless stated otherwise, token counts are estimates by the policy's estimator, sizes and offsets are bytes of
// UTF-8, and message indexes count from 0 in the input list. Members missing from a response have their zero value.
package api

// The packages of core use these types. internal/apigen generates the TypeScript and Python types and the tables of
// docs/reference from them. Package api imports no other package of this module and has no behavior.

//go:generate sh ../internal/apigen/easyjson.sh -disallow_unknown_fields requests.go
//go:generate sh ../internal/apigen/easyjson.sh report.go
//go:generate sh ../internal/apigen/easyjson.sh answers.go
//go:generate sh ../internal/apigen/easyjson.sh -disallow_unknown_fields jobs.go
