// Package full links the published systems into package core: with it there is the operation function, and policies may say
// "wire_safe": false. Import it for its effect:
//
//	import _ "github.com/ctxfold/ctxfold/core/full"
package core

import _ "github.com/ctxfold/ctxfold/core/internal/published"
