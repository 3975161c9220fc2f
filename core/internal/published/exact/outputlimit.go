package exact

import "github.com/ctxfold/ctxfold/core/internal/passes"

// LimitOutput shortens a tool output as S4 does. If the output has too many runes or bytes, its end is cut off, even
// the last lines that were just kept (S4.21), and the result may be longer than the input. See
// [passes.OutputLimits.Limit]. place and failure are those of [passes.OutputLimits.LimitStored].
func LimitOutput(l passes.OutputLimits, text, place, failure string) passes.LimitedOutput {
	out, rest := l.LimitStored(text, place, failure)
	if text == "" || out.Spilled || l.Lines <= 0 && l.Bytes <= 0 && l.Runes <= 0 {
		return out
	}
	cut := rest
	if !l.Fits(rest) {
		cut = l.CutEnd(rest)
		cut += passes.OutputNotice(cut, rest)
	}
	if cut != text {
		out.Text, out.Changed = cut, true
	}
	return out
}
