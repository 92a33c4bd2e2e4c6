package config

import (
	"fmt"
	"io"
	"os"
)

// maxFileSize is far above any file that a person or a host writes.
const maxFileSize = 16 << 20

// Load reads the connections in the file at path: see [Parse]. An [*Error]
// that it returns names the file; an error of the file system is wrapped.
func Load(path string, opts *ParseOptions) (Connections, error) {
	data, err := readFile(path)
	if err != nil {
		// The error of package os has the path.
		return nil, fmt.Errorf("config: %w", err)
	}
	return parse(data, opts, path)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// One byte more lets parse see that the file is too large.
	return io.ReadAll(io.LimitReader(f, maxFileSize+1))
}
