module github.com/ctxfold/ctxfold

go 1.26.0

// What is built or installed there may hold Go files that are no part of this module.
ignore (
	./build
	node_modules
)

require (
	github.com/mailru/easyjson v0.9.2
	github.com/tetratelabs/wazero v1.12.0
)

require (
	github.com/josharian/intern v1.0.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
