package leak

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long what ends by itself may take, on a busy machine under
// the race detector.
const patience = 10 * time.Second

// Check fails the test at its end if something is left that was not there
// when Check was called. What is about to go is waited for, up to 10 s.
// Unused connections of [http.DefaultTransport] are closed and not counted.
//
// Call it first in a test, since cleanups run in the opposite order of their
// registration: servers that the test starts are then gone. It panics in a
// parallel test, whose neighbours come and go; its subtests may be parallel.
func Check(tb testing.TB) {
	tb.Helper()
	check(tb, patience)
}

func check(tb testing.TB, patience time.Duration) {
	tb.Helper()
	// The testing package refuses this, and nothing else, in parallel tests.
	tb.Setenv("LEAK_CHECK", "1")

	known := goleak.IgnoreCurrent()
	descriptors, children := openDescriptors(), childProcesses()
	leftovers := func() []string {
		left := added(children, childProcesses())
		left = append(left, added(descriptors, openDescriptors())...)
		// Last, as it waits up to half a second itself.
		if err := goleak.Find(known); err != nil {
			left = append(left, err.Error())
		}
		return left
	}

	tb.Cleanup(func() {
		tb.Helper()
		http.DefaultClient.CloseIdleConnections()
		deadline := time.Now().Add(patience)
		for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
			left := leftovers()
			if len(left) == 0 {
				return
			}
			if time.Now().After(deadline) {
				tb.Errorf("the test left behind:\n%s", strings.Join(left, "\n"))
				return
			}
			time.Sleep(pause)
		}
	})
}

// added describes what after has and before has not.
func added(before, after map[string]string) []string {
	var left []string
	for id, description := range after {
		if before[id] != description {
			left = append(left, description)
		}
	}
	return left
}
