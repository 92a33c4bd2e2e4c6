package calls

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorder notes what a queue delivers.
type recorder struct {
	mu  sync.Mutex
	got []string
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, fmt.Sprintf(format, args...))
}

func (r *recorder) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.got...)
}

func TestQueueKeepsOrderAndDrains(t *testing.T) {
	var q queue
	r := new(recorder)
	var want []string
	for i := range 200 {
		kind := requestEvent // never evicted
		q.push(kind, func(int) { r.add("%d", i) })
		want = append(want, fmt.Sprint(i))
	}
	q.wait(t.Context(), q.last())
	if diff := cmp.Diff(want, r.list()); diff != "" {
		t.Errorf("delivered (-want +got):\n%s", diff)
	}
}

func TestQueueFlood(t *testing.T) {
	const burst = 10_000
	var q queue
	r := new(recorder)
	gate, started := make(chan struct{}), make(chan struct{})
	q.push(requestEvent, func(int) { close(started); <-gate })
	<-started
	total := 0
	for i := range burst {
		q.push(progressEvent, func(int) { r.add("p%d", i) })
		q.push(logEvent, func(dropped int) { total += dropped; r.add("l%d", i) })
	}
	q.mu.Lock()
	waiting := len(q.events)
	q.mu.Unlock()
	if want := maxPendingProgress + maxPendingLogs; waiting != want {
		t.Errorf("%d events wait, want %d", waiting, want)
	}
	close(gate)
	q.wait(t.Context(), q.last())

	got := r.list()
	if last := got[len(got)-2:]; last[0] != fmt.Sprintf("p%d", burst-1) || last[1] != fmt.Sprintf("l%d", burst-1) {
		t.Errorf("the latest are not kept: the last two are %q", last)
	}
	var progress, logs []int
	for _, e := range got {
		var i int
		if _, err := fmt.Sscanf(e[1:], "%d", &i); err != nil {
			t.Fatal(err)
		}
		list := &progress
		if e[0] == 'l' {
			list = &logs
		}
		if n := len(*list); n > 0 && (*list)[n-1] >= i {
			t.Fatalf("%s came after %c%d", e, e[0], (*list)[n-1])
		}
		*list = append(*list, i)
	}
	if len(logs)+total != burst {
		t.Errorf("%d log messages delivered and %d counted as dropped, want %d in all", len(logs), total, burst)
	}
}

func TestQueueWaitEndsWithContext(t *testing.T) {
	var q queue
	gate := make(chan struct{})
	defer close(gate)
	q.push(requestEvent, func(int) { <-gate })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q.wait(ctx, q.last())
}

func TestQueueCloseDiscards(t *testing.T) {
	var q queue
	r := new(recorder)
	gate, started := make(chan struct{}), make(chan struct{})
	q.push(requestEvent, func(int) { close(started); <-gate; r.add("running") })
	<-started
	q.push(requestEvent, func(int) { r.add("waiting") })
	last := q.last()
	q.close()
	if seq := q.push(requestEvent, func(int) { r.add("late") }); seq != 0 {
		t.Errorf("push after close returned %d, want 0", seq)
	}
	close(gate)
	q.wait(t.Context(), last)
	if diff := cmp.Diff([]string{"running"}, r.list()); diff != "" {
		t.Errorf("delivered (-want +got):\n%s", diff)
	}
}

func TestQueueConcurrentPush(t *testing.T) {
	var q queue
	var wg sync.WaitGroup
	r := new(recorder)
	for g := range 8 {
		wg.Go(func() {
			for i := range 100 {
				q.push(requestEvent, func(int) { r.add("%d.%d", g, i) })
				if i%10 == 0 {
					q.wait(t.Context(), q.last())
				}
			}
		})
	}
	wg.Wait()
	q.wait(t.Context(), q.last())
	if n := len(r.list()); n != 800 {
		t.Errorf("%d events delivered, want 800", n)
	}
}
