package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	pythonBlocking = "host/python/src/ctxfold/_compactor.py"
	pythonAsync    = "host/python/src/ctxfold/aio.py"
)

// asyncio returns the source of the module ctxfold.aio, which is made from the source of the blocking functions by replacing them with
// coroutines.
func asyncio(root string) []byte {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(pythonBlocking)))
	check(err)
	s := string(text)
	for _, r := range asyncRules {
		s = r.apply(s, pythonBlocking)
	}
	return []byte(s)
}

// asyncRules are the replacements that turn blocking functions into coroutines, in order. Each must match at least once.
var asyncRules = []replacement{
	{regexp.MustCompile(`^"""[^"]*"""\n`), asyncHead},
	{regexp.MustCompile(`(?m)^from \._steps import Summarize, run$`), "from ._asyncio import run\nfrom ._steps import Summarize"},
	{regexp.MustCompile(`import TYPE_CHECKING, Any, Callable`), "import TYPE_CHECKING, Any, Awaitable, Callable"},
	{regexp.MustCompile(`(?m)^( *)def `), "${1}async def "},
	{regexp.MustCompile(`async def __init__`), "def __init__"},
	{regexp.MustCompile(`__(enter|exit)__`), "__a${1}__"},
	{regexp.MustCompile(`\brun\(`), "await run("},
	{regexp.MustCompile(`awaited = False`), "awaited = True"},
	{regexp.MustCompile(`Callable\[\[List\[Msg\]\], T\]`), "Callable[[List[Msg]], Union[T, Awaitable[T]]]"},
	{regexp.MustCompile(":class:`ctxfold\\.aio\\.(\\w+)` is the same for asyncio\\."), "It is :class:`ctxfold.${1}` for asyncio."},
	{regexp.MustCompile(`(?m)^( {8}(?:answer = )?)(conversation\.\w+\()`), "${1}await $2"},
	{regexp.MustCompile("``send`` sends the given messages\\."), "``send`` sends the given messages; it may be a coroutine function."},
	{regexp.MustCompile(`from other threads`), "by other tasks"},
}

var asyncHead = strings.TrimPrefix(`
# Generated from _compactor.py by `+"`make generate`"+`. Do not edit it.
"""The API for asyncio: coroutine versions of `+"``fit``, :class:`Compactor` and :class:`Conversation`"+`.

`+"``summarize``"+` and the methods of a store or a memory may be coroutine functions; other functions run in a thread. The
module also runs in a thread, without the GIL. Methods that need no model and no store, such as `+"``check``"+`, still block.
To keep one off the event loop, use `+"``await asyncio.to_thread(compactor.check, messages)``"+`.

If the task is cancelled, its compaction is aborted and nothing has changed.
"""
`, "\n")
