package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// errEnded ends a visit before its last step: the main document has an error status, or
// the page leads to the redirect that a step takes.
var errEnded = errors.New("the visit has its document")

// tab is the page of one visit, in its own browser context.
type tab struct {
	conn     *conn
	context  cdp.BrowserContextID
	target   target.ID
	page     session
	limit    int
	times    *timeouts
	language string
	agent    string // replaces Chromium's user agent, unless empty
	site     string // the site of the VerbTakeRedirect step; empty if there is no such step
	recorder *recorder
	end      context.CancelCauseFunc
}

// permissions are the permissions that pages ask a user for. They are denied; otherwise
// the page would wait for a user.
var permissions = []string{
	"camera", "clipboard-read", "geolocation", "idle-detection", "local-fonts", "microphone", "midi",
	"notifications", "storage-access", "window-management",
}

// openTab opens an empty page in a new browser context that uses the proxy. It does not
// end with the visit's context.Context, since stopping half way would leave the browser
// context behind.
func openTab(c *conn, proxy string, limit int, times *timeouts) (*tab, error) {
	ctx, cancel := context.WithTimeout(context.Background(), times.Open)
	defer cancel()
	made, err := call(ctx, c.browser(), target.CreateBrowserContext, target.CreateBrowserContextParams{
		ProxyServer: "http://" + proxy, ProxyBypassList: "<-loopback>", DisposeOnDetach: new(true),
	})
	if err != nil {
		return nil, err
	}
	t := &tab{conn: c, context: made.BrowserContextID, limit: limit, times: times}
	_, err = call(ctx, c.browser(), browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: t.context,
	})
	if err != nil {
		return nil, err
	}
	for _, name := range permissions {
		post(c.browser(), browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingDenied, BrowserContextID: t.context,
		}, nil)
	}
	opened, err := call(ctx, c.browser(), target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: t.context,
	})
	t.target = opened.TargetID
	return t, err
}

// dispose closes the page and its browser context.
func (t *tab) dispose() error {
	ctx, cancel := context.WithTimeout(context.Background(), t.times.Close)
	defer cancel()
	_, err := call(ctx, t.conn.browser(), target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: t.context})
	t.conn.forget(t)
	if errors.Is(err, ErrCrashed) {
		return nil
	}
	return err
}

// visit opens the page and does the steps.
func (t *tab) visit(parent context.Context, v Visit) (*Document, error) {
	ctx, end := context.WithCancelCause(parent)
	defer end(nil)
	t.end, t.language = end, languages(v.Language)
	t.recorder = newRecorder(v.Steps, string(t.target), t.limit, end)
	for _, step := range v.Steps {
		if step.Verb == VerbTakeRedirect {
			t.site = step.At
		}
	}
	doc, err := t.open(ctx, v)
	if ending := t.recorder.ending(); ending != nil {
		return ending, nil
	}
	if err != nil && parent.Err() != nil {
		return nil, parent.Err()
	}
	return doc, err
}

func (t *tab) open(ctx context.Context, v Visit) (*Document, error) {
	if err := t.attach(ctx, v.Phone); err != nil {
		return nil, err
	}
	result, err := call(ctx, t.page, page.Navigate, page.NavigateParams{URL: v.URL})
	if err != nil {
		return nil, err
	}
	if err := t.awaitErrorPage(ctx); err != nil {
		return nil, err
	}
	if result.ErrorText != "" {
		return nil, fmt.Errorf("%w: %s", ErrNavigation, result.ErrorText)
	}
	loaded := func(ctx context.Context) (bool, error) { return evaluate[bool](ctx, t, loadedScript, nil) }
	if _, err := t.until(ctx, t.times.Load, loaded); err != nil {
		return nil, err
	}
	return t.run(ctx, v.Steps)
}

// attach opens the session to the page and prepares the page for a visit.
func (t *tab) attach(ctx context.Context, phone string) error {
	if phone != "" {
		t.agent = phoneAgent(t.conn.agent, phone)
	}
	attached, err := call(ctx, t.conn.browser(), target.AttachToTarget, target.AttachToTargetParams{TargetID: t.target, Flatten: new(true)})
	if err != nil {
		return err
	}
	t.page = session{t.conn, attached.SessionID, t}
	t.page.listen()
	t.prepare(t.page)
	post(t.page, inspector.Enable, cdp.Empty{}, nil)
	post(t.page, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}, nil)
	post(t.page, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true, Cancel: new(true)}, nil)
	if phone != "" {
		post(t.page, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 412, Height: 915, DeviceScaleFactor: 2, Mobile: true}, nil)
	}
	if t.site != "" {
		post(t.page, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{ResourceType: network.ResourceTypeDocument}}}, nil)
	}
	// Chromium answers calls in order, so all calls above are done when this one returns.
	_, err = call(ctx, t.page, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return err
}

// prepare enables the events of a page, a frame or a worker, and of the frames and
// workers in it. Commands that this kind of target does not support fail; these errors
// are ignored.
func (t *tab) prepare(s session) {
	post(s, network.Enable, network.EnableParams{
		MaxTotalBufferSize: new(int64(4 * t.limit)), MaxResourceBufferSize: new(int64(2 * t.limit)), MaxPostDataSize: new(int64(0)),
	}, nil)
	post(s, page.Enable, page.EnableParams{}, nil)
	if t.language != "" || t.agent != "" {
		// An empty user agent keeps Chromium's own.
		post(s, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: t.agent, AcceptLanguage: t.language}, nil)
	}
	post(s, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true)}, nil)
	post(s, runtime.RunIfWaitingForDebugger, cdp.Empty{}, nil)
}

// handle handles the events of the page, its frames and its workers. It runs on
// the reading goroutine.
func (t *tab) handle(s session, msg *message) {
	t.recorder.handle(s, msg)
	if e, ok := event(msg, page.JavascriptDialogOpening); ok {
		// All dialogs are declined except the one that asks whether to leave the page.
		accept := e.Type == page.DialogTypeBeforeunload
		post(s, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept}, nil)
	} else if e, ok := event(msg, fetch.RequestPaused); ok {
		t.follow(s, e)
	} else if _, ok := event(msg, inspector.TargetCrashed); ok && s == t.page {
		t.end(fmt.Errorf("%w: the page crashed", ErrCrashed))
	} else if e, ok := event(msg, target.AttachedToTarget); ok {
		child := session{t.conn, e.SessionID, t}
		child.listen()
		t.prepare(child)
	}
}

// follow continues a document request within t.site or of a frame. It blocks another
// document in the main frame and ends the visit with its address.
func (t *tab) follow(s session, e fetch.EventRequestPaused) {
	u, err := url.Parse(e.Request.URL)
	host := ""
	if err == nil {
		host = strings.ToLower(u.Hostname())
	}
	if string(e.FrameID) != string(t.target) || host == t.site || strings.HasSuffix(host, "."+t.site) {
		post(s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID}, nil)
		return
	}
	post(s, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted}, nil)
	t.recorder.leave(e.Request.URL + e.Request.URLFragment)
}

// phoneAgent changes Chromium's user agent into the user agent of Chromium on a phone.
func phoneAgent(agent, phone string) string {
	before, rest, _ := strings.Cut(agent, "(")
	_, after, _ := strings.Cut(rest, ")")
	return before + "(" + phone + ")" + strings.Replace(after, " Safari/", " Mobile Safari/", 1)
}

// handleTargets handles the events of Chromium itself: it closes windows that pages
// open, and ends the visit of a page that was closed.
func (c *conn) handleTargets(msg *message) {
	if e, ok := event(msg, target.TargetCreated); ok {
		if e.TargetInfo.Type == "page" && e.TargetInfo.OpenerID != "" {
			post(c.browser(), target.CloseTarget, target.CloseTargetParams{TargetID: e.TargetInfo.TargetID}, nil)
		}
	} else if e, ok := event(msg, target.DetachedFromTarget); ok {
		c.mu.Lock()
		t := c.tabs[e.SessionID]
		c.mu.Unlock()
		if t != nil {
			t.end(fmt.Errorf("%w: the page closed itself", ErrCrashed))
		}
	}
}

// awaitErrorPage returns at once unless the main document has an error status. Then it
// waits until the document is complete, which ends ctx.
func (t *tab) awaitErrorPage(ctx context.Context) error {
	if t.recorder.mainDocument().Status < 400 {
		return nil
	}
	_, err := t.until(ctx, t.times.Step, func(context.Context) (bool, error) { return false, nil })
	return err
}

// languages returns the languages of an Accept-Language without their weights, which
// Chromium adds itself.
func languages(accept string) string {
	var all []string
	for item := range strings.SplitSeq(accept, ",") {
		name, _, _ := strings.Cut(item, ";")
		if name = strings.TrimSpace(name); name != "" && name != "*" {
			all = append(all, name)
		}
	}
	return strings.Join(all, ",")
}
