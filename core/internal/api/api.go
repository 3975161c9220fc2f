// Package api is what a request may hold and what an answer holds: the types of options, plans, states, reports and answers, the
// closed sets of words in them, the codes of errors, and the table of operations (docs/ABI.md).
//
// It is the one place of these types. The rooms of core use them, and the types of hosts in Go and TypeScript, the exports of the
// module and the tables of docs/ABI.md are generated from here (internal/apigen). It imports no other room but jsonspan, and holds no
// behaviour.
//
// Tokens are estimates by the policy's estimator, sizes and offsets are bytes of UTF-8, and indexes of messages count from 0 in the list
// that came in, where nothing else is said.
package api

//go:generate sh ../../generate.sh
