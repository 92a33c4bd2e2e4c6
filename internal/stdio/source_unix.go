//go:build unix

package stdio

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// readBuffered reads what a pipe holds, without waiting for more. It returns
// io.EOF when that is nothing.
func readBuffered(file *os.File, b []byte) (n int, err error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return 0, io.EOF
	}
	rawErr := raw.Read(func(fd uintptr) bool {
		for {
			n, err = syscall.Read(int(fd), b)
			if !errors.Is(err, syscall.EINTR) {
				return true
			}
		}
	})
	if rawErr != nil || err != nil || n <= 0 {
		return 0, io.EOF
	}
	return n, nil
}

// writeBuffered writes what a pipe has room for, and returns how much that was.
func writeBuffered(raw syscall.RawConn, b []byte) (n int) {
	_ = raw.Write(func(fd uintptr) bool { // fails once the file is closed
		for {
			var err error
			n, err = syscall.Write(int(fd), b)
			if !errors.Is(err, syscall.EINTR) {
				return true
			}
		}
	})
	return max(n, 0)
}
