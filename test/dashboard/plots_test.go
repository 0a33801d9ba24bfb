package dashboard_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// drag moves the pressed mouse through the trend, from one part of its width to another.
func (p *tab) drag(from, to float64) {
	p.t.Helper()
	at, _ := p.eval(`(() => {
		const e = document.querySelector("[data-testid=trend]");
		e.scrollIntoView({ block: "center", behavior: "instant" });
		const { x, y, width, height } = e.getBoundingClientRect();
		return [x, y + height / 2, width];
	})()`).([]any)
	left, _ := at[0].(float64)
	y, _ := at[1].(float64)
	width, _ := at[2].(float64)
	for _, step := range []struct {
		kind    input.DispatchMouseEventType
		x       float64
		buttons int64
	}{
		{input.DispatchMouseEventTypeMouseMoved, from, 0},
		{input.DispatchMouseEventTypeMousePressed, from, 1},
		{input.DispatchMouseEventTypeMouseMoved, (from + to) / 2, 1},
		{input.DispatchMouseEventTypeMouseMoved, to, 1},
		{input.DispatchMouseEventTypeMouseReleased, to, 0},
	} {
		p.do("drag", func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
			_, err := chromedp.Call(ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
				Type: step.kind, X: left + step.x*width, Y: y, Button: input.MouseButtonLeft, Buttons: step.buttons, ClickCount: 1,
			})
			return chromedp.Void{}, err
		})
	}
}

// testPlots zooms into the trend and out again, isolates a brand, downloads the chart and
// opens the answers of a point.
func testPlots(t *testing.T, c *chromium) {
	_, _, p := c.demo(t)
	p.goTo("#/trackers/demo/overview")
	p.see(hook("trend"), "")
	p.see(".readout button", "Kestrin")
	last, _ := p.eval(`Number(document.querySelector("[role=slider]").ariaValueMax)`).(float64)
	p.drag(0.5, 0.9)
	p.until("the period in the address", `/from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d/.test(location.hash)`)
	p.until("fewer sweeps", fmt.Sprintf(`document.querySelector("[role=slider]").ariaValueMax < %v`, last-3))
	p.click(hook("zoom-out"), "")
	p.until("all sweeps", fmt.Sprintf(`!location.hash.includes("from=") && document.querySelector("[role=slider]").ariaValueMax == %v`, last))

	p.click(".readout button", "Kestrin")
	p.until("Kestrin alone", `document.querySelectorAll(".chip-line:not(.off)").length === 1`)
	p.eval(`!!(URL.createObjectURL = (file) => (file.text().then((text) => (window.__file = text)), "#"))`)
	p.click(".plot-tools button", "SVG")
	p.until("a file", `!!window.__file`)
	svg, _ := p.eval(`window.__file`).(string)
	for _, want := range []string{`xmlns="http://www.w3.org/2000/svg"`, "Kestrin", "Visibility by sweep of demo"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture does not contain %s", want)
		}
	}
	if strings.Contains(svg, "var(--") || strings.Contains(svg, "href=") {
		t.Error("the picture depends on the page")
	}
	p.click(".readout button", "Kestrin")
	p.see(".readout button", "Ollaro")

	p.drag(0.97, 0.97)
	p.until("the answers of a point", `/^#\/trackers\/demo\/answers\?.*brand=.+&sweep=/.test(location.hash)`)
	p.see(hook("answers")+" tbody tr", "")
}
