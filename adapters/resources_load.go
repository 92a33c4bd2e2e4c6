package adapters

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/schema"
	"golang.org/x/sync/errgroup"
)

// ErrReadFailed: a resource could not be read.
const ErrReadFailed ErrorKind = "resource not read"

// A ResourceReader reads resources of several servers: a client of package
// multiclient.
type ResourceReader interface {
	ReadResource(ctx context.Context, server, uri string) (*mcp.ReadResourceResult, error)
}

// A ResourceRef says where a resource is.
type ResourceRef struct{ Server, URI string }

// A Splitter cuts text into pieces: a textsplitter.TextSplitter of langchaingo,
// which this package does not import, since it brings a Markdown parser along.
type Splitter interface {
	SplitText(text string) ([]string, error)
}

// A ResourceLoader loads resources as documents. With the type of langchaingo's
// splitters it is a documentloaders.Loader:
//
//	loader := adapters.ResourceLoader[textsplitter.TextSplitter]{Reader: client, Resources: refs}
type ResourceLoader[S Splitter] struct {
	// Reader reads the resources. Required.
	Reader ResourceReader

	// Resources are what is loaded.
	Resources []ResourceRef

	// Concurrency is how many are read at the same time. 0 means 4.
	Concurrency int

	// OnError, if set, is told of each resource that cannot be read, and says
	// what becomes of it: with nil it is left out in silence, and another error
	// is returned by Load in its place. It is called concurrently.
	OnError func(ref ResourceRef, err error) error
}

// Load returns the documents of all resources, in their order: see
// [ResourceDocuments]. Resources that cannot be read take no other with them:
// the documents of the others are returned together with an error that joins
// one [*Error] of kind [ErrReadFailed] for each, in order.
func (l ResourceLoader[S]) Load(ctx context.Context) ([]schema.Document, error) {
	if l.Reader == nil {
		return nil, &Error{Kind: ErrBadOption, Err: errors.New("a ResourceLoader needs a Reader")}
	}
	if l.Concurrency < 0 {
		return nil, &Error{Kind: ErrBadOption, Err: fmt.Errorf("option Concurrency is negative (%d): use 0 for the default", l.Concurrency)}
	}
	documents := make([][]schema.Document, len(l.Resources))
	errs := make([]error, len(l.Resources))
	var group errgroup.Group
	group.SetLimit(cmp.Or(l.Concurrency, 4))
	for i, ref := range l.Resources {
		group.Go(func() error {
			// In this goroutine a panic would end the process.
			defer func() {
				if v := recover(); v != nil {
					errs[i] = &Error{Kind: ErrReadFailed, Server: ref.Server, Err: fmt.Errorf("resource %s: %w", quoted(ref.URI), panicked("the Reader or OnError", v))}
				}
			}()
			res, err := l.Reader.ReadResource(ctx, ref.Server, ref.URI)
			if err == nil && res == nil {
				err = errors.New("the Reader returned neither a result nor an error")
			}
			if err == nil && res.NeedsInput() {
				err = errors.New("the server asks for more input before it gives the resource")
			}
			if err == nil {
				documents[i] = ResourceDocuments(ref.Server, res)
				return nil
			}
			if which := "resource " + quoted(ref.URI); !strings.Contains(err.Error(), which) {
				err = fmt.Errorf("%s: %w", which, err)
			}
			err = &Error{Kind: ErrReadFailed, Server: ref.Server, Err: err}
			if l.OnError != nil {
				err = l.OnError(ref, err)
			}
			errs[i] = err
			return nil
		})
	}
	_ = group.Wait()
	var all []schema.Document
	for _, d := range documents {
		all = append(all, d...)
	}
	return all, errors.Join(errs...)
}

// LoadAndSplit is Load, with each document cut into pieces that have its
// metadata, except for blobs, which stay with the first. Documents without text
// are left out. What the splitter fails on is an error, without documents.
func (l ResourceLoader[S]) LoadAndSplit(ctx context.Context, splitter S) ([]schema.Document, error) {
	documents, loadErr := l.Load(ctx)
	var pieces []schema.Document
	for _, d := range documents {
		if d.PageContent == "" {
			continue
		}
		texts, err := splitter.SplitText(d.PageContent)
		if err != nil {
			uri, _ := d.Metadata[MetadataURI].(string)
			return nil, errors.Join(&Error{Kind: ErrConversion, Err: fmt.Errorf("resource %s cannot be split: %w", quoted(uri), err)}, loadErr)
		}
		for i, text := range texts {
			metadata := maps.Clone(d.Metadata)
			if i > 0 {
				delete(metadata, MetadataBlob)
			}
			pieces = append(pieces, schema.Document{PageContent: text, Metadata: metadata})
		}
	}
	return pieces, loadErr
}
