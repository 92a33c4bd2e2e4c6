package config

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
)

// ParseOptions configure [Read], [Load] and [Parse]. The zero value is useful.
type ParseOptions struct {
	// LookupEnv returns the value of a variable and whether it is set. Nil
	// means [os.LookupEnv].
	LookupEnv func(name string) (value string, ok bool)

	// Input answers ${input:id}: it is called once for each input that a
	// server refers to which is used, one at a time, in the order of the
	// references. What it returns is a secret like the value of a variable. An
	// error is a fault of the server, and its text is shown. Nil makes such
	// references faults.
	Input func(ctx context.Context, input Input) (string, error)

	// WorkspaceFolder is ${workspaceFolder}, made absolute. Empty makes such
	// references faults. Of ~/.claude.json, which has servers for single
	// folders as well, those for this one are used too, and before others of
	// the same name; those that it has switched off for this one are disabled.
	WorkspaceFolder string

	// UserHome is ${userHome}. Empty means [os.UserHomeDir].
	UserHome string

	// FileReferences allows ${file:path}, the content of a file without white
	// space at its end. A relative path starts from the folder of the
	// configuration file. It should stay off for files of others, who could
	// have any file sent to their server.
	FileReferences bool

	// Strict makes all keys faults that are not known, for files that are
	// written for this client. Otherwise those that miss a known key by a letter
	// are faults, and [Read] returns the others, which may be for other clients,
	// as warnings.
	Strict bool

	// MaxFileSize bounds each file, in bytes. 0 means 16 MiB.
	MaxFileSize int64
}

// withDefaults returns a copy in which everything is set that has a default.
func (o *ParseOptions) withDefaults() ParseOptions {
	var opts ParseOptions
	if o != nil {
		opts = *o
	}
	if opts.LookupEnv == nil {
		opts.LookupEnv = os.LookupEnv
	}
	if opts.WorkspaceFolder != "" {
		if folder, err := filepath.Abs(opts.WorkspaceFolder); err == nil {
			opts.WorkspaceFolder = folder
		}
	}
	opts.MaxFileSize = cmp.Or(max(opts.MaxFileSize, 0), 16<<20)
	return opts
}

// Parse reads connections from a text, in any of the forms that the package
// documentation shows. Servers that are disabled are left out. What it returns
// is valid: see [Connections.Validate]. Without servers it is empty, not nil.
//
// Otherwise the error is an [*Error] that lists the faults of all servers, and
// the connections are nil: [Read] also returns those that have no faults, and
// warnings. No value of a variable is in it.
//
// Nil options are fine.
func Parse(data []byte, opts *ParseOptions) (Connections, error) {
	if data == nil {
		data = []byte{}
	}
	return allOrNothing(opts, Source{Data: data})
}

// Load reads the connections in the file at path: see [Parse]. An [*Error]
// that it returns names the file; an error of the file system is wrapped.
func Load(path string, opts *ParseOptions) (Connections, error) {
	return allOrNothing(opts, Source{Path: path})
}

func allOrNothing(opts *ParseOptions, source Source) (Connections, error) {
	result, err := Read(context.Background(), opts, source)
	if err != nil {
		return nil, err
	}
	return result.Connections, nil
}
