package adapters

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// meets reports whether v satisfies a facet, as far as that is certain.
func meets(name string, limit, v any) bool {
	var size float64
	switch v := v.(type) {
	case json.Number:
		return meetsNumber(name, limit, v)
	case float64:
		return meetsNumber(name, limit, json.Number(strconv.FormatFloat(v, 'f', -1, 64)))
	case string:
		if pattern, _ := limit.(string); name == "pattern" {
			re, err := regexp.Compile(pattern)
			return err != nil || re.MatchString(v)
		}
		size = float64(utf8.RuneCountInString(v))
	case []any:
		size = float64(len(v))
	case map[string]any:
		size = float64(len(v))
	default:
		return true
	}
	if facetTable[name].of&typeOf(v) == 0 || facetTable[name].bound == 0 {
		return true
	}
	bound, _ := number(limit)
	if facetTable[name].bound > 0 {
		return size >= bound
	}
	return size <= bound
}

func meetsNumber(name string, limit any, v json.Number) bool {
	if facetTable[name].of&typeNumber == 0 || len(v) > maxPhrase || strings.ContainsAny(string(v), "eE") {
		return true
	}
	value, ok := new(big.Rat).SetString(string(v))
	f, isNumber := number(limit)
	if !ok || !isNumber {
		return true
	}
	bound := new(big.Rat).SetFloat64(f)
	order := value.Cmp(bound)
	switch name {
	case "minimum":
		return order >= 0
	case "maximum":
		return order <= 0
	case "exclusiveMinimum":
		return order > 0
	case "exclusiveMaximum":
		return order < 0
	case "multipleOf":
		times, _ := new(big.Rat).Quo(value, bound).Float64()
		return math.Abs(times-math.Round(times)) <= 1e-9*math.Abs(times) // 0.1 is no binary fraction
	default:
		return true
	}
}
