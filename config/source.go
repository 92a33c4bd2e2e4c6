package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Source is a file to read.
type Source struct {
	// Path is where the file is. It names the file in faults, and tells format
	// and dialect where they are not set.
	Path string

	// Data is the text, if it is not to be read from Path.
	Data []byte

	// Format is the syntax. Empty means that it is told by the ending of Path
	// or else by the text.
	Format Format

	// Dialect is the form. Empty means that it is told by Path and the keys.
	Dialect Dialect

	// Optional makes a file that does not exist the same as one without
	// servers.
	Optional bool
}

// Files returns the sources with these paths.
func Files(paths ...string) []Source {
	sources := make([]Source, len(paths))
	for i, path := range paths {
		sources[i].Path = path
	}
	return sources
}

// document reads the source as far as it can be without variables. Of what is
// missing and may be, it returns nil.
func (r *reader) document(source Source) *document {
	d := &document{file: source.Path, dialect: source.Dialect, folder: filepath.Dir(source.Path)}
	if source.Path == "" {
		d.folder = ""
	}
	data := source.Data
	if data == nil {
		var err error
		data, err = r.readFile(source.Path)
		if source.Optional && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			r.fail(err)
			r.fault(Fault{File: source.Path, Problem: fileProblem(err)})
			return nil
		}
	}
	if int64(len(data)) > r.opts.MaxFileSize {
		r.fault(Fault{File: source.Path, Problem: r.tooLarge().Error()})
		return nil
	}
	switch {
	case d.dialect != "" && !d.dialect.known():
		r.fault(Fault{File: source.Path, Problem: fmt.Sprintf("the dialect %s is not known", quote(string(d.dialect)))})
		return nil
	case d.dialect == "":
		d.dialect = dialectOfPath(source.Path)
	}
	format := source.Format
	switch format {
	case FormatJSON, FormatTOML, FormatYAML:
	case "":
		format = formatOf(source.Path, data)
	default:
		r.fault(Fault{File: source.Path, Problem: fmt.Sprintf("the format %s is not known: use %q, %q or %q", quote(string(format)), FormatJSON, FormatTOML, FormatYAML)})
		return nil
	}
	// Editors on Windows write a byte order mark.
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d.locator.data = data
	root, syntax := parseNode(data, format)
	if syntax != nil {
		r.faultAt(d, syntax.at, Fault{Problem: syntax.problem})
		return nil
	}
	d.root, d.yaml = root, format == FormatYAML
	if form := d.find(root); form != nil {
		r.faultAt(d, form.at, Fault{Problem: form.problem})
		return nil
	}
	d.project(root, r.opts.WorkspaceFolder)
	r.strangers(d)
	return d
}

// strangers warns of servers that are not where servers are. It is no more
// than a warning: they may be settings of the host, or templates.
func (r *reader) strangers(d *document) {
	for _, m := range d.beside {
		if strings.HasPrefix(m.key, "x-") || strings.HasPrefix(m.key, ".") {
			continue
		}
		r.warnAt(d, m.at, Fault{Problem: quote(m.key) + ` looks like a server, but is beside "mcpServers", where it has no effect: put it inside` + d.indent()})
	}
}

// readFile reads a file and notes that it was read.
func (r *reader) readFile(path string) ([]byte, error) {
	r.files = append(r.files, path)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > r.opts.MaxFileSize {
		return nil, r.tooLarge()
	}
	// What is no regular file tells no size.
	data, err := io.ReadAll(io.LimitReader(f, r.opts.MaxFileSize+1))
	if err == nil && int64(len(data)) > r.opts.MaxFileSize {
		return nil, r.tooLarge()
	}
	return data, err
}

func (r *reader) tooLarge() error {
	if mib := r.opts.MaxFileSize >> 20; mib<<20 == r.opts.MaxFileSize {
		return fmt.Errorf("is larger than %d MiB", mib)
	}
	return fmt.Errorf("is larger than %d bytes", r.opts.MaxFileSize)
}

// fileProblem leaves out the path, which has a place of its own.
func fileProblem(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return "cannot be read: " + p.Err.Error()
	}
	return err.Error()
}
