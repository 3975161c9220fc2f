// Package full adds the published systems, compaction methods that ctxfold can reproduce, to package core. Importing it
// makes the operation "function" available, and allows "wire_safe": false in policies. Import it for its side effects:
//
//	import _ "github.com/ctxfold/ctxfold/core/full"
package core

import _ "github.com/ctxfold/ctxfold/core/internal/published"
