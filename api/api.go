// Package api has the types of requests and answers (docs/reference/abi.md): reports and other answers, their words, error codes, and the
// values that a host keeps or sends: options, plans, states, memory.
//
// The methods of package ctxfold return the answers. You need the requests only if you build them yourself, for Compactor.Call. Values to
// pass on unchanged are [Raw].
//
// Unless stated otherwise, tokens are estimates by the policy's estimator, sizes and offsets are bytes of UTF-8, and message indexes count
// from 0 in the input list. Members that an answer omits have the zero value.
package api

// The packages of core use these types, and internal/apigen generates the types of TypeScript and Python and the tables of docs/reference
// from them. Package api imports no other package of this module and has no behaviour.

//go:generate sh ../internal/apigen/easyjson.sh -disallow_unknown_fields requests.go
//go:generate sh ../internal/apigen/easyjson.sh report.go
//go:generate sh ../internal/apigen/easyjson.sh answers.go
//go:generate sh ../internal/apigen/easyjson.sh -disallow_unknown_fields jobs.go
