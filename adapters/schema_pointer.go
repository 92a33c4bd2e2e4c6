package adapters

import (
	"net/url"
	"strconv"
	"strings"
)

// pointedTo returns what a reference by JSON pointer within the document refers
// to, or nil: for anchors and for other documents too.
func pointedTo(root any, ref string) any {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil
	}
	if pointer == "" {
		return root
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil || pointer[0] != '/' {
		return nil
	}
	at := root
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}
