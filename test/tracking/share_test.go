package tracking

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/app"
	"earshot/internal/store/sharing"
	"earshot/test/harness"
)

// share creates a link to a report and returns its path and id.
func share(t *testing.T, n *harness.Node, a *app.Account, request earshot.ShareRequest) (path, id string) {
	t.Helper()
	request.ExpiresAt = time.Now().Add(time.Hour)
	made, err := n.Client(a).CreateShare(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	path, found := strings.CutPrefix(made.URL, n.BaseURL)
	if !found || !strings.HasPrefix(path, "/share/ear_link_"+made.Share.ID) {
		t.Errorf("the address is %s", made.URL)
	}
	return path, made.Share.ID
}

// visit makes a request without a key until no limit refuses it.
func visit(t *testing.T, n *harness.Node, method, path, form string, header map[string]string) (r *harness.Reply) {
	t.Helper()
	harness.Eventually(t, "the link is not limited", func() bool {
		req := n.Request(t.Context(), t, nil, method, path, form)
		for name, value := range header {
			req.Header.Set(name, value)
		}
		r = harness.Do(t, req)
		return r.StatusCode != http.StatusTooManyRequests
	})
	return r
}

func read(t *testing.T, n *harness.Node, path string) *harness.Reply {
	t.Helper()
	return visit(t, n, http.MethodGet, path, "", nil)
}

// checkPrivate checks the headers of a page and that it refers to nothing but itself.
func checkPrivate(t *testing.T, what string, r *harness.Reply, sandbox string) (links []string) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow",
		"X-Content-Type-Options": "nosniff",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %s is %q", what, name, got)
		}
	}
	if policy := r.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none';") || !strings.HasSuffix(policy, "; "+sandbox) {
		t.Errorf("%s: the policy is %q", what, policy)
	}
	root, err := html.Parse(bytes.NewReader(r.Body))
	if err != nil {
		t.Fatal(err)
	}
	hidden := false
	for n := range root.Descendants() {
		if n.Data == "script" {
			t.Errorf("%s: the page has a script", what)
		}
		for _, attribute := range n.Attr {
			switch attribute.Key {
			case "href", "src", "action":
				links = append(links, attribute.Val)
			}
			hidden = hidden || n.Data == "meta" && attribute.Val == "noindex, nofollow"
		}
	}
	if !hidden {
		t.Errorf("%s: the page may be indexed", what)
	}
	return links
}

// Nothing but the page of a link can be read with the link.
func TestAShareLinkShowsOneReport(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, stranger := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
		made := makeDemo(t, n, a, `{"days":8,"prompts":3}`)
		path, id := share(t, n, a, earshot.ShareRequest{Tracker: "demo", Title: "For <b>Ana</b>", Days: 14})
		page := read(t, other, path).Has(t, "the page", http.StatusOK)
		for _, part := range []string{"<h1>For &lt;b&gt;Ana&lt;/b&gt;</h1>", made.Shift.Brand, "<b>14 days</b>", "Visibility by sweep", "did not run"} {
			if !strings.Contains(string(page.Body), part) {
				t.Errorf("the page has no %q", part)
			}
		}
		internals := regexp.MustCompile(`(?i)credit|ear_link|ear_live|/v1/|[0-9a-f]{8}-[0-9a-f]{4}|` + a.Organization.Name + "|" + id)
		if found := internals.FindString(string(page.Body)); found != "" {
			t.Errorf("the page has %q", found)
		}
		links := checkPrivate(t, "the page", page, "sandbox")
		if strings.Join(links, " ") != "?days=7 ?days=28 ?days=90" {
			t.Errorf("the page has the links %q", links)
		}
		for _, link := range links {
			checkPrivate(t, link, read(t, n, path+link).Has(t, link, http.StatusOK), "sandbox")
		}
		read(t, n, path+"?days=30").Fails(t, "a number of days that the page does not offer", http.StatusBadRequest, earshot.CodeValidation)
		checkReach(t, n, a, path)

		if _, err := n.Client(stranger).CreateShare(t.Context(), earshot.ShareRequest{Tracker: "demo", ExpiresAt: time.Now().Add(time.Hour)}); !harness.IsFailure(err, http.StatusBadRequest, earshot.CodeValidation) {
			t.Errorf("another organization shares the tracker: %v", err)
		}
		if _, err := n.Client(stranger).RevokeShare(t.Context(), id); !harness.IsFailure(err, http.StatusNotFound, earshot.CodeNotFound) {
			t.Errorf("another organization revokes the link: %v", err)
		}
		listed, err := n.Client(a).Shares(t.Context())
		if err != nil || len(listed) != 1 || listed[0].Views == 0 || listed[0].ViewedAt == nil || listed[0].Tracker != "demo" || listed[0].Days != 14 {
			t.Errorf("listed %+v, %v", listed, err)
		}
	})
}

// checkReach tries each operation with the token of a link.
func checkReach(t *testing.T, n *harness.Node, a *app.Account, path string) {
	t.Helper()
	_, token, _ := strings.Cut(path, "/share/")
	fill := strings.NewReplacer("{name}", "demo", "{token}", token, "{id}", token, "{taskId}", token, "{page}", "page-1.html", "{file}", token, "{$}", "")
	known := []string{a.Organization.ID, a.Organization.Name, a.Key.ID}
	tried := 0
	for _, o := range api.Operations(app.Providers()) {
		if o.Path == "/share/{token}" {
			continue
		}
		for name, header := range map[string]map[string]string{
			"a key":        {"Authorization": "Bearer " + token},
			"a cookie":     {"Cookie": "earshot=" + token + "; earshot-link=" + token},
			"the referrer": {"Referer": n.BaseURL + path},
		} {
			tried++
			r := visit(t, n, o.Method, fill.Replace(o.Path)+"?token="+token, "{}", header)
			if r.StatusCode < 300 && !o.Public {
				t.Errorf("%s %s answers %d to the token as %s", o.Method, o.Path, r.StatusCode, name)
			}
			for _, data := range known {
				if bytes.Contains(r.Body, []byte(data)) {
					t.Errorf("%s %s shows %s to the token as %s", o.Method, o.Path, data, name)
				}
			}
		}
	}
	for _, below := range []string{"/", "/report", "/../../v1/trackers", "?format=md", "/%2e%2e/v1/credits"} {
		if r := read(t, n, path+below); r.StatusCode == http.StatusOK && below != "?format=md" {
			t.Errorf("%s answers %d", below, r.StatusCode)
		}
	}
	if tried < 200 {
		t.Errorf("only %d requests", tried)
	}
}

func TestAShareLinkEnds(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		makeDemo(t, n, a, `{"days":8,"prompts":1}`)
		now := time.Now().UTC()
		revoked, id := share(t, n, a, earshot.ShareRequest{Tracker: "demo", From: now.AddDate(0, 0, -7).Format(time.DateOnly), To: now.Format(time.DateOnly)})
		deleted, _ := share(t, n, a, earshot.ShareRequest{Tracker: "demo"})
		if links := checkPrivate(t, "a fixed period", read(t, other, revoked).Has(t, "a fixed period", http.StatusOK), "sandbox"); links != nil {
			t.Errorf("a fixed period has the links %q", links)
		}
		read(t, other, deleted).Has(t, "before the tracker is deleted", http.StatusOK)
		if _, err := n.Client(a).RevokeShare(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		gone := read(t, other, revoked).Has(t, "after it was revoked", http.StatusNotFound)
		checkPrivate(t, "a revoked link", gone, "sandbox")

		expiring := expireSoon(t, n, a, id)
		harness.Eventually(t, "the link has expired", func() bool { return read(t, other, expiring).StatusCode == http.StatusNotFound })
		n.Send(t, a, http.MethodDelete, "/v1/trackers/demo", "").Has(t, "delete", http.StatusOK)
		read(t, other, deleted).Has(t, "after the tracker was deleted", http.StatusNotFound)
		makeDemo(t, n, a, `{"days":1,"prompts":1}`)
		for what, path := range map[string]string{
			"a deleted tracker, after one with its name was made": deleted, "an expired link": expiring, "no link": "/share/ear_link_x",
			"a link with another secret": revoked[:len(revoked)-9] + "A" + revoked[len(revoked)-8:],
		} {
			if r := read(t, other, path).Has(t, what, http.StatusNotFound); !bytes.Equal(r.Body, gone.Body) {
				t.Errorf("%s has a page of its own: %s", what, r.Body)
			}
		}
	})
}

// expireSoon stores a link like another one that expires in a second.
func expireSoon(t *testing.T, n *harness.Node, a *app.Account, like string) (path string) {
	t.Helper()
	links := sharing.New(n.Store)
	all, err := links.List(t.Context(), a.Organization.ID, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if l.ID == like {
			id, token := account.NewSecret(account.ShareSecret)
			l.ID, l.Hash, l.RevokedAt, l.ExpiresAt, path = id, account.HashKey(token), time.Time{}, time.Now().Add(time.Second), "/share/"+token
			if err := links.Create(l, account.Operator()); err != nil {
				t.Fatal(err)
			}
			if _, err := links.Find(t.Context(), id, l.ExpiresAt.Add(-time.Millisecond)); err != nil {
				t.Errorf("the link does not work before it expires: %v", err)
			}
		}
	}
	return path
}

func TestAShareLinkWithAPassword(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		made := makeDemo(t, n, a, `{"days":8,"prompts":1}`)
		path, id := share(t, n, a, earshot.ShareRequest{Tracker: "demo", Password: "corréct horse"})
		second, _ := share(t, n, a, earshot.ShareRequest{Tracker: "demo", Password: "corréct horse"})
		locked := func(what string, r *harness.Reply, status int) {
			t.Helper()
			r.Has(t, what, status)
			if checkPrivate(t, what, r, "sandbox allow-forms"); bytes.Contains(r.Body, []byte(made.Shift.Brand)) || !bytes.Contains(r.Body, []byte(`type="password"`)) {
				t.Errorf("%s: %s", what, r.Body)
			}
		}
		send := func(path, password string) *harness.Reply {
			t.Helper()
			return visit(t, n, http.MethodPost, path, url.Values{"password": {password}}.Encode(), map[string]string{"Content-Type": "application/x-www-form-urlencoded"})
		}
		with := func(n *harness.Node, path, cookie string) *harness.Reply {
			t.Helper()
			return visit(t, n, http.MethodGet, path, "", map[string]string{"Cookie": cookie})
		}
		locked("without a password", read(t, other, path), http.StatusOK)
		locked("a wrong password", send(path, "correct horse"), http.StatusForbidden)
		locked("no password", send(path, ""), http.StatusForbidden)
		opened := send(path+"?days=7", " corréct horse ").Has(t, "the right password", http.StatusSeeOther)
		if to, err := opened.Location(); err != nil || to.RequestURI() != path+"?days=7" {
			t.Errorf("it leads to %s, %v", to, err)
		}
		set := opened.Header.Get("Set-Cookie")
		if !strings.Contains(set, "; Path="+path+"; Max-Age=43200; HttpOnly; SameSite=Lax") {
			t.Errorf("the cookie is %s", set)
		}
		cookie, _, _ := strings.Cut(set, ";")
		if r := with(other, path, cookie).Has(t, "with the cookie", http.StatusOK); !bytes.Contains(r.Body, []byte(made.Shift.Brand)) {
			t.Errorf("with the cookie: %s", r.Body)
		}
		locked("with the cookie of another link", with(other, second, cookie), http.StatusOK)
		locked("with a changed cookie", with(other, path, cookie[:len(cookie)-1]), http.StatusOK)
		if _, err := n.Client(a).RevokeShare(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		with(other, path, cookie).Has(t, "with the cookie, after it was revoked", http.StatusNotFound)
		send(path, "corréct horse").Has(t, "the password, after it was revoked", http.StatusNotFound)
	})
}
