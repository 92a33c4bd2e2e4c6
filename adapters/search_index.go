package adapters

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/tmc/langchaingo/tools"
)

// A ToolIndex finds tools by what they do, among hundreds. It ranks by BM25
// over names, servers, titles, descriptions and arguments, with words of a name
// taken apart ("list_pull_requests", "listPullRequests") and without regard to
// case and to plain endings of English words. It is not changed once it is made, and safe for
// concurrent use.
type ToolIndex struct {
	tools    []tools.Tool
	lengths  []float64 // of the documents, weighted
	average  float64
	postings map[string][]posting // by word, in the order of the tools
}

// A posting says how much of a document a word is.
type posting struct {
	document  int
	frequency float64
}

// Parameters of BM25, as most use them (Robertson and Zaragoza, The
// Probabilistic Relevance Framework, 2009, section 3.3).
const (
	bm25K = 1.2
	bm25B = 0.75
)

// Weights of the parts of a tool: how often a word there counts.
const (
	weightName        = 4
	weightTitle       = 2
	weightServer      = 1
	weightDescription = 1
	weightArgument    = 1
)

// Bounds of what is read of a tool, which comes from a server.
const (
	maxIndexedText = 16 << 10
	maxIndexedArgs = 256
)

// NewToolIndex returns an index of the tools, which it keeps. Nil ones are left
// out, nil pointers in the interface included.
func NewToolIndex(list []tools.Tool) *ToolIndex {
	x := &ToolIndex{postings: map[string][]posting{}}
	for _, tool := range list {
		if !isNil(tool) {
			x.add(tool)
		}
	}
	for _, n := range x.lengths {
		x.average += n / float64(len(x.lengths))
	}
	return x
}

func (x *ToolIndex) add(tool tools.Tool) {
	document := len(x.tools)
	frequencies := map[string]float64{}
	length := 0.0
	read := func(text string, weight float64) {
		for _, word := range searchWords(prefix(text, maxIndexedText)) {
			frequencies[word] += weight
			length += weight
		}
	}
	read(tool.Name(), weightName)
	if t, ok := tool.(*Tool); ok {
		read(t.ServerName(), weightServer)
		read(t.tool.Title, weightTitle)
		if t.OriginalName() != t.Name() {
			read(t.OriginalName(), weightName)
		}
		read(t.description(), weightDescription)
		schema, _ := NormalizeSchema(t.tool.InputSchema, SchemaRaw)["properties"].(map[string]any)
		names := slices.Sorted(maps.Keys(schema))
		for _, name := range names[:min(len(names), maxIndexedArgs)] {
			read(name, weightArgument)
			if p, ok := schema[name].(map[string]any); ok {
				description, _ := p["description"].(string)
				read(description, weightArgument/2.0)
			}
		}
	} else {
		read(tool.Description(), weightDescription)
	}
	x.tools = append(x.tools, tool)
	x.lengths = append(x.lengths, length)
	for word, frequency := range frequencies {
		x.postings[word] = append(x.postings[word], posting{document, frequency})
	}
}

// Find returns the tools that a query fits, the best first: at most limit, or
// all of them if limit is not positive. Among equals the order is that of the
// index. A query without any word of a tool finds nothing.
func (x *ToolIndex) Find(query string, limit int) []tools.Tool {
	words := searchWords(prefix(query, maxIndexedText))
	slices.Sort(words)
	scores := map[int]float64{}
	for _, word := range slices.Compact(words) {
		found := x.postings[word]
		n, df := float64(len(x.tools)), float64(len(found))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		for _, p := range found {
			norm := bm25K * (1 - bm25B + bm25B*x.lengths[p.document]/x.average)
			scores[p.document] += idf * p.frequency * (bm25K + 1) / (p.frequency + norm)
		}
	}
	ranked := make([]int, 0, len(scores))
	for document := range scores {
		ranked = append(ranked, document)
	}
	slices.SortFunc(ranked, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	if limit > 0 && len(ranked) > limit {
		ranked = ranked[:limit]
	}
	list := make([]tools.Tool, len(ranked))
	for i, document := range ranked {
		list[i] = x.tools[document]
	}
	return list
}

// searchWords returns the words of text in the form in which they are compared.
// Letters of scripts that are written without spaces are words of their own.
func searchWords(text string) []string {
	var (
		words   []string
		current []rune
	)
	flush := func() {
		if word := stem(strings.ToLower(string(current))); word != "" && !stopWords[word] {
			words = append(words, word)
		}
		current = current[:0]
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			flush()
			words = append(words, string(r))
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) ||
			unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush() // camelCase, and HTTPServer
			current = append(current, r)
		default:
			current = append(current, r)
		}
	}
	flush()
	return words
}

// stopWords occur in any request and tell nothing of a tool.
var stopWords = map[string]bool{
	"a": true, "an": true, "and": true, "the": true, "of": true, "to": true, "in": true, "on": true, "for": true, "with": true,
	"by": true, "from": true, "it": true, "is": true, "are": true, "me": true, "my": true, "i": true, "all": true, "that": true,
	"this": true, "what": true, "which": true, "how": true, "be": true, "or": true, "at": true, "as": true, "please": true,
}

// stem takes plain endings off an English word, so that "files", "listing" and
// "created" meet "file", "list" and "create".
func stem(word string) string {
	for _, ending := range []struct{ from, to string }{
		{"ies", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"ing", ""}, {"ed", ""}, {"s", ""},
	} {
		base, ok := strings.CutSuffix(word, ending.from)
		if !ok || len(base) < 3 || ending.from == "s" && strings.HasSuffix(base, "s") {
			continue
		}
		word = base + ending.to
		break
	}
	if n := len(word); n > 4 && word[n-1] == word[n-2] && word[n-1] != 's' && word[n-1] != 'l' {
		word = word[:n-1] // running, stopped
	}
	return strings.TrimSuffix(word, "e")
}
