package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// errScript means that one of our scripts failed because its selector is invalid.
var errScript = errors.New("script failed")

// Scripts that run inside the page. An element is usable if it is visible and enabled.
// If several usable elements match a selector, the first one is used.
const (
	loadedScript = `() => document.readyState === "complete"`

	existsScript = `selector => selector === "" || document.querySelector(selector) !== null`

	// The size is a number that changes while the page still changes: when its text or
	// the number of its elements changes. Changes of style do not count.
	sizeScript = `() => document.documentElement ? document.documentElement.textContent.length + document.getElementsByTagName("*").length : 0`

	usableScript = `const usable = selector => [...document.querySelectorAll(selector)].find(e =>
		e.getClientRects().length > 0 && !e.matches(":disabled") && e.getAttribute("aria-disabled") !== "true");`

	// Focusing moves the caret to the end, as a click below the text does.
	focusScript = `selector => {
		` + usableScript + `
		const e = usable(selector);
		if (!e || e.readOnly) return false;
		e.scrollIntoView({block: "center"});
		e.focus();
		if (e.isContentEditable) {
			const selection = getSelection();
			selection.selectAllChildren(e);
			selection.collapseToEnd();
		}
		return document.hasFocus() && (e === document.activeElement || e.contains(document.activeElement));
	}`

	locateScript = `selector => {
		` + usableScript + `
		const e = usable(selector);
		if (!e) return {usable: false};
		e.scrollIntoView({block: "center"});
		const buttons = ["submit", "button", "image", "reset", "checkbox", "radio", "file"];
		if (e.isContentEditable || e.matches("textarea") || e.matches("input") && !buttons.includes(e.type)) {
			e.focus();
			return {usable: true, field: true};
		}
		const box = e.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
		const top = document.elementFromPoint(x, y);
		return {usable: true, x, y, covered: !(top && (e.contains(top) || top.contains(e) && top.closest("label, a, button")))};
	}`

	clickScript = `selector => {
		` + usableScript + `
		usable(selector)?.click();
	}`

	// The result is cut at limit+1 characters, so that the caller notices that the page
	// is too large.
	snapshotScript = `limit => {
		const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + "\n" : "";
		return {
			url: document.URL,
			contentType: document.contentType,
			html: (type + (document.documentElement?.outerHTML ?? "")).slice(0, limit + 1),
		};
	}`
)

// spot is the position of an element that can be clicked.
type spot struct {
	Usable  bool    `json:"usable"`
	Field   bool    `json:"field"`   // a text field, which now has the focus
	Covered bool    `json:"covered"` // covered by another element, such as a banner
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
}

// snapshot is the current content of the page.
type snapshot struct {
	URL         string `json:"url"`
	ContentType string `json:"contentType"`
	HTML        string `json:"html"`
}

func (t *tab) exists(ctx context.Context, at string) (bool, error) {
	return evaluate[bool](ctx, t, existsScript, at)
}

func (t *tab) locate(ctx context.Context, at string) (spot, error) {
	return evaluate[spot](ctx, t, locateScript, at)
}

// currentPage returns the current content of the page.
func (t *tab) currentPage(ctx context.Context) (*Document, error) {
	if err := t.awaitErrorPage(ctx); err != nil {
		return nil, err
	}
	var taken snapshot
	for done := false; !done; {
		// The page may be replaced at any moment; then the next page is taken. This is
		// the last step, so it may take all the time that is left.
		var err error
		done, err = t.until(ctx, t.times.Step, func(context.Context) (_ bool, err error) {
			taken, err = evaluate[snapshot](ctx, t, snapshotScript, t.limit)
			return err == nil, err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(taken.HTML) > t.limit {
		return nil, ErrTooLarge
	}
	return &Document{URL: taken.URL, Status: t.recorder.mainDocument().Status, ContentType: taken.ContentType, Body: []byte(taken.HTML)}, nil
}

// evaluate calls a function in the page, in an isolated world: the function sees the
// page's elements, but not the page's JavaScript, which may have replaced the browser's
// functions.
func evaluate[T any](ctx context.Context, t *tab, function string, argument any) (T, error) {
	var value T
	world, err := call(ctx, t.page, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{
		FrameID: cdp.FrameID(t.target), WorldName: "earshot",
	})
	if err != nil {
		return value, err
	}
	data, err := json.Marshal(argument)
	if err != nil {
		return value, fmt.Errorf("argument: %w", err)
	}
	result, err := call(ctx, t.page, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "(" + function + ")(" + string(data) + ")", ContextID: world.ExecutionContextID,
		ReturnByValue: new(true), Silent: new(true), UserGesture: new(true),
	})
	if err != nil {
		return value, err
	}
	if e := result.ExceptionDetails; e != nil {
		return value, fmt.Errorf("%w: %w", errScript, (*exceptionError)(e))
	}
	if result.Result != nil && len(result.Result.Value) > 0 {
		err = json.Unmarshal(result.Result.Value, &value)
	}
	return value, err
}

// exceptionError is an exception that a script threw.
type exceptionError runtime.ExceptionDetails

func (e *exceptionError) Error() string {
	text := fmt.Sprintf("exception %q (%d:%d)", e.Text, e.LineNumber, e.ColumnNumber)
	if e.Exception != nil {
		text += ": " + e.Exception.Description
	}
	return text
}
