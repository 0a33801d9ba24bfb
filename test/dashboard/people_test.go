package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

const password = "correct horse battery"

// invite invites somebody as a viewer and returns the link.
func invite(t *testing.T, n *harness.Node, a *app.Account, email string) string {
	t.Helper()
	var made earshot.NewInvitation
	n.Post(t, a, "/v1/invitations", fmt.Sprintf(`{"email":%q,"role":"viewer"}`, email)).Has(t, "invite", http.StatusOK).Into(t, &made)
	return made.URL
}

// join adds a user to an organization.
func join(t *testing.T, n *harness.Node, a *app.Account, email string) {
	t.Helper()
	_, token, _ := strings.Cut(invite(t, n, a, email), "/join/")
	n.Post(t, a, "/v1/invitation/accept", fmt.Sprintf(`{"token":%q,"name":"Grace Hopper","password":%q}`, token, password)).Has(t, "join", http.StatusOK)
}

// testPeople invites somebody, who joins in another browser as a viewer, becomes an editor,
// shares a tracker, and is signed out by an admin.
func testPeople(t *testing.T, c *chromium) {
	source := axe(t)
	check := func(p *tab, what string) {
		t.Helper()
		p.eval("void (() => {" + source + "\n})()")
		p.accessible(what, `{}`)
	}
	const email = "ada@example.com"
	n, a, p := c.session(t)
	n.Send(t, a, http.MethodPut, "/v1/trackers/hats", `{"prompts":["hats"],"targets":[{"provider":"chatassistant","country":"US"}]}`).Has(t, "apply", http.StatusOK)
	p.turnTo("people")
	p.click("a", "Invite people")
	p.fill("input[name=email]", email)
	p.click("button", "Invite")
	p.see("dialog", "It was not mailed")
	link := p.secret()
	p.click(hook("secret-done"), "")
	p.see(hook("invitations"), email)

	other := c.open(t, link)
	other.see("h1", "Join "+a.Organization.Name)
	other.until("the invited email", `document.querySelector("input[type=email]").value === `+quote(email))
	check(other, "an invitation")
	other.phone()
	other.fits("an invitation")
	other.do("be a laptop", chromedp.EmulateViewport(1280, 900))
	other.fill("input[name=name]", "Ada")
	other.fill("input[name=password]", password)
	other.click("button", "Join")
	other.signedIn()
	if at, _ := other.eval(`location.href`).(string); strings.Contains(at, "ear_inv_") {
		t.Errorf("the invitation stays in the address: %s", at)
	}
	other.click(hook("account"), "")
	other.see(hook("account-menu"), email+", Viewer")
	other.click("a", "Your sessions")
	other.see(hook("sessions"), "This browser")
	other.gone("nav.views a", "Audit log")
	other.goTo("#/people/audit")
	other.see(hook("needs-admin"), "requires the role Admin")
	other.goTo("#/trackers/hats")
	other.see("h1", "hats")
	other.see(".head-actions", "Export")
	other.gone("button, .button", "Run now")
	other.gone(hook("share"), "")
	other.goTo("#/playground")
	other.see(hook("needs"), "you need the role Editor")

	p.goTo("#/people")
	p.choose(`select[aria-label="Role of `+email+`"]`, "editor")
	other.wait("the form of an editor", func() bool { // a node may remember the role for half a second
		other.do("reload", chromedp.Reload())
		other.see(hook("price"), "Max.")
		return other.eval("!!"+find(hook("run"), "")) == true
	})
	p.goTo("#/people/audit?action=user")
	p.see(hook("audit"), "Role changed")
	p.click(hook("audit")+" button", "Show")
	p.see(hook("changes"), "editor")
	other.goTo("#/trackers/hats")
	other.click(hook("share"), "")
	check(other, "a form of a share link")
	other.fill("dialog input[name=title]", "Hats of the month")
	other.click("dialog button", "Create link")
	reader := c.open(t, other.secret())
	reader.see("h1", "Hats of the month")
	reader.visit(n.BaseURL) // at its end, the test needs a page whose policy allows requests
	other.click(hook("secret-done"), "")
	other.click(hook("share"), "")
	other.see(hook("shares"), "1 view")
	other.escape()

	other.expect("401 (Unauthorized)")
	p.goTo("#/people/sessions")
	p.click(`button[aria-label^="End "]`, "")
	p.gone(hook("sessions"), email)
	other.goTo("#/history/queue") // no click: the live connection may have ended the session already
	other.see(".notice", "You were signed out")
	check(other, "the sign-in")
	other.fill("input[name=email]", email)
	other.fill("input[name=password]", "a wrong password")
	other.click("button", "Sign in")
	other.see("[role=alert]", "The email or the password is wrong")
	other.fill("input[name=password]", password)
	other.click("button", "Sign in")
	other.see(hook("queued"), "") // the same page

	// In another organization, the same user needs no new password. All tabs switch together.
	second := owner(t, n)
	other.visit(invite(t, n, second, email))
	other.see(".notice", "You are signed in as "+email)
	other.fill("input[name=password]", password)
	other.click("button", "Join")
	other.signedIn()
	other.see(hook("account"), second.Organization.Name)
	tab := other.another(n.BaseURL + "/#/usage")
	tab.signedIn()
	tab.expect("401 (Unauthorized)") // requests while another tab switches
	tab.expect("409 (Conflict)")
	other.expect("409 (Conflict)")
	for _, next := range []*app.Account{a, second} {
		other.click(hook("account"), "")
		other.choose(hook("organization"), next.Organization.ID)
		other.see(hook("account"), next.Organization.Name)
		tab.see(hook("account"), next.Organization.Name)
	}
}
