package dashboard_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"earshot"
)

// testShareLink enters the password of a share link. The page is sandboxed, so browsers treat its
// form and its links like those on another site.
func testShareLink(t *testing.T, c *chromium) {
	made, err := c.node.Client(c.reader).CreateShare(t.Context(), earshot.ShareRequest{
		Tracker: "demo", Title: "Shoes for Ana", ExpiresAt: time.Now().Add(time.Hour), Password: "correct horse",
	})
	if err != nil {
		t.Fatal(err)
	}
	p := c.open(t, made.URL)
	p.expect("403 (Forbidden)")
	enter := func(password string) {
		p.fill("#password", password)
		p.do("press Enter", chromedp.KeyEvent(kb.Enter))
	}
	enter("wrong horse")
	p.see("h1", "Wrong password")
	enter("correct horse")
	p.see("h1", "Shoes for Ana")
	p.see("nav b", "28 days")
	p.until("a link with the focus", find("nav a", "90 days")+`.focus() ?? document.activeElement.innerText === "90 days"`)
	p.do("follow the link", chromedp.KeyEvent(kb.Enter))
	p.see("nav b", "90 days")
	p.visit(c.node.BaseURL + "/docs") // the checks at the end need a page with scripts
}
