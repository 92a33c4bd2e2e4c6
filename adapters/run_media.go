package adapters

import (
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
)

const (
	// maxMedia is how many images and the like of one step are sent on. Above 20
	// Anthropic's API takes small images only.
	maxMedia = 20

	// maxMediaBytes is the size of one, 5 MiB in base64, which is the limit of
	// Anthropic's API, the lowest of all.
	maxMediaBytes = 5 << 20 / 4 * 3
)

// media returns the message that shows the model what the text of the results
// cannot, or nil. What a provider would refuse must not get into it: it
// would be refused with each request from then on.
func (r *runner) media(calls []RunCall) []llms.ContentPart {
	var parts []llms.ContentPart
	count := 0
	for _, call := range calls {
		if call.Result == nil {
			continue
		}
		var own []llms.ContentPart
		if r.options.Media != nil {
			own = r.options.Media(call.Result)
		} else {
			own = r.model.dialect.acceptable(call.Result, maxMedia-count)
		}
		if len(own) == 0 {
			continue
		}
		count += len(own)
		parts = append(parts, llms.TextPart(fmt.Sprintf("From the result of the tool %s:", call.Tool)))
		parts = append(parts, own...)
	}
	return parts
}

// acceptable returns up to n parts of a result that the model's API takes.
func (d *dialect) acceptable(res *mcp.CallToolResult, n int) []llms.ContentPart {
	var parts []llms.ContentPart
	for _, part := range ResultParts(res, ImagesAsBinary) {
		blob, ok := part.(llms.BinaryContent)
		if !ok || len(parts) == n || len(blob.Data) > maxMediaBytes {
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
