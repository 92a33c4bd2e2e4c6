package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folders returns the folders in which something changes when the file at an
// absolute path becomes another one: its own, that of every symbolic link on
// the way to it, and where the way breaks off the last folder there is.
func folders(path string) []string {
	const mostLinks = 40
	var found []string
	add := func(folder string) {
		if !slices.Contains(found, folder) {
			found = append(found, folder)
		}
	}
	root := filepath.VolumeName(path) + string(filepath.Separator)
	at, rest := root, split(path)
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		info, err := os.Lstat(next)
		switch {
		case err != nil || links == mostLinks:
			add(at)
			return found
		case info.Mode()&os.ModeSymlink != 0:
			add(at)
			target, err := os.Readlink(next)
			if err != nil {
				return found
			}
			links++
			rest = append(split(target), rest[1:]...)
			if filepath.IsAbs(target) {
				at = root
			}
		default:
			if len(rest) == 1 {
				add(at)
			}
			at, rest = next, rest[1:]
		}
	}
	return found
}

// split returns the parts of a path.
func split(path string) []string {
	path = path[len(filepath.VolumeName(path)):]
	return strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

// resolve returns where the file is in truth, or "" if it is nowhere.
func resolve(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
