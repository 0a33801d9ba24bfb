package browser

import (
	"context"
	"fmt"
	"time"
)

// maxSettling is how long to wait for a page to settle after the element has appeared.
const maxSettling = 10 * time.Second

// taking is the last phase of a visit: the remaining take and pass steps, and the state
// of the page at the last poll.
type taking struct {
	tab     *tab
	steps   []Step
	stream  *Document // the stream that was taken; nil if a page is taken
	passed  bool      // a VerbPass button was pressed
	settles bool      // a step needs to know whether the page still changes

	size    int       // size of the page at the last poll
	changed time.Time // when size last changed
	there   time.Time // when the element of a VerbTakeSettled step appeared; zero if missing
	gaveUp  bool      // the page stopped changing, and the element is missing
}

// take waits until one of the take steps has a document.
func (t *tab) take(ctx context.Context, steps []Step) (*Document, error) {
	taking := taking{tab: t, steps: steps, changed: time.Now()}
	for _, step := range steps {
		taking.settles = taking.settles || step.Verb == VerbTakeSettled || step.Verb == VerbTakeRedirect
	}
	done, err := t.until(ctx, t.times.Step, taking.look)
	if started, _ := t.recorder.streaming(); err == nil && !done && started {
		done, err = t.until(ctx, streamTime, taking.look)
	}
	switch {
	case err != nil || taking.stream != nil:
		return taking.stream, err
	case !done || taking.gaveUp:
		return t.partial(ctx)
	default:
		return t.currentPage(ctx)
	}
}

// look polls the page. It reports whether a step has its document, or whether to give up.
func (t *taking) look(ctx context.Context) (bool, error) {
	if t.settles {
		size, err := evaluate[int](ctx, t.tab, sizeScript, nil)
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
	t.gaveUp = t.settles && time.Since(t.changed) > t.tab.times.GiveUp && t.tab.recorder.idle()
	return t.gaveUp, nil
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
		return time.Since(t.changed) > t.tab.times.Settled || time.Since(t.there) > maxSettling, nil
	case VerbPass:
		return false, t.pass(ctx, step.At)
	default: // VerbTakeRedirect: recorder.leave ends the visit
		return false, nil
	}
}

// pass presses the button at, if it exists. It does nothing if a button was pressed
// before, or if the element of a VerbTakeSettled step is already there.
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
