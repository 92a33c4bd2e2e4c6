package elicitation

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

const (
	maxPatternBytes = 512
	// maxPatternCost bounds the compiled size: a pattern of 500 bytes in which
	// all is repeated 1,000 times is legal, and takes 20 MB and seconds to
	// match.
	maxPatternCost = 5000
)

// compilePattern returns nil for an empty pattern. Its errors complete "the
// field ...".
func compilePattern(pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil
	}
	if len(pattern) > maxPatternBytes {
		return nil, fmt.Errorf("has a pattern of %d bytes, more than %d", len(pattern), maxPatternBytes)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("has the pattern %s, which is not in RE2 syntax", quote(pattern))
	}
	if patternCost(tree) > maxPatternCost {
		return nil, fmt.Errorf("has the pattern %s, which repeats too much", quote(pattern))
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("has the pattern %s, which does not compile", quote(pattern))
	}
	return re, nil
}

// patternCost estimates the number of instructions. It stops counting soon
// after the bound, so that it cannot overflow.
func patternCost(re *syntax.Regexp) int {
	cost := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		cost += patternCost(sub)
	}
	if re.Op == syntax.OpRepeat {
		cost *= max(re.Min, re.Max, 1)
	}
	return min(cost, maxPatternCost+1)
}
