package gateway

import (
	"context"
	"testing"
)

func TestTurnsOfSubscriptions(t *testing.T) {
	var s subscriptions
	leave, err := s.enter(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.enter(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	other()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.enter(ended, "a"); err == nil {
		t.Fatal("two have the turn")
	}
	entered := make(chan struct{})
	go func() {
		defer close(entered)
		if next, err := s.enter(t.Context(), "a"); err == nil {
			next()
		}
	}()
	select {
	case <-entered:
		t.Fatal("two have the turn")
	default:
	}
	leave()
	<-entered
	if len(s.turns) != 0 {
		t.Errorf("%d turns stay", len(s.turns))
	}
}
