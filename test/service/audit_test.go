package service_test

import (
	"cmp"
	"encoding/csv"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/app"
	"earshot/test/harness"
)

// change is a request that the audit log must show.
type change struct {
	action        string // or several, separated by commas; the other fields are about the first
	operation     string
	path          string // instead of the path of the operation, if that has parameters
	body          string
	by            string // "user", "guest", "operator", or "" for a key with all scopes
	status        int    // 0 for 200
	subject       string // "" for any
	before, after string // JSON, or a part of it after …
}

const (
	plainTracker = `{"prompts":["best hats"],"targets":[{"provider":"chatassistant","country":"US"}],"webhook":{"url":"https://hooks.example/hush-1"}}`
	// Every sentence that names Ollaro differs from this fact.
	reviewedTracker = `{"brands":[{"name":"Ollaro","own":true}],"facts":[{"brand":"Ollaro","name":"spelling","near":["Ollaro"],"is":"Ollara","not":["Ollaro"]}],
		"prompts":["best running shoes for beginners","Which trail running shoes last longest?","best running shoes for women"],
		"targets":[{"provider":"chatassistant","country":"US"},{"provider":"answerengine","country":"US"}]}`
	cappedTracker = `{"prompts":["best hats"],"targets":[{"provider":"chatassistant","country":"US"}],"ceiling":{"creditsPerMonth":1}}`
)

var changes = []change{
	{action: "key.create", operation: "POST /v1/keys", body: `{"name":"laptop","scopes":["read"]}`, before: `null`, after: `{"creditsPerDay":0,"creditsPerMonth":0,"expiresAt":null,"name":"laptop","scopes":"read"}`},
	{action: "key.change", operation: "PATCH /v1/keys/{id}", path: "/v1/keys/<key>", body: `{"name":"desktop","creditsPerDay":9}`, subject: "<key>", before: `{"creditsPerDay":0,"name":""}`, after: `{"creditsPerDay":9,"name":"desktop"}`},
	{action: "key.revoke", operation: "DELETE /v1/keys/{id}", path: "/v1/keys/<key>", subject: "<key>", before: `…"name":"desktop","scopes":"read"`, after: `null`},
	{action: "webhook.rotate", operation: "POST /v1/webhooks/secret/rotate", subject: "<self>", before: `null`, after: `null`},
	{action: "channel.save", operation: "PUT /v1/channels/{name}", path: "/v1/channels/ops", body: `{"kind":"slack","url":"https://hooks.example/hush-2"}`, subject: "ops", before: `null`, after: `{"kind":"slack"}`},
	{action: "channel.save", operation: "PUT /v1/channels/{name}", path: "/v1/channels/ops", body: `{"kind":"slack","url":"https://hooks.example/hush-3"}`, subject: "ops", before: `{}`, after: `{"settingsChanged":true}`},
	{action: "channel.delete", operation: "DELETE /v1/channels/{name}", path: "/v1/channels/ops", subject: "ops", before: `{"kind":"slack"}`, after: `null`},
	{action: "tracker.create", operation: "PUT /v1/trackers/{name}", path: "/v1/trackers/hats", body: plainTracker, subject: "hats", before: `null`, after: `…"version":1,"webhook":"hooks.example"`},
	{action: "tracker.change", operation: "PUT /v1/trackers/{name}", path: "/v1/trackers/hats", body: strings.Replace(plainTracker, "{", `{"title":"Hats",`, 1), subject: "hats", before: `{"version":1}`, after: `{"title":"Hats","version":2}`},
	{action: "tracker.pause", operation: "PATCH /v1/trackers/{name}", path: "/v1/trackers/hats", body: `{"state":"paused"}`, subject: "hats", before: `{"state":"active"}`, after: `{"state":"paused"}`},
	{action: "tracker.resume", operation: "PATCH /v1/trackers/{name}", path: "/v1/trackers/hats", body: `{"state":"active"}`, subject: "hats", before: `{"state":"paused"}`, after: `{"state":"active"}`},
	{action: "tracker.run", operation: "POST /v1/trackers/{name}/sweeps", path: "/v1/trackers/hats/sweeps", body: `{}`, subject: "hats", before: `null`, after: `…"state":"running"`},
	{action: "tracker.reanalyse", operation: "POST /v1/trackers/{name}/reanalysis", path: "/v1/trackers/hats/reanalysis", subject: "hats", before: `{"rules":1}`, after: `{"rules":2}`},
	{action: "tracker.delete", operation: "DELETE /v1/trackers/{name}", path: "/v1/trackers/hats", subject: "hats", before: `…"version":2`, after: `null`},
	{action: "tracker.create", operation: "POST /v1/trackers/{name}/demo", path: "/v1/trackers/sample/demo", body: `{"days":1,"prompts":1}`, subject: "sample", before: `null`, after: `…"demo":true`},
	{action: "alert.acknowledge", operation: "POST /v1/trackers/{name}/alerts/{id}/acknowledge", path: "/v1/trackers/capped/alerts/<alert>/acknowledge", subject: "<alert>", before: `null`, after: `…"tracker":"capped"`},
	{action: "review.mark", operation: "PATCH /v1/trackers/{name}/reviews/{id}", path: "/v1/trackers/seen/reviews/<review>", body: `{"state":"wrong","note":"told them"}`, subject: "<review>", before: `{"note":"","state":"open"}`, after: `{"note":"told them","state":"wrong","tracker":"seen"}`},
	{action: "sweep.cancel", operation: "DELETE /v1/trackers/{name}/sweeps/{id}", path: "/v1/trackers/seen/sweeps/<sweep>", subject: "<sweep>", before: `null`, after: `{"tracker":"seen"}`},
	{action: "task.cancel", operation: "DELETE /v1/async/task/{taskId}", path: "/v1/async/task/<task>", subject: "<task>", before: `{"queued":2}`, after: `{"queued":1}`},
	{action: "user.invite", operation: "POST /v1/invitations", body: `{"email":"new@example.com","role":"viewer"}`, before: `null`, after: `{"email":"new@example.com","role":"viewer"}`},
	{action: "invitation.revoke", operation: "DELETE /v1/invitations/{id}", path: "/v1/invitations/<invitation>", subject: "<invitation>", before: `{"email":"late@example.com","role":"viewer"}`, after: `null`},
	{action: "user.join,session.signin", operation: "POST /v1/invitation/accept", by: "guest", body: `{"token":"<token>","password":"hush-password"}`, before: `null`, after: `{"role":"editor","source":"invitation"}`},
	{action: "user.password,session.signin", operation: "POST /v1/invitation/accept", by: "guest", body: `{"token":"<reset>","password":"hush-password"}`, before: `null`, after: `null`},
	{action: "session.signin", operation: "POST /v1/session", by: "guest", body: `{"email":"bob@example.com","password":"hush-password"}`, before: `null`, after: `{"via":"password"}`},
	{action: "session.refused", operation: "POST /v1/session", by: "guest", status: http.StatusUnauthorized, body: `{"email":"bob@example.com","password":"hush-wrong"}`, subject: "bob@example.com", before: `null`, after: `…"reason":`},
	{action: "session.switch", operation: "PATCH /v1/session", by: "user", body: `{"organization":"<self>"}`, before: `null`, after: `{"via":"password"}`},
	{action: "user.password", operation: "PUT /v1/session/password", by: "user", body: `{"current":"` + harness.Password + `","new":"hush-new-password"}`, before: `null`, after: `null`},
	{action: "session.signout", operation: "DELETE /v1/session", by: "user", before: `…"user":"u_`, after: `null`},
	{action: "session.revoke", operation: "DELETE /v1/sessions/{id}", path: "/v1/sessions/<session>", subject: "<session>", before: `{"user":"<member>"}`, after: `null`},
	{action: "user.role", operation: "PATCH /v1/users/{id}", path: "/v1/users/<member>", body: `{"role":"editor"}`, subject: "<member>", before: `{"role":"viewer"}`, after: `{"role":"editor"}`},
	{action: "user.remove", operation: "DELETE /v1/users/{id}", path: "/v1/users/<member>", subject: "<member>", before: `{"role":"editor","source":"invitation"}`, after: `null`},
	{action: "share.create", operation: "POST /v1/shares", body: `{"tracker":"seen","expiresAt":"<tomorrow>","password":"hush-password"}`, before: `null`, after: `…"tracker":"seen"`},
	{action: "share.revoke", operation: "DELETE /v1/shares/{id}", path: "/v1/shares/<share>", subject: "<share>", before: `null`, after: `null`},
	{action: "queue.clear", operation: "DELETE /v1/async/queue", subject: "<self>", before: `{"queued":1}`, after: `{"queued":0}`},
	{action: "organization.create", operation: "POST /v1/operator/organizations", by: "operator", body: `{"name":"hush-made","plan":"lite","credits":7}`, before: `null`, after: `…"plan":"lite"`},
	{action: "plan.change,credits.set", operation: "PATCH /v1/operator/organizations/{id}", by: "operator", path: "/v1/operator/organizations/<self>", body: `{"plan":"enterprise-5k","credits":900}`, subject: "<self>", before: `…"name":"one"`, after: `…"name":"enterprise-5k"`},
	{action: "credits.set", operation: "PATCH /v1/operator/organizations/{id}", by: "operator", path: "/v1/operator/organizations/<self>", body: `{"credits":800}`, subject: "<self>", before: `{"balance":900}`, after: `{"balance":800}`},
	{action: "credits.grant", operation: "POST /v1/operator/organizations/{id}/credits", by: "operator", path: "/v1/operator/organizations/<self>/credits", body: `{"credits":5}`, subject: "<self>", before: `{"balance":800}`, after: `{"balance":805}`},
	{action: "key.create", operation: "POST /v1/operator/keys", by: "operator", body: `{"name":"terraform"}`, before: `null`, after: `…"scopes":"operator"`},
	{action: "key.revoke", operation: "DELETE /v1/operator/keys/{id}", by: "operator", path: "/v1/operator/keys/<spare>", subject: "<spare>", before: `…"scopes":"read"`, after: `null`},
	{action: "user.reset", operation: "POST /v1/operator/users/reset", by: "operator", body: `{"email":"dora@example.com"}`, before: `null`, after: `null`},
}

// An operation that can change something needs a line in changes.
func TestEveryAuditedOperationIsTested(t *testing.T) {
	t.Parallel()
	for _, o := range api.Operations(app.Providers()) {
		for action := range strings.SplitSeq(o.Audit, ",") {
			tested := func(c change) bool {
				return c.operation == o.Method+" "+o.Path && slices.Contains(strings.Split(c.action, ","), action)
			}
			if action != "" && !slices.ContainsFunc(changes, tested) {
				t.Errorf("no request is tested for %s %s and %s", o.Method, o.Path, action)
			}
		}
	}
}

func TestEverythingThatCanBeChangedIsAudited(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "one", 1000)
		admin, stranger := n.Admin(t, a), n.Admin(t, n.Organization(t, "one", 1000))
		known := thingsToChange(t, n, a)
		n.Join(t, a, account.RoleEditor, "ana@example.com")
		user := n.Join(t, stranger, account.RoleViewer, "ana@example.com")
		operator := n.Key(t, a, time.Time{}, account.ScopeOperator)
		clients := map[string]*app.Account{"": admin, "user": user, "operator": operator}
		secrets := []string{a.Key.Text, admin.Key.Text, user.Key.Text, a.WebhookSecret, "hush-", harness.Password}
		for _, c := range changes {
			method, path, _ := strings.Cut(c.operation, " ")
			if c.path != "" {
				path = c.path
			}
			r := n.Send(t, clients[c.by], method, known.Replace(path), known.Replace(c.body)).Has(t, c.operation, cmp.Or(c.status, http.StatusOK))
			secrets = append(secrets, regexp.MustCompile(`(ear_(live|sess|inv|link)_|whsec_)[^";]+`).FindAllString(string(r.Body)+strings.Join(r.Header.Values("Set-Cookie"), ""), -1)...)
			if c.by == "user" && len(r.Cookies()) > 0 {
				user.Key.Text = r.Cookies()[0].Value
			}
			byAction := map[string]*earshot.AuditEntry{}
			for _, reader := range readers(t, other, admin, operator, c.by) {
				for entry, err := range reader.Audit(t.Context(), earshot.AuditQuery{Limit: 10}) {
					if err != nil {
						t.Fatal(err)
					}
					if entry.RequestID == r.Header.Get("X-Request-Id") {
						byAction[entry.Action] = entry
					}
				}
			}
			actions := strings.Split(c.action, ",")
			e := byAction[actions[0]]
			if e == nil || len(byAction) != len(actions) || byAction[actions[len(actions)-1]] == nil {
				t.Errorf("%s: the entries are %s, want %s", c.operation, harness.JSON(t, byAction), c.action)
				continue
			}
			by := map[string]earshot.AuditActor{"": {Kind: "key", ID: admin.Key.ID}, "user": {Kind: "user", ID: user.Key.ID, Name: user.Key.Name}, "guest": e.Actor, "operator": {Kind: "operator", ID: operator.Key.ID}}[c.by]
			if e.Actor != by || e.Address != "127.0.0.1" || time.Since(e.At.Time).Abs() > time.Hour {
				t.Errorf("%s: %s", c.operation, harness.JSON(t, e))
			}
			if want := known.Replace(c.subject); want != "" && e.Subject != want {
				t.Errorf("%s: the subject is %q, want %q", c.operation, e.Subject, want)
			}
			for what, values := range map[string][2]string{"before": {string(e.Before), known.Replace(c.before)}, "after": {string(e.After), c.after}} {
				part, isPart := strings.CutPrefix(values[1], "…")
				if isPart && !strings.Contains(values[0], part) || !isPart && values[0] != values[1] {
					t.Errorf("%s: %s is %s, want %s", c.operation, what, values[0], values[1])
				}
			}
		}
		whole := string(n.Get(t, admin, harness.AuditPath+"?limit=500").Body)
		for _, secret := range secrets {
			if strings.Contains(whole, secret) {
				t.Errorf("the audit log contains the secret %s", secret)
			}
		}
		if theirs := string(n.Get(t, stranger, harness.AuditPath).Body); strings.Contains(theirs, admin.Key.ID) || strings.Contains(theirs, "seen") {
			t.Errorf("another organization sees %s", theirs)
		}
	})
}

// readers are clients that together see the entry of a change: the admin's, or the operator's for each organization.
func readers(t *testing.T, n *harness.Node, admin, operator *app.Account, by string) (all []*client.Client) {
	t.Helper()
	if by != "operator" {
		return []*client.Client{n.Client(admin)}
	}
	found, err := n.Client(operator).Organizations(t.Context(), earshot.OrganizationQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range found.Organizations {
		all = append(all, client.New(n.BaseURL, operator.Key.Text, client.WithOrganization(o.ID)))
	}
	return all
}

// thingsToChange makes what the requests in changes need, and returns their ids.
func thingsToChange(t *testing.T, n *harness.Node, a *app.Account) *strings.Replacer {
	t.Helper()
	for name, definition := range map[string]string{"seen": reviewedTracker, "capped": cappedTracker} {
		n.Send(t, a, http.MethodPut, "/v1/trackers/"+name, definition).Has(t, "apply", http.StatusOK)
		n.Post(t, a, "/v1/trackers/"+name+"/sweeps", `{}`).Has(t, "run", http.StatusOK)
	}
	var reviews earshot.ReviewPage
	harness.Eventually(t, "there is a review", func() bool {
		n.Get(t, a, "/v1/trackers/seen/reviews?kind=fact").Into(t, &reviews)
		return len(reviews.Reviews) > 0
	})
	var alerts earshot.AlertPage
	harness.Eventually(t, "there is an alert", func() bool {
		n.Get(t, a, "/v1/trackers/capped/alerts").Into(t, &alerts)
		return len(alerts.Alerts) > 0
	})
	n.Hang(t, a) // tasks stay in the queue from now on
	task := n.Submit(t, a, harness.GoodTask)
	n.Submit(t, a, harness.GoodTask)
	var started earshot.SweepStarted
	n.Post(t, a, "/v1/trackers/seen/sweeps", `{}`).Into(t, &started)
	return strings.NewReplacer(append(peopleToChange(t, n, a), "<self>", a.Organization.ID, "<key>", n.Key(t, a, time.Time{}, account.ScopeRead).Key.ID,
		"<review>", reviews.Reviews[0].ID, "<alert>", alerts.Alerts[0].ID, "<sweep>", started.Sweep.ID, "<task>", task.ID)...)
}

// peopleToChange is thingsToChange for people and share links. It returns placeholders and their values.
func peopleToChange(t *testing.T, n *harness.Node, a *app.Account) []string {
	t.Helper()
	token := n.Invite(t, a, account.RoleEditor, "bob@example.com")
	n.Invite(t, a, account.RoleViewer, "late@example.com")
	admin := n.Client(n.Admin(t, a))
	invitations, err := admin.Invitations(t.Context())
	if err != nil || invitations[0].Email != "late@example.com" {
		t.Fatalf("the invitations are %s, %v", harness.JSON(t, invitations), err)
	}
	member := n.Join(t, a, account.RoleViewer, "carl@example.com")
	sessions, err := admin.Sessions(t.Context())
	if err != nil || len(sessions) != 1 {
		t.Fatalf("the sessions are %s, %v", harness.JSON(t, sessions), err)
	}
	n.Join(t, a, account.RoleViewer, "dora@example.com")
	link, err := n.Client(n.Key(t, a, time.Time{}, account.ScopeOperator)).ResetPassword(t.Context(), "dora@example.com")
	if err != nil {
		t.Fatal(err)
	}
	tomorrow := time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	var share earshot.NewShare
	n.Post(t, a, "/v1/shares", `{"tracker":"seen","expiresAt":"`+tomorrow+`"}`).Into(t, &share)
	return []string{
		"<token>", token, "<reset>", link[strings.LastIndex(link, "/")+1:], "<invitation>", invitations[0].ID, "<member>", member.Key.ID,
		"<spare>", n.Key(t, a, time.Time{}, account.ScopeRead).Key.ID, "<session>", sessions[0].ID, "<tomorrow>", tomorrow, "<share>", share.Share.ID,
	}
}

func TestRefusedRequestsAreNotAudited(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "one", 1000)
	admin := n.Admin(t, a)
	n.Send(t, admin, http.MethodPut, "/v1/trackers/hats", plainTracker).Has(t, "apply", http.StatusOK)
	before := n.Get(t, admin, harness.AuditPath).Body
	for _, request := range []struct {
		status             int
		method, path, body string
	}{
		{http.StatusBadRequest, http.MethodPost, "/v1/keys", `{"scopes":["write"]}`},
		{http.StatusNotFound, http.MethodPatch, "/v1/keys/aaaaaaaaaaaaaaaa", `{"name":"x"}`},
		{http.StatusNotFound, http.MethodDelete, "/v1/keys/aaaaaaaaaaaaaaaa", ``},
		{http.StatusConflict, http.MethodDelete, "/v1/keys/" + admin.Key.ID, ``},
		{http.StatusNotFound, http.MethodDelete, "/v1/channels/none", ``},
		{http.StatusNotFound, http.MethodDelete, "/v1/trackers/none", ``},
		{http.StatusConflict, http.MethodPost, "/v1/trackers/hats/demo", `{}`},
		{http.StatusConflict, http.MethodPost, "/v1/trackers/hats/sweeps", `{"repeat":true}`},
		// These succeed and change nothing.
		{http.StatusOK, http.MethodPatch, "/v1/keys/" + a.Key.ID, `{"name":"first"}`},
		{http.StatusOK, http.MethodPut, "/v1/trackers/hats", plainTracker},
		{http.StatusOK, http.MethodPut, "/v1/trackers/hats?dryRun=true", cappedTracker},
		{http.StatusOK, http.MethodPatch, "/v1/trackers/hats", `{"state":"active"}`},
		{http.StatusOK, http.MethodDelete, "/v1/async/queue", ``},
	} {
		n.Send(t, admin, request.method, request.path, request.body).Has(t, request.method+" "+request.path, request.status)
	}
	if after := n.Get(t, admin, harness.AuditPath).Body; string(after) != string(before) {
		t.Errorf("the audit log was %s and is %s", before, after)
	}
}

func TestTheAuditLogIsFilteredPagedAndWrittenToAFile(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, _ *harness.Node) {
		admin := n.Admin(t, n.Organization(t, "one", 1000))
		var named earshot.NewKey
		n.Post(t, admin, "/v1/keys", `{"name":"=1+1","scopes":["admin"]}`).Into(t, &named)
		formula := &app.Account{Key: account.Key{ID: named.Key.ID, Text: named.Secret}}
		n.Post(t, formula, harness.RotatePath, "").Has(t, "rotate", http.StatusOK)
		today := time.Now().UTC().Format(time.DateOnly)
		for query, want := range map[earshot.AuditQuery]string{
			{}:                                 "webhook.rotate key.create key.create organization.create",
			{Limit: 1}:                         "webhook.rotate key.create key.create organization.create",
			{Action: "key"}:                    "key.create key.create",
			{Action: "key.create", Limit: 1}:   "key.create key.create",
			{Action: "ke"}:                     "invalid",
			{Actor: formula.Key.ID}:            "webhook.rotate",
			{Actor: "=1+1"}:                    "webhook.rotate",
			{Subject: formula.Key.ID}:          "key.create",
			{From: "2999-01-01"}:               "",
			{To: "2020-01-01"}:                 "",
			{From: "2020-01-01", To: "2999-1"}: "invalid",
		} {
			var actions []string
			for entry, err := range n.Client(admin).Audit(t.Context(), query) {
				if err != nil {
					actions = []string{"invalid"}
					break
				}
				actions = append(actions, entry.Action)
			}
			if got := strings.Join(actions, " "); got != want {
				t.Errorf("%+v: %s, want %s", query, got, want)
			}
		}
		file := n.Get(t, admin, harness.AuditPath+"?format=csv&limit=1&from="+today).Has(t, "the file", http.StatusOK)
		rows, err := csv.NewReader(strings.NewReader(string(file.Body))).ReadAll()
		if err != nil || len(rows) != 5 || !slices.Equal(rows[0], api.AuditColumns()) || rows[1][3] != "'=1+1" {
			t.Errorf("the file is %q, %v", rows, err)
		}
	})
}
