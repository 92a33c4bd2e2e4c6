package adapters

import (
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/schema"
)

// Keys of the metadata of the documents that [ResourceDocuments] makes.
const (
	MetadataURI      = "uri"       // string
	MetadataMIMEType = "mime_type" // string, as the server sent it
	MetadataServer   = "server"    // string
	MetadataBlob     = "blob"      // []byte
	MetadataMeta     = "_meta"     // map[string]any
)

// ResourceDocuments returns the contents of a resource as documents, one for
// one and in order, with what is known of uri, media type, server and _meta in
// the metadata; a key without a value is not there. A nil result has none.
//
// Text is the page content. Of a blob the bytes are in the metadata, under
// [MetadataBlob], so that JSON of the document holds them in base64; they are
// the page content too if they are text by their media type (text/*, JSON, XML)
// and by their bytes (UTF-8), and otherwise the page content is empty. The
// bytes are shared with the result.
//
// serverName is the connection that the resource comes from, or empty.
func ResourceDocuments(serverName string, res *mcp.ReadResourceResult) []schema.Document {
	if res == nil {
		return nil
	}
	docs := make([]schema.Document, 0, len(res.Contents))
	for _, contents := range res.Contents {
		if contents == nil {
			continue
		}
		docs = append(docs, schema.Document{
			PageContent: clean(pageContent(contents)),
			Metadata:    resourceMetadata(serverName, contents),
		})
	}
	return docs
}

func resourceMetadata(serverName string, contents *mcp.ResourceContents) map[string]any {
	metadata := map[string]any{}
	for key, value := range map[string]string{
		MetadataURI:      contents.URI,
		MetadataMIMEType: contents.MIMEType,
		MetadataServer:   serverName,
	} {
		if value != "" {
			metadata[key] = value
		}
	}
	if contents.Blob != nil {
		metadata[MetadataBlob] = contents.Blob
	}
	if contents.Meta != nil {
		metadata[MetadataMeta] = maps.Clone(map[string]any(contents.Meta))
	}
	return metadata
}

func pageContent(contents *mcp.ResourceContents) string {
	if contents.Blob == nil {
		return contents.Text
	}
	if isTextMedia(mediaType(contents.MIMEType, contents.Blob)) && utf8.Valid(contents.Blob) {
		return string(contents.Blob)
	}
	return ""
}

func isTextMedia(media string) bool {
	return strings.HasPrefix(media, "text/") ||
		media == "application/json" || strings.HasSuffix(media, "+json") ||
		media == "application/xml" || strings.HasSuffix(media, "+xml")
}
