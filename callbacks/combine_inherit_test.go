package callbacks_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// have waits for a turn, which has to come.
func have(t *testing.T, line *callbacks.Line, ctx context.Context) (context.Context, func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	t.Cleanup(cancel)
	inTurn, done, err := line.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return inTurn, done
}

// waits reports whether there is no turn to be had.
func waits(line *callbacks.Line, ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, done, err := line.Wait(ctx)
	if err == nil {
		done()
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// Of several turns that a question may have been asked from within, it waits
// for none, however they lie in one another.
func TestInheritedTurnsOfSeveralCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var users, money callbacks.Line
		outer, endOuter := have(t, &users, t.Context())
		inner, endInner := have(t, &users, outer)
		innermost, endInnermost := have(t, &users, inner)
		paying, endPaying := have(t, &money, t.Context())
		nobody := t.Context()
		for name, others := range map[string][]context.Context{
			"deepest last":         {nobody, outer, inner, innermost},
			"deepest first":        {innermost, inner, outer, nobody},
			"with another line":    {paying, innermost},
			"another line is last": {innermost, paying, nobody},
		} {
			ctx := callbacks.InheritTurn(nobody, others...)
			oneByOne := nobody
			for _, other := range others {
				oneByOne = callbacks.InheritTurn(oneByOne, other)
			}
			if waits(&users, ctx) || waits(&users, oneByOne) {
				t.Errorf("%s: it waits for a turn that waits for it", name)
			}
			if within := len(others) == 4; !within && waits(&money, ctx) {
				t.Errorf("%s: it waits in the other line", name)
			}
		}
		if !waits(&users, callbacks.InheritTurn(nobody, outer)) {
			t.Error("two questions are asked from within one turn")
		}
		endInnermost()
		// What is over does not hide what it was within.
		if waits(&users, callbacks.InheritTurn(nobody, innermost)) {
			t.Error("it waits for a turn that waits for it")
		}
		endInner()
		endOuter()
		endPaying()
		if waits(&users, innermost) || waits(&money, nobody) {
			t.Error("the turns do not end")
		}
	})
}

// A turn was inherited in vain: the question was none from within, and goes on
// after it.
func TestTurnEndsWithWhatIsAskedWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var line callbacks.Line
		outer, endOuter := have(t, &line, t.Context())
		_, endInherited := have(t, &line, callbacks.InheritTurn(t.Context(), outer))
		begun := make(chan string, 3)
		turn := func(name string, ctx context.Context) {
			_, done, err := line.Wait(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			begun <- name
			<-time.After(time.Second) // by the clock of the bubble
			if len(begun) != 1 {
				t.Errorf("%d turns at a time", len(begun))
			}
			<-begun
			done()
		}
		go turn("next", t.Context())
		synctest.Wait()
		go turn("behind", callbacks.InheritTurn(t.Context(), outer))
		synctest.Wait()
		endOuter()
		synctest.Wait()
		if len(begun) > 0 {
			t.Errorf("%s is asked while another question is open", <-begun)
		}
		endInherited()
		time.Sleep(10 * time.Second)
		if len(begun) > 0 || waits(&line, t.Context()) {
			t.Error("the turns do not end")
		}
	})
}
