package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

var errLate = errors.New("late")

// TestClocksStandStill: neither those that run when somebody signs in nor those
// that are started then end before it is over.
func TestClocksStandStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clocks
		begin := time.Now()
		early, cancel := c.within(t.Context(), 10*time.Second, errLate)
		defer cancel()
		time.Sleep(4 * time.Second)
		first, second := c.signIn(), c.signIn()
		late, cancel := c.within(t.Context(), 2*time.Second, errLate)
		defer cancel()
		child, cancel := context.WithCancel(context.WithValue(early, new(int), nil))
		defer cancel()
		time.Sleep(5 * time.Minute)
		first()
		time.Sleep(5 * time.Minute)
		if early.Err() != nil || late.Err() != nil {
			t.Fatal("a clock did not stand still")
		}
		second()
		<-late.Done()
		if took := time.Since(begin); took != 10*time.Minute+6*time.Second {
			t.Errorf("the one that was started late ended after %v", took)
		}
		<-child.Done()
		if took := time.Since(begin); took != 10*time.Minute+10*time.Second {
			t.Errorf("the one that was started early ended after %v", took)
		}
		for name, ctx := range map[string]context.Context{"context": early, "child": child} {
			if err, cause := ctx.Err(), context.Cause(ctx); err != context.DeadlineExceeded || cause != errLate {
				t.Errorf("%s: error %v for the cause %v", name, err, cause)
			}
		}
	})
}

// TestEnough: how long a clock lasts is known although it tells no deadline.
func TestEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clocks
		ctx, cancel := c.within(t.Context(), 10*time.Second, errLate)
		defer cancel()
		ctx = context.WithValue(ctx, new(int), nil)
		check := func(left time.Duration) {
			t.Helper()
			if !Enough(ctx, left-1) || Enough(ctx, left) {
				t.Errorf("there is not %v left", left)
			}
		}
		time.Sleep(4 * time.Second)
		check(6 * time.Second)
		end := c.signIn()
		time.Sleep(time.Minute)
		check(6 * time.Second)
		end()
		time.Sleep(time.Second)
		check(5 * time.Second)
		ctx, cancel = context.WithTimeout(ctx, time.Second)
		defer cancel()
		check(time.Second)
	})
}

// TestClocksOfCallersThatEnd: the end of the caller's context is told as it is,
// also while a clock stands still.
func TestClocksOfCallersThatEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clocks
		defer c.signIn()()
		own, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		ctx, cancel := c.within(own, time.Minute, errLate)
		defer cancel()
		<-ctx.Done()
		if err := ctx.Err(); err != context.DeadlineExceeded || context.Cause(ctx) == errLate {
			t.Errorf("error %v for the cause %v", err, context.Cause(ctx))
		}
		done, cancel := c.within(t.Context(), time.Minute, errLate)
		cancel()
		<-done.Done()
		if err := done.Err(); err != context.Canceled {
			t.Errorf("error of one that was cancelled is %v", err)
		}
		if n := len(c.running); n != 1 {
			t.Errorf("%d clocks are kept", n)
		}
	})
}
