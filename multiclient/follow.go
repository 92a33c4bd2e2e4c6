package multiclient

import (
	"context"
	"errors"
	"iter"
	"maps"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// FollowOptions configure [MultiServerClient.Follow]. The zero value is useful.
type FollowOptions struct {
	// Prepare may change the connections of an update before they are used, such
	// as to add those that are in no file, or handlers to those that are. The map
	// is its own. An error makes the update one that is ignored. Connections that
	// are given new functions or handlers each time are replaced each time: give
	// them the same. Nil changes nothing.
	Prepare func(config.Connections) (config.Connections, error)

	// Changed is told what an update has changed, and why one was ignored; both
	// if the changes were made but the old connection of a server has not ended
	// yet. Updates that change nothing are not told. It is called by Follow, and
	// delays what comes next. Nil means that the client's logger is told.
	Changed func(changes *Changes, err error)
}

// Follow makes the connections of every update those of the client, as
// [MultiServerClient.SetConnections] does: servers whose connection stays the
// same keep their session. An update that is an error, or not valid, is
// ignored: the connections stay as they are.
//
// It returns nil when the client is closed or the updates end, and the cause of
// the end of the context when that ends. The context is also that of the
// updates, which must end with it.
//
//	watcher := watch.New(nil, config.Files("mcp.json")...)
//	go client.Follow(ctx, watcher.Connections, nil)
//
// Updates that are nil, or that give nil, are an [*Error] of kind [ErrFailed]. Nil
// options are fine. One call at a time makes sense, since each takes away
// what others add.
func (c *MultiServerClient) Follow(ctx context.Context, updates func(context.Context) iter.Seq2[config.Connections, error], options *FollowOptions) error {
	errNone := configureError(ErrFailed, "", errors.New("there are no updates to follow: they are nil"))
	if updates == nil {
		return errNone
	}
	var opts FollowOptions
	if options != nil {
		opts = *options
	}
	if opts.Changed == nil {
		opts.Changed = c.logChanges
	}
	following, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer stop()
		select {
		case <-c.closing:
		case <-following.Done():
		}
	}()
	defer func() { stop(); <-ended }()

	sequence := updates(following)
	if sequence == nil {
		return errNone
	}
	for connections, err := range sequence {
		if following.Err() != nil {
			break
		}
		var changes *Changes
		if err == nil {
			changes, err = c.follow(following, connections, opts.Prepare)
		}
		if errors.Is(err, ErrClosed) || changes == nil && following.Err() != nil {
			break
		}
		if err != nil || len(changes.Added)+len(changes.Removed)+len(changes.Replaced) > 0 {
			opts.Changed(changes, err)
		}
	}
	return context.Cause(ctx)
}

func (c *MultiServerClient) follow(ctx context.Context, connections config.Connections, prepare func(config.Connections) (config.Connections, error)) (*Changes, error) {
	if prepare != nil {
		own := maps.Clone(connections)
		if own == nil {
			own = config.Connections{}
		}
		var err error
		if connections, err = prepare(own); err != nil {
			return nil, err
		}
	}
	return c.SetConnections(ctx, connections)
}

func (c *MultiServerClient) logChanges(changes *Changes, err error) {
	if err != nil {
		c.opts.Logger.Warn("an update of the connections has a fault", "error", err)
	}
	if changes != nil {
		c.opts.Logger.Info("the connections have changed",
			"added", changes.Added, "removed", changes.Removed, "replaced", changes.Replaced)
	}
}
