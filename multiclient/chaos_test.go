package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

const (
	chaosCallers = 32
	// chaosEvery is after how many calls something happens.
	chaosEvery = 60
	// chaosSlack is what a busy machine may add to a deadline.
	chaosSlack = 15 * time.Second
	// chaosHealthy bounds the wait for a server to be well after the last fault:
	// far more than the delays between attempts.
	chaosHealthy = 30 * time.Second
)

// TestChaos makes calls while servers are killed, stopped, restarted and cut
// off, in an order that a seed gives. MCPADAPTERS_CHAOS sets the number of
// calls, for each of three seeds; without, there are a few with one.
func TestChaos(t *testing.T) {
	calls, seeds := 1200, []uint64{1}
	if long := os.Getenv("MCPADAPTERS_CHAOS"); long != "" {
		n, err := strconv.Atoi(long)
		if err != nil {
			t.Fatalf("MCPADAPTERS_CHAOS is no number: %v", err)
		}
		calls, seeds = n, []uint64{1, 2, 3}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			leak.Check(t)
			c := &chaos{
				servers: []*victim{newVictim(t, "stdio", ""), newVictim(t, "http", stateful), newVictim(t, "stateless", stateless)},
				results: map[string]bool{}, errs: map[string]int{}, happened: map[string]int{},
			}
			c.run(t, seed, calls)
		})
	}
}

type chaos struct {
	servers []*victim
	client  *multiclient.MultiServerClient
	done    atomic.Int64 // calls that have ended

	mu       sync.Mutex
	results  map[string]bool // the ids of calls that have one
	errs     map[string]int  // by kind
	happened map[string]int  // faults by kind
}

func (c *chaos) run(t *testing.T, seed uint64, calls int) {
	connections := config.Connections{}
	for _, v := range c.servers {
		connections[v.name] = v.connection()
	}
	c.client = newClient(t, connections, &multiclient.Options{
		ToolNamePrefix: true,
		Reconnect:      multiclient.Reconnect{Delay: 5 * time.Millisecond, MaxDelay: 100 * time.Millisecond, CoolDown: 300 * time.Millisecond},
	})
	if _, err := c.client.Tools(t.Context()); err != nil { // and so what may be repeated is known
		t.Fatal(err)
	}
	start := time.Now()
	c.underFire(t, seed, calls)
	took := time.Since(start)
	healed := c.heal(t)
	executed := c.checkJournals(t)

	t.Logf("%d calls by %d callers in %v: %d results, errors %v; faults %v; the servers ran %d calls and were well again after %v",
		calls, chaosCallers, took.Round(time.Millisecond), len(c.results), c.errs, c.happened, executed, healed.Round(time.Millisecond))
	if len(c.results) < calls/4 {
		t.Errorf("only %d of %d calls have a result", len(c.results), calls)
	}
}

// underFire makes the calls, and lets something happen after each few.
func (c *chaos) underFire(t *testing.T, seed uint64, calls int) {
	strike := make(chan struct{}, calls/chaosEvery+1)
	var callers, striker sync.WaitGroup
	striker.Go(func() {
		r := rand.New(rand.NewPCG(seed, 0))
		for range strike {
			v := c.servers[r.IntN(len(c.servers))]
			possible := faultsOf(v)
			f := possible[r.IntN(len(possible))]
			f.do(t, v, r)
			c.mu.Lock()
			c.happened[v.name+" "+f.name]++
			c.mu.Unlock()
		}
	})
	var next atomic.Int64
	for i := range chaosCallers {
		callers.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)+1))
			for n := next.Add(1); n <= int64(calls); n = next.Add(1) {
				c.call(t, r, n)
				if c.done.Add(1)%chaosEvery == 0 {
					strike <- struct{}{}
				}
			}
		})
	}
	callers.Wait()
	close(strike)
	striker.Wait()
}

// call makes the nth call and checks how it ends.
func (c *chaos) call(t *testing.T, r *rand.Rand, n int64) {
	v := c.servers[r.IntN(len(c.servers))]
	tool := []string{"once", "again"}[r.IntN(2)]
	id := fmt.Sprint(tool, "-", n)
	deadline := 20 * time.Second
	if r.IntN(20) == 0 {
		deadline = 10 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	start := time.Now()
	res, err := c.client.CallTool(ctx, v.name, tool, map[string]any{"id": id, "ms": r.IntN(4)})
	if took := time.Since(start); took > deadline+chaosSlack {
		t.Errorf("%s took %v, %v more than it had", id, took, took-deadline)
	}
	var e *multiclient.Error
	switch {
	case err == nil && textOf(res) == id:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.results[id] = true
		return
	case err == nil:
		t.Errorf("%s got the result %q", id, textOf(res))
		return
	case !errors.As(err, &e) || e.Server != v.name || e.Tool != tool:
		t.Errorf("%s ended with an error that does not say what failed: %v", id, err)
		return
	}
	kind := string(e.Kind)
	if ctx.Err() != nil {
		kind = "deadline of the caller"
	} else if e.Kind == multiclient.ErrFailed {
		t.Errorf("%s ended with an error of no kind: %v", id, err)
	}
	c.mu.Lock()
	c.errs[kind]++
	c.mu.Unlock()
	if e.Kind == multiclient.ErrUnavailable {
		// As an agent would, instead of using up the calls.
		select {
		case <-time.After(min(max(time.Until(e.RetryAt), 50*time.Millisecond), time.Second)):
		case <-t.Context().Done():
		}
	}
}

// heal waits until each server answers, and returns how long that took.
func (c *chaos) heal(t *testing.T) time.Duration {
	start := time.Now()
	for _, v := range c.servers {
		for n := 0; ; n++ {
			_, err := c.client.CallTool(t.Context(), v.name, "again", map[string]any{"id": fmt.Sprint("heal-", v.name, n)})
			if err == nil {
				break
			}
			if time.Since(start) > chaosHealthy {
				t.Fatalf("%s is not well %v after the last fault: %v", v.name, time.Since(start), err)
			}
			<-time.After(20 * time.Millisecond)
		}
	}
	healed := time.Since(start)
	for _, st := range c.client.Status() {
		if st.State != multiclient.StateReady || st.InFlight != 0 {
			t.Errorf("in the end %s is %s with %d calls in flight", st.Name, st.State, st.InFlight)
		}
	}
	return healed
}

// checkJournals holds what the servers have run against what callers were told.
func (c *chaos) checkJournals(t *testing.T) (executed int) {
	runs := map[string]int{}
	for _, v := range c.servers {
		raw, err := os.ReadFile(v.Journal())
		if err != nil {
			t.Fatal(err)
		}
		for id := range strings.FieldsSeq(string(raw)) {
			runs[id]++
			executed++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(runs)) {
		if runs[id] > 1 && strings.HasPrefix(id, "once-") {
			t.Errorf("%s ran %d times, and is not to be repeated", id, runs[id])
		}
	}
	for id := range c.results {
		if runs[id] == 0 {
			t.Errorf("%s has a result, and has not run", id)
		}
	}
	return executed
}
