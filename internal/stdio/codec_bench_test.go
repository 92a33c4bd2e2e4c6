package stdio

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// BenchmarkCodec compares decoding and encoding of a small message with the
// SDK's functions.
func BenchmarkCodec(b *testing.B) {
	message := []byte(`{"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"Echo: hello"}]}}`)
	request, err := jsonrpc.DecodeMessage([]byte(`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}`))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := decode(message); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode/sdk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := jsonrpc.DecodeMessage(message); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		for b.Loop() {
			if buf, err = appendEncoded(buf[:0], request); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode/sdk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := jsonrpc.EncodeMessage(request); err != nil {
				b.Fatal(err)
			}
		}
	})
}
