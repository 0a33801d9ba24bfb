package browser

import (
	"context"
	"fmt"
	"time"
)

const (
	// settledTime is how long a page must not have changed to be taken as settled.
	settledTime = 500 * time.Millisecond
	// restlessTime is how long a page that has what is asked for, but never stops
	// changing, is waited for.
	restlessTime = 10 * time.Second
	// restTime is when a page that does not have it is given up: it has not changed for so
	// long, and waits for nothing from the network.
	restTime = 5 * time.Second
)

// taking is the end of a visit: the takes and passes that are left, and what the looks at
// the page have shown.
type taking struct {
	tab     *tab
	steps   []Step
	stream  *Document // what was taken, unless it is the page
	passed  bool      // a button was pressed
	settles bool      // it counts whether the page still changes

	size    int       // of the page at the last look
	changed time.Time // when that was another one
	there   time.Time // since when there is what has to settle
	resting bool      // the page came to rest without it
}

// take waits until one of the takes has a document.
func (t *tab) take(ctx context.Context, steps []Step) (*Document, error) {
	taking := taking{tab: t, steps: steps, changed: time.Now()}
	for _, step := range steps {
		taking.settles = taking.settles || step.Verb == VerbTakeSettled || step.Verb == VerbTakeRedirect
	}
	done, err := t.until(ctx, stepTime, taking.look)
	if started, _ := t.recorder.streaming(); err == nil && !done && started {
		done, err = t.until(ctx, streamTime, taking.look)
	}
	switch {
	case err != nil || taking.stream != nil:
		return taking.stream, err
	case !done || taking.resting:
		return t.partial(ctx)
	default:
		return t.currentPage(ctx)
	}
}

// look reports whether there is something to take, or no more hope for it.
func (t *taking) look(ctx context.Context) (bool, error) {
	if t.settles {
		size, err := t.tab.size(ctx)
		if err != nil {
			return false, err
		}
		if size != t.size {
			t.size, t.changed = size, time.Now()
		}
	}
	for _, step := range t.steps {
		done, err := t.try(ctx, step)
		if err != nil {
			return false, fmt.Errorf("%s %q: %w", step.Verb, step.At, err)
		}
		if done {
			return true, nil
		}
	}
	t.resting = t.settles && time.Since(t.changed) > restTime && t.tab.recorder.idle()
	return t.resting, nil
}

// try reports whether a step has its document.
func (t *taking) try(ctx context.Context, step Step) (bool, error) {
	switch step.Verb {
	case VerbTakeStream:
		t.stream = t.tab.recorder.stream(step.At)
		return t.stream != nil, nil
	case VerbTakePage:
		if _, active := t.tab.recorder.streaming(); active {
			return false, nil
		}
		return t.tab.exists(ctx, step.At)
	case VerbTakeSettled:
		there, err := t.tab.exists(ctx, step.At)
		if err != nil || !there {
			t.there = time.Time{}
			return false, err
		}
		if t.there.IsZero() {
			t.there = time.Now()
		}
		return time.Since(t.changed) > settledTime || time.Since(t.there) > restlessTime, nil
	case VerbPass:
		return false, t.pass(ctx, step.At)
	default: // a redirect ends the visit by itself
		return false, nil
	}
}

// pass presses the button at, if it is there, none was pressed before, and nothing that is to
// be taken only has to settle.
func (t *taking) pass(ctx context.Context, at string) error {
	if t.passed || !t.there.IsZero() {
		return nil
	}
	found, err := t.tab.locate(ctx, at)
	if err != nil || !found.Usable {
		return err
	}
	t.passed, t.changed = true, time.Now()
	return t.tab.press(ctx, at, found)
}
