package adapters

import (
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
)

// maxBlob is the size of one image and the like: 5 MiB in base64, which is the
// limit of Anthropic's API, the lowest of all.
const maxBlob = 5 << 20 / 4 * 3

// media returns the message that shows the model what the text of the results
// cannot, or nil. What a provider would refuse must not get into it: it
// would be refused with each request from then on.
func (r *runner) media(calls []RunCall) []llms.ContentPart {
	var parts []llms.ContentPart
	for _, call := range calls {
		if call.Result == nil {
			continue
		}
		res := call.Result
		if t, ok := r.byName[call.Tool].(*Tool); ok {
			res = t.shown(res)
		}
		var own []llms.ContentPart
		if r.options.Media != nil {
			own = r.options.Media(res)
		} else {
			own = r.model.dialect.acceptable(res)
		}
		if len(own) == 0 {
			continue
		}
		parts = append(parts, llms.TextPart(fmt.Sprintf("From the result of the tool %s:", call.Tool)))
		parts = append(parts, own...)
	}
	return parts
}

// acceptable returns the parts of a result that the model's API takes.
func (d *dialect) acceptable(res *mcp.CallToolResult) []llms.ContentPart {
	var parts []llms.ContentPart
	for _, part := range ResultParts(res, ImagesAsBinary) {
		blob, ok := part.(llms.BinaryContent)
		if !ok || len(blob.Data) > maxBlob {
			continue
		}
		if looks, _, _ := mime.ParseMediaType(http.DetectContentType(blob.Data)); strings.HasPrefix(blob.MIMEType, "image/") && !isHEIF(blob) {
			blob.MIMEType = looks // providers compare it with the data
		}
		if d.media(blob.MIMEType) {
			parts = append(parts, blob)
		}
	}
	return parts
}

// isHEIF reports whether an image is of the one type that Gemini takes and
// net/http does not know.
func isHEIF(blob llms.BinaryContent) bool {
	return len(blob.Data) > 12 && string(blob.Data[4:8]) == "ftyp" &&
		(blob.MIMEType == "image/heic" || blob.MIMEType == "image/heif")
}

// shownMedia are the media in the messages of a run, the oldest first.
type shownMedia struct {
	all   []shownPart
	bytes int
}

// A shownPart is a part of a message, and how many bytes it has.
type shownPart struct {
	part  *llms.ContentPart
	kind  string
	bytes int
}

// add adds the media among the parts of a message, and replaces by text what is
// then too much, the oldest first. The parts are the run's own.
func (m *shownMedia) add(parts []llms.ContentPart, most, mostBytes int) {
	for i, part := range parts {
		p := shownPart{part: &parts[i]}
		switch part := part.(type) {
		case llms.BinaryContent:
			p.kind, p.bytes = part.MIMEType, len(part.Data)
		case llms.ImageURLContent:
			p.kind = "image"
			if _, data, ok := strings.Cut(part.URL, ";base64,"); ok {
				p.bytes = base64.StdEncoding.DecodedLen(len(data))
			}
		default:
			continue
		}
		m.all = append(m.all, p)
		m.bytes += p.bytes
	}
	for len(m.all) > 0 && (most > 0 && len(m.all) > most || mostBytes > 0 && m.bytes > mostBytes) {
		oldest := m.all[0]
		*oldest.part = llms.TextPart(fmt.Sprintf("[%s: no longer shown, since newer ones have come]", oldest.kind))
		m.all = m.all[1:]
		m.bytes -= oldest.bytes
	}
}
