package stdio

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// endless repeats a text for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

// BenchmarkReader measures what the filter costs per message, beside what
// encoding/json takes just to see that the message is valid.
func BenchmarkReader(b *testing.B) {
	for _, size := range []int{100, 1 << 10, 32 << 10, 1 << 20} {
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"%s"}]}}`,
			strings.Repeat(`some words and \n`, size/17))
		b.Run(fmt.Sprintf("read/%d", size), func(b *testing.B) {
			r := newFilter(&endless{text: message + "\n"}, 64<<20, func([]byte) {})
			buf := make([]byte, len(message)+1)
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := io.ReadFull(r, buf); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("valid/%d", size), func(b *testing.B) {
			b.SetBytes(int64(len(message) + 1))
			for b.Loop() {
				if !json.Valid([]byte(message)) {
					b.Fatal("not valid")
				}
			}
		})
	}
}
