package leak

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// openDescriptors describes the open file descriptors of this process by
// number.
func openDescriptors() map[string]string {
	open := map[string]string{}
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range entries {
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err != nil {
			continue // closed by now, as the one that ReadDir used
		}
		switch target {
		case "anon_inode:[eventpoll]", "anon_inode:[eventfd]":
			continue // the runtime's own, opened when first needed
		}
		open[entry.Name()] = fmt.Sprintf("file descriptor %s: %s", entry.Name(), target)
	}
	return open
}

// childProcesses describes the children of this process by their id, the
// dead ones that nobody waited for included.
func childProcesses() map[string]string {
	children := map[string]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // ended by now
		}
		// "PID (NAME) STATE PPID ...", where NAME may hold anything.
		end := bytes.LastIndexByte(stat, ')')
		fields := strings.Fields(string(stat[end+1:]))
		if len(fields) < 2 || fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		description := "process " + string(stat[:end+1])
		if fields[0] == "Z" {
			description += ": ended, but nobody waited for it"
		}
		pid := filepath.Base(filepath.Dir(path))
		children[pid] = description
	}
	return children
}
