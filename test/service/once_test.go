package service_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/test/harness"
)

// keyedRequests has a request for each operation that takes an Idempotency-Key. Names in angle brackets stand
// for ids that the test fills in.
var keyedRequests = map[string][2]string{
	"POST /v1/async/task":                      {"/v1/async/task", harness.GoodTask},
	"POST /v1/async/task/batch":                {"/v1/async/task/batch", "[" + harness.GoodTask + `,{}]`},
	"POST /v1/requests/{id}/retry":             {"/v1/requests/<failed>/retry", ""},
	"POST /v1/batches/{id}/retry":              {"/v1/batches/<batch>/retry", ""},
	"POST /v1/trackers/{name}/demo":            {"/v1/trackers/made-up/demo", `{"days":1,"prompts":1}`},
	"POST /v1/trackers/{name}/sweeps":          {"/v1/trackers/hats/sweeps", `{}`},
	"POST /v1/trackers/{name}/reanalysis":      {"/v1/trackers/hats/reanalysis", ""},
	"POST /v1/trackers/{name}/report":          {"/v1/trackers/hats/report", `{"channel":"ops"}`},
	"POST /v1/trackers/{name}/alerts/test":     {"/v1/trackers/hats/alerts/test", `{"channel":"ops"}`},
	"POST /v1/channels/{name}/test":            {"/v1/channels/ops/test", ""},
	"POST /v1/shares":                          {"/v1/shares", `{"tracker":"hats","days":7,"expiresAt":"<tomorrow>"}`},
	"POST /v1/webhooks/deliveries/{id}/resend": {"/v1/webhooks/deliveries/<delivered>/resend", ""},
	"POST /v1/keys":                            {"/v1/keys", `{"name":"ci"}`},
	"POST /v1/webhooks/secret/rotate":          {"/v1/webhooks/secret/rotate", ""},
	"POST /v1/webhooks/test":                   {"/v1/webhooks/test", `{"url":"<receiver>"}`},
	"POST /v1/invitations":                     {"/v1/invitations", `{"email":"ana@example.com","role":"viewer"}`},

	"POST /v1/operator/organizations":              {"/v1/operator/organizations", `{"name":"made once"}`},
	"POST /v1/operator/organizations/{id}/credits": {"/v1/operator/organizations/<organization>/credits", `{"credits":7}`},
	"POST /v1/operator/keys":                       {"/v1/operator/keys", `{"name":"terraform"}`},
	"POST /v1/operator/users/reset":                {"/v1/operator/users/reset", `{"email":"<member>"}`},
}

func TestARequestWithAKeyTakesEffectOnce(t *testing.T) {
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Admin(t, n.Organization(t, "business", 100_000))
		receiver := harness.Receive(t, http.StatusOK)
		names := keyedThings(t, n, a, receiver)
		kept := 0 // with this organization
		for _, o := range api.Operations(nil) {
			key := func() *app.Account { return n.Admin(t, a) }
			if o.Scope == account.ScopeOperator {
				key = func() *app.Account { return n.Key(t, a, time.Time{}, account.ScopeOperator) }
			}
			request, ok := keyedRequests[o.Method+" "+o.Path]
			switch {
			case o.Keyed() != ok:
				t.Errorf("%s %s takes a key: %t; the test has a request: %t", o.Method, o.Path, o.Keyed(), ok)
			case ok:
				if o.Scope != account.ScopeOperator || strings.Contains(o.Path, "{id}") {
					kept++
				}
				t.Run(o.Path, func(t *testing.T) {
					before := len(receiver.Webhooks())
					once(t, []*harness.Node{n, other}, key(), key(), names.Replace(request[0]), names.Replace(request[1]))
					if sent := len(receiver.Webhooks()) - before; strings.HasSuffix(o.Path, "/test") && sent != 1 {
						t.Errorf("%d messages were sent", sent)
					}
				})
			}
		}
		answers, err := engine.FindValues[[]byte](t.Context(), n.Store.ShardOf(a.Organization.ID).Lookups, `SELECT answer FROM keyed_requests WHERE organization = $1`, a.Organization.ID)
		if err != nil || len(answers) != kept {
			t.Errorf("%d stored responses, error %v", len(answers), err)
		}
		for _, answer := range answers {
			if text, err := store.Unpack(answer); err == nil {
				t.Errorf("a response can be read from the database: %s", text)
			}
		}
	}, harness.LocalWebhooks)
}

// keyedThings makes what the requests in keyed are about.
func keyedThings(t *testing.T, n *harness.Node, a *app.Account, receiver *harness.Receiver) *strings.Replacer {
	t.Helper()
	n.Send(t, a, http.MethodPut, "/v1/channels/ops", `{"kind":"slack","url":"`+receiver.URL+`"}`).Has(t, "a channel", http.StatusOK)
	n.Send(t, a, http.MethodPut, "/v1/trackers/hats", `{"prompts":["best hats"],"targets":[{"provider":"chatassistant","country":"US"}]}`).Has(t, "a tracker", http.StatusOK)
	blocked := strings.Replace(harness.GoodTask, "best hats", "hats [[block]]", 1)
	failed := n.Submit(t, a, blocked).ID
	batch := n.SubmitAll(t, a, blocked, blocked)
	delivered := n.Submit(t, a, strings.TrimSuffix(harness.GoodTask, "}")+","+receiver.Field()+"}").ID
	for _, id := range []string{failed, batch.Results[0].Task.ID, batch.Results[1].Task.ID} {
		if n.Wait(t, a, id).Task.Status != earshot.StatusFailed {
			t.Fatalf("task %s did not fail", id)
		}
	}
	n.WaitDelivery(t, a, delivered)
	const member = "bo@example.com"
	n.Join(t, a, account.RoleViewer, member)
	return strings.NewReplacer("<failed>", failed, "<batch>", batch.BatchID, "<delivered>", delivered, "<receiver>", receiver.URL, "<organization>", a.Organization.ID, "<member>", member,
		"<tomorrow>", time.Now().Add(24*time.Hour).UTC().Format(time.RFC3339))
}

// once sends a request eight times at once with one key. One of them must take effect.
func once(t *testing.T, nodes []*harness.Node, a, another *app.Account, path, body string) {
	t.Helper()
	header := map[string]string{earshot.IdempotencyKeyHeader: "key"}
	replies := make([]*harness.Reply, 8)
	var group sync.WaitGroup
	for i := range replies {
		group.Go(func() { replies[i] = nodes[i%2].SendWith(t, a, http.MethodPost, path, body, header) })
	}
	group.Wait()
	again := nodes[1].SendWith(t, a, http.MethodPost, path, body, header).Has(t, "a repetition", http.StatusOK)
	if again.Header.Get(earshot.ReplayedHeader) != "true" {
		t.Errorf("a repetition is not replayed: %s", again.Body)
	}
	effects := 0
	for _, r := range replies {
		switch {
		case r.StatusCode == http.StatusConflict && r.Code(t) == earshot.CodeConflict: // the first is being served
		case r.StatusCode != http.StatusOK || !bytes.Equal(r.Body, again.Body):
			t.Errorf("status %d: %s\nthe repetition got %s", r.StatusCode, r.Body, again.Body)
		case r.Header.Get(earshot.ReplayedHeader) == "":
			effects++
		}
	}
	if effects != 1 {
		t.Errorf("%d requests took effect", effects)
	}
	if body != "" {
		nodes[0].SendWith(t, a, http.MethodPost, path, `{"another":true}`, header).Fails(t, "another body", http.StatusConflict, earshot.CodeAlreadyExists)
		nodes[0].SendWith(t, a, http.MethodPost, path, " "+body, header).Has(t, "the same body with white space", http.StatusOK)
	}
	nodes[0].SendWith(t, another, http.MethodPost, path, body, header).Fails(t, "another key", http.StatusConflict, earshot.CodeAlreadyExists)
}
