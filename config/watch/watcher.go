package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// Options of a [Watcher]. The zero value is useful.
type Options struct {
	// Parse is passed on to [config.Read], save that an input which has been
	// answered is asked for again only if its declaration changes. Nil is
	// fine.
	Parse *config.ParseOptions

	// Delay is how long the files have to be left alone before they are read,
	// since editors write in several steps; while they never are, they are
	// read every ten delays. 0 or less means 200 ms.
	Delay time.Duration
}

// A Watcher reads files again when they change. It is safe for concurrent use.
type Watcher struct {
	opts    Options
	sources []config.Source
}

// New returns a watcher of the sources. It does no I/O. Sources with Data are
// read, and never change. Nil options are fine.
func New(opts *Options, sources ...config.Source) *Watcher {
	w := &Watcher{sources: slices.Clone(sources)}
	if opts != nil {
		w.opts = *opts
	}
	if w.opts.Delay <= 0 {
		w.opts.Delay = 200 * time.Millisecond
	}
	return w
}

// An Update is a reading that differs from the one before.
type Update struct {
	// Generation counts the updates of one iteration, from 1.
	Generation int

	// Result is what was read. Its connections must not be changed.
	Result *config.Result

	// Changes are the difference to the last update, or to nothing.
	Changes Changes
}

// Updates reads the files, and again whenever they change, until the context
// ends or the loop is left. It yields every reading that has other connections
// than the last, the first one, and the first one without faults after one with
// faults. That is yielded as its error, once, and otherwise ignored: what was
// read before stays as it is.
// If the files cannot be watched, that error is the last.
//
// The folders of the files are watched, so that it does not matter whether an
// editor replaces a file or writes into it, whether it exists yet, or through
// which symbolic links it is reached, as those of Kubernetes. The files that
// envFile and ${file:path} name are watched too. Changes while an update is
// dealt with are not lost.
//
// Each iteration watches for itself.
func (w *Watcher) Updates(ctx context.Context) iter.Seq2[*Update, error] {
	return func(yield func(*Update, error) bool) {
		notify, err := fsnotify.NewWatcher()
		if err != nil {
			yield(nil, fmt.Errorf("watch: %w", err))
			return
		}
		defer notify.Close()
		r := &round{
			watcher: w, notify: notify, answers: answers{},
			last: Update{Result: &config.Result{}},
		}
		for {
			update, err := r.read(ctx)
			if ctx.Err() != nil {
				return
			}
			if (update != nil || err != nil) && !yield(update, err) {
				return
			}
			if _, fatal := errors.AsType[errWatch](err); fatal || !settle(ctx, w.opts.Delay, notify.Events, notify.Errors, r.concerns) {
				return
			}
		}
	}
}

// Connections is [Watcher.Updates] without everything but the connections. It
// is what the method Follow of a client takes.
func (w *Watcher) Connections(ctx context.Context) iter.Seq2[config.Connections, error] {
	return func(yield func(config.Connections, error) bool) {
		for update, err := range w.Updates(ctx) {
			var connections config.Connections
			if err == nil {
				connections = update.Result.Connections
			}
			if !yield(connections, err) {
				return
			}
		}
	}
}

// A round is one iteration.
type round struct {
	watcher *Watcher
	notify  *fsnotify.Watcher
	answers answers
	last    Update
	failure string         // the error that was yielded last, if nothing was since
	files   map[string]way // files of interest, by absolute path
}

// A way is how a file is reached.
type way struct {
	real    string
	folders []string
}

// errWatch is what ends an iteration.
type errWatch struct{ error }

func (e errWatch) Unwrap() error { return e.error }

// read reads the files once they are watched. It returns neither an update nor
// an error if there is nothing new.
func (r *round) read(ctx context.Context) (*Update, error) {
	r.files = map[string]way{}
	for _, s := range r.watcher.sources {
		if s.Data == nil {
			if err := r.watch(s.Path); err != nil {
				return nil, err
			}
		}
	}
	for {
		result, err := config.Read(ctx, r.answers.remember(r.watcher.opts.Parse), r.watcher.sources...)
		// What was not watched while it was read may have changed meanwhile.
		before := len(r.files)
		for _, file := range result.Files {
			if _, known := r.files[absolute(file)]; !known {
				if err := r.watch(file); err != nil {
					return nil, err
				}
			}
		}
		if len(r.files) == before || ctx.Err() != nil {
			return r.judge(result, err)
		}
	}
}

// judge tells whether a reading is news.
func (r *round) judge(result *config.Result, err error) (*Update, error) {
	if err != nil {
		if err.Error() == r.failure {
			return nil, nil
		}
		r.failure = err.Error()
		return nil, err
	}
	mended := r.failure != ""
	r.failure = ""
	changes := Diff(r.last.Result.Connections, result.Connections)
	if changes.Empty() && r.last.Generation > 0 && !mended {
		return nil, nil
	}
	r.last = Update{Generation: r.last.Generation + 1, Result: result, Changes: changes}
	update := r.last
	return &update, nil
}

// watch sees to it that changes of a file are noticed.
func (r *round) watch(file string) error {
	file = absolute(file)
	var err error
	var to way
	for range 10 { // since a folder may go just when it was found
		err, to = nil, way{resolve(file), folders(file)}
		for _, folder := range to.folders {
			err = cmp.Or(err, r.notify.Add(folder))
		}
		if err == nil {
			break
		}
	}
	if err != nil {
		return errWatch{fmt.Errorf("watch: %s: %w", file, err)}
	}
	r.files[file] = to
	return nil
}

// concerns reports whether an event is about a file of interest.
func (r *round) concerns(e fsnotify.Event) bool {
	for file, to := range r.files {
		if e.Name == file || e.Name == to.real || resolve(file) != to.real || !slices.Equal(folders(file), to.folders) {
			return true
		}
	}
	return false
}
