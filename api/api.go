// Package api has what requests and answers hold (docs/reference/abi.md): reports and other answers, the words in them, the codes of errors, and
// what a host keeps or sends: options, plans, states, memory.
//
// A program meets the answers in package ctxfold, whose methods return them. Requests it needs only where it makes them itself, for
// Compactor.Call. A value that a program is to carry along and not to change is [Raw].
//
// Tokens are estimates by the policy's estimator, sizes and offsets are bytes of UTF-8, and indexes of messages count from 0 in the list
// that came in, where nothing else is said. What an answer leaves out is the zero value here.
package api

// It is the one place of these types. The rooms of core use them, and those of TypeScript and the tables of docs/reference/abi.md are generated
// from them (internal/apigen). It imports no other room, and holds no behaviour.

//go:generate sh ../generate.sh -disallow_unknown_fields requests.go
//go:generate sh ../generate.sh report.go
//go:generate sh ../generate.sh answers.go
