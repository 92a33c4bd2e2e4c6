//go:build peers

package peers_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/npmservers"
)

const (
	warm    = 2 * time.Second // a server's own compiler needs its time
	measure = 2 * time.Second
	rounds  = 5
)

// A measured client has connected, listed the tools and called echo for a
// while.
type measured struct {
	Connect time.Duration // until the tools are listed, the start of a process included
	Rate    float64       // calls a second
}

// A server is where a client finds server-everything: Command, or URL.
type server struct {
	Command string
	Args    []string
	URL     string
}

// A peer measures one client, with a connection of its own.
type peer struct {
	name string
	run  func(b *testing.B, s server, callers int) measured
}

var peers = []peer{{"client", ours}, {"sdk", sdk}, {"js", js}}

// BenchmarkPeers calls the tool echo of server-everything by each client in
// turn, several times, and reports the medians side by side. Each run has a
// server process of its own: over HTTP, server-everything keeps every event it
// ever sent and gets slower by it. Run it with -benchtime=1x: the time of a run
// is fixed.
func BenchmarkPeers(b *testing.B) {
	for _, transport := range []string{"stdio", "http"} {
		for _, callers := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/callers=%d", transport, callers), func(b *testing.B) {
				for b.Loop() {
					compare(b, transport, callers)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// measure runs p with a new server.
func (p peer) measure(b *testing.B, transport string, callers int) measured {
	var s server
	if transport == "http" {
		run := &scope{TB: b}
		defer run.end()
		s.URL = npmservers.StartHTTP(run, npmservers.StreamableHTTP)
	} else {
		s.Command, s.Args = npmservers.Command(b, npmservers.Everything, "stdio")
	}
	return p.run(b, s, callers)
}

// A scope is a part of a benchmark, whose cleanups run at its end.
type scope struct {
	testing.TB
	cleanups []func()
}

func (s *scope) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *scope) end() {
	for _, f := range slices.Backward(s.cleanups) {
		f()
	}
}

func compare(b *testing.B, transport string, callers int) {
	connects, rates := map[string][]time.Duration{}, map[string][]float64{}
	for round := range rounds {
		for i := range peers {
			p := peers[(i+round)%len(peers)] // nobody always goes first
			m := p.measure(b, transport, callers)
			connects[p.name] = append(connects[p.name], m.Connect)
			rates[p.name] = append(rates[p.name], m.Rate)
		}
	}
	for _, p := range peers {
		b.ReportMetric(median(rates[p.name]), p.name+"-calls/s")
		b.ReportMetric(float64(median(connects[p.name]).Milliseconds()), p.name+"-connect-ms")
	}
}

func median[T time.Duration | float64](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}
