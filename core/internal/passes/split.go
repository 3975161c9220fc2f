package passes

// SplitByTokens is where the newest messages begin that fit in a budget of tokens: an index in sizes, which are the tokens
// of the messages. The last message stays even if it alone is larger; with a budget of 0 or less it stays alone. 0 is that
// all of them fit (S4.31).
func SplitByTokens(sizes []int, budget int) int {
	start := len(sizes)
	if start > 0 && budget <= 0 {
		return start - 1
	}
	for used := 0; start > 0; start-- {
		if used+sizes[start-1] > budget && start < len(sizes) {
			break
		}
		used += sizes[start-1]
	}
	return start
}

// SplitByCount is where the newest keep of n messages begin; 0 where there are no more than these (S4.32).
func SplitByCount(n, keep int) int { return max(0, n-keep) }
