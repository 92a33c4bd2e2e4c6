package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/muesli/cancelreader"
)

// endOfKeys is the last key that a keyboard yields: a character that nobody
// types, and that decodes to itself whatever came before it.
const endOfKeys = '\U0010fffd'

// keyboard is a terminal that tells when there is no more to read from it.
//
// Bubbletea notices neither the end of its input nor, when it stops, what it
// has read already: that waits for ever to be handled. So it gets keys until
// stop, then endOfKeys, and stops only when it has handled that.
//
// It has no Name, or bubbletea would wait for input by itself.
type keyboard struct {
	file *os.File
	keys cancelreader.CancelReader
	gone func() // called when the terminal is gone
	over bool
}

func newKeyboard(file *os.File, gone func()) (*keyboard, error) {
	keys, err := cancelreader.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return &keyboard{file: file, keys: keys, gone: gone}, nil
}

func (k *keyboard) Read(p []byte) (int, error) {
	if k.over {
		return 0, io.EOF
	}
	n, err := k.keys.Read(p)
	if err == nil {
		return n, nil
	}
	if !errors.Is(err, cancelreader.ErrCanceled) {
		k.gone()
	}
	k.over = true
	return copy(p, string(endOfKeys)), nil
}

func (k *keyboard) Write(p []byte) (int, error) { return k.file.Write(p) }

// Fd is for bubbletea to set the mode of the terminal.
func (k *keyboard) Fd() uintptr { return k.file.Fd() }

// Close leaves the terminal open: it is the program's.
func (k *keyboard) Close() error { return nil }

// stop ends a Read that waits.
func (k *keyboard) stop() { k.keys.Cancel() }
