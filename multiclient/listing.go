package multiclient

import (
	"context"
	"reflect"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxItems bounds the lists of prompts, resources and resource templates.
const maxItems = 100_000

// A listing is a kind of list that servers offer, item by item of type T,
// returned as S.
type listing[T, S any] struct {
	what     string
	declared func(*mcp.ServerCapabilities) bool
	page     func(ctx context.Context, cs *mcp.ClientSession, cursor string) ([]T, string, error)
	stamp    func(server string, item T) S
	note     func(*server, []T)      // may be nil
	watch    func(*server) *watch[T] // may be nil, and return nil
}

// list lists from one server.
func (l *listing[T, S]) list(ctx context.Context, s *server) ([]T, error) {
	ctx, cancel := s.within(ctx, s.listTimeout()+s.connectTimeout())
	defer cancel()
	var w *watch[T]
	if l.watch != nil {
		w = l.watch(s)
	}
	begun := w.begin()
	items, err := ask(ctx, s, PhaseList, func(ctx context.Context, cs *mcp.ClientSession) ([]T, error) {
		if !declares(cs, l.declared) {
			return nil, nil
		}
		return inTime(ctx, s, func(ctx context.Context) ([]T, error) {
			return pages(ctx, s, l.what, maxItems, func(ctx context.Context, cursor string) ([]T, string, error) {
				return l.page(ctx, cs, cursor)
			})
		})
	})
	if err != nil {
		return nil, err
	}
	items = slices.DeleteFunc(items, func(item T) bool { return reflect.ValueOf(item).IsNil() })
	if l.note != nil {
		l.note(s, items)
	}
	w.take(begun, items)
	return items, nil
}

// inTime makes a request within the list timeout, and tells if that was not enough.
func inTime[T any](ctx context.Context, s *server, request func(context.Context) (T, error)) (T, error) {
	ctx, cancel := s.within(ctx, s.listTimeout())
	defer cancel()
	res, err := request(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return res, err
}

// listAll lists from the named servers, or all.
func listAll[T, S any](ctx context.Context, c *MultiServerClient, names []string, l listing[T, S]) ([]S, error) {
	servers, lists, err := each(ctx, c, names, l.list)
	var all []S
	for i, list := range lists {
		for _, item := range list {
			all = append(all, l.stamp(servers[i], item))
		}
	}
	return all, err
}
