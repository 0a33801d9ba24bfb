package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"
)

const (
	// pollTime is the time between two polls of the page.
	pollTime = 100 * time.Millisecond
	// streamTime is longer than any visit: a stream that has started may take all the
	// time that is left.
	streamTime = time.Hour
)

// run does the steps and returns the document that they take, or the current page if a
// step fails.
func (t *tab) run(ctx context.Context, steps []Step) (*Document, error) {
	for i, step := range steps {
		var done bool
		var err error
		switch step.Verb {
		case VerbPass, VerbTakeStream, VerbTakePage, VerbTakeSettled, VerbTakeRedirect:
			return t.take(ctx, steps[i:])
		case VerbType:
			done, err = t.typeText(ctx, step)
		case VerbSubmit:
			done, err = t.submit(ctx, step)
		case VerbWait:
			done, err = t.until(ctx, t.times.Step, func(ctx context.Context) (bool, error) { return t.exists(ctx, step.At) })
		default:
			err = fmt.Errorf("unknown verb %q", step.Verb)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", step.Verb, step.At, err)
		}
		if !done {
			break
		}
	}
	return t.partial(ctx)
}

// partial returns the current page, marked as partial.
func (t *tab) partial(ctx context.Context) (*Document, error) {
	doc, err := t.currentPage(ctx)
	if doc != nil {
		doc.Partial = true
	}
	return doc, err
}

// until calls look repeatedly until it returns true. It returns false if that does not
// happen within limit. It returns an error if ctx ends, on a crash, and for an invalid
// selector. It ignores other errors of look, which occur while a page is being replaced.
func (t *tab) until(ctx context.Context, limit time.Duration, look func(context.Context) (bool, error)) (bool, error) {
	waiting, cancel := context.WithTimeout(ctx, waitTime(ctx, limit))
	defer cancel()
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for {
		done, err := look(waiting)
		switch {
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case err == nil && done:
			return true, nil
		case errors.Is(err, ErrCrashed), errors.Is(err, errScript):
			return false, err
		}
		select {
		case <-tick.C:
		case <-t.recorder.streamEnded:
		case <-t.conn.lost:
			return false, fmt.Errorf("%w: connection lost", ErrCrashed)
		case <-waiting.Done():
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			return false, nil
		}
	}
}

// typeText inserts the text into the field as an input method does. No key is pressed,
// so a line break becomes part of the text and does not submit it.
func (t *tab) typeText(ctx context.Context, step Step) (bool, error) {
	done, err := t.until(ctx, t.times.Step, func(ctx context.Context) (bool, error) { return evaluate[bool](ctx, t, focusScript, step.At) })
	if err != nil || !done {
		return false, err
	}
	_, err = call(ctx, t.page, input.InsertText, input.InsertTextParams{Text: step.Text})
	return err == nil, err
}

// submit presses Enter in a field, or clicks the button.
func (t *tab) submit(ctx context.Context, step Step) (bool, error) {
	var at spot
	done, err := t.until(ctx, t.times.Step, func(ctx context.Context) (bool, error) {
		found, err := t.locate(ctx, step.At)
		at = found
		return found.Usable, err
	})
	if err != nil || !done {
		return false, err
	}
	err = t.press(ctx, step.At, at)
	return err == nil, err
}

// press presses Enter in the field, or clicks the button, that locate found at a spot.
func (t *tab) press(ctx context.Context, selector string, at spot) error {
	switch {
	case at.Field:
		return t.pressEnter(ctx)
	case at.Covered: // a mouse cannot reach it
		_, err := evaluate[any](ctx, t, clickScript, selector)
		return err
	default:
		return t.click(ctx, at.X, at.Y)
	}
}

func (t *tab) pressEnter(ctx context.Context) error {
	key := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r", UnmodifiedText: "\r",
		WindowsVirtualKeyCode: 13, NativeVirtualKeyCode: 13,
	}
	if _, err := call(ctx, t.page, input.DispatchKeyEvent, key); err != nil {
		return err
	}
	key.Type, key.Text, key.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
	_, err := call(ctx, t.page, input.DispatchKeyEvent, key)
	return err
}

func (t *tab) click(ctx context.Context, x, y float64) error {
	for _, event := range []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMouseMoved},
		{Type: input.DispatchMouseEventTypeMousePressed, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1},
		{Type: input.DispatchMouseEventTypeMouseReleased, Button: input.MouseButtonLeft, ClickCount: 1},
	} {
		event.X, event.Y = x, y
		if _, err := call(ctx, t.page, input.DispatchMouseEvent, event); err != nil {
			return err
		}
	}
	return nil
}
