package config

import (
	"context"
	"fmt"
	"slices"
)

// A Result is what [Read] has read.
type Result struct {
	// Connections are the servers that are enabled and have no faults. It is
	// valid, and never nil.
	Connections Connections

	// Origins tells for every server of the files, also those that are
	// disabled or have faults, where it comes from.
	Origins map[string]Origin

	// Warnings are what has no effect: keys that are not known, and keys of
	// clients that matter there. They are in the order of the files.
	Warnings []Fault

	// Files are the paths of all files that were asked for, those of envFile
	// and ${file:path} included, in order and without repetition.
	Files []string
}

// An Origin is the place of a server.
type Origin struct {
	// File is the path of the source that the server comes from: the last
	// one that has it. Line and Column are those of its name.
	File         string
	Line, Column int

	// Dialect is that of the file.
	Dialect Dialect

	// Disabled tells that the server is left out because the file says so.
	Disabled bool
}

// Read reads several files, in order. A server of a later one replaces a
// server of the same name as a whole; one that is disabled there is left out.
// What is replaced is not looked at any further, and what is disabled neither:
// no variable of it needs to be set.
//
// The result is never nil. If there are faults the error is an [*Error], and the
// result has the servers that are without: whether that is enough is for the
// caller to say. Errors of the file system are wrapped.
//
// The context is passed to the callback for inputs, and read between servers.
// Nil options are fine.
func Read(ctx context.Context, opts *ParseOptions, sources ...Source) (*Result, error) {
	r := &reader{ctx: ctx, opts: opts.withDefaults(), answers: map[answerKey]answer{}}
	if opts != nil && opts.MaxFileSize < 0 {
		r.fault(Fault{Problem: fmt.Sprintf("option MaxFileSize is negative (%d): use 0 for the default", opts.MaxFileSize)})
	}
	result := &Result{Connections: Connections{}, Origins: map[string]Origin{}}
	winners := map[string]entry{}
	for _, source := range sources {
		if d := r.document(source); d != nil {
			r.collect(d, winners)
		}
	}
	for _, name := range r.order {
		if err := ctx.Err(); err != nil {
			r.fail(err)
			r.fault(Fault{Problem: "reading was given up: " + err.Error()})
			break
		}
		e := winners[name]
		line, column := e.d.locator.locate(e.at)
		origin := Origin{File: e.d.file, Line: line, Column: column, Dialect: e.d.dialect}
		connection, disabled := r.read(e)
		origin.Disabled = disabled
		result.Origins[name] = origin
		if connection != nil {
			result.Connections[name] = connection
		}
	}
	for _, f := range r.faults {
		delete(result.Connections, f.Server)
	}
	inOrder(r.warnings, sources)
	result.Warnings, result.Files = r.warnings, unique(r.files)
	return result, newError(sources, r.faults, r.causes)
}

// A reader reads the files of one call of Read.
type reader struct {
	ctx      context.Context
	opts     ParseOptions
	order    []string // names of servers as they come
	faults   []Fault
	warnings []Fault
	causes   []error
	files    []string
	answers  map[answerKey]answer
}

// An entry is a server that is not read yet.
type entry struct {
	d *document
	member
}

// collect takes the servers of a document over.
func (r *reader) collect(d *document, winners map[string]entry) {
	own := map[string]bool{}
	eachDuplicate(d.servers, func(first, again int) {
		line, _ := d.locator.locate(d.servers[first].at)
		r.faultAt(d, d.servers[again].at, Fault{Server: d.servers[again].key,
			Problem: fmt.Sprintf("is there more than once: the first is on line %d", line)})
	})
	for _, s := range d.servers {
		if !own[s.key] {
			own[s.key] = true
			if _, ok := winners[s.key]; !ok {
				r.order = append(r.order, s.key)
			}
		}
		winners[s.key] = entry{d, s}
	}
}

func (r *reader) fault(f Fault)  { r.faults = append(r.faults, f) }
func (r *reader) fail(err error) { r.causes = append(r.causes, err) }

// faultAt adds a fault with its place.
func (r *reader) faultAt(d *document, at position, f Fault) {
	f.File = d.file
	f.Line, f.Column = d.locator.locate(at)
	r.fault(f)
}

func (r *reader) warnAt(d *document, at position, f Fault) {
	f.File = d.file
	f.Line, f.Column = d.locator.locate(at)
	r.warnings = append(r.warnings, f)
}

// commonFile returns the path that all faults have in common.
func commonFile(sources []Source) string {
	if len(sources) != 1 {
		return ""
	}
	return sources[0].Path
}

func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
