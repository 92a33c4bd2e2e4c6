package calls

import (
	"context"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func TestWithin(t *testing.T) {
	type place string
	if IsWithin(t.Context(), place("a")) {
		t.Error("within nothing")
	}
	a, leftA := Within(t.Context(), place("a"))
	b, leftB := Within(a, place("b"))
	again, leftAgain := Within(a, place("a"))
	is := func(ctx context.Context, what string, want bool) {
		t.Helper()
		if IsWithin(ctx, place(what)) != want {
			t.Errorf("within %s: %v, want %v", what, !want, want)
		}
	}
	is(a, "a", true)
	is(a, "b", false)
	is(b, "a", true)
	is(b, "b", true)
	if IsWithin(a, "a") {
		t.Error("a name of another type is the same")
	}
	leftA()
	is(b, "a", false)
	is(b, "b", true)
	is(again, "a", true) // twice, and left once
	leftAgain()
	is(again, "a", false)
	leftB()
	is(b, "b", false)
}

func TestEventOfSeveralCallsIsWithinWhatAnyIs(t *testing.T) {
	tracker := newTracker(t, callbacks.Callbacks{})
	a, left := Within(t.Context(), "a")
	b, _ := Within(a, "b")
	var possible []*Call
	for _, ctx := range []context.Context{t.Context(), b, a} {
		possible = append(possible, newCall(ctx, tracker, "tool"))
	}
	among := tracker.among(possible)
	if !IsWithin(among, "a") || !IsWithin(among, "b") || IsWithin(among, "c") {
		t.Error("it is not within what they are within")
	}
	if n := len(stays(among)); n != 2 {
		t.Errorf("it is within %d things", n)
	}
	left()
	if IsWithin(among, "a") || !IsWithin(among, "b") {
		t.Error("what is left counts, or what is not does not")
	}
	if FromContext(among) != nil || IsWithin(tracker.among(possible[:1]), "b") {
		t.Error("it is more than it should be")
	}
}
