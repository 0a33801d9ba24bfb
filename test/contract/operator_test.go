package contract_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/purchase"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream/capture"
	"earshot/test/harness"
)

const (
	operatorKey = "operator" // scope operator only

	operatorPath  = "/v1/operator"
	unparsedPath  = "/v1/health/unparsed"
	changeOrgOp   = "PATCH " + operatorPath + "/organizations/{id}"
	grantOp       = "POST " + operatorPath + "/organizations/{id}/credits"
	revokeAnyOp   = "DELETE " + operatorPath + "/keys/{id}"
	organizations = operatorPath + "/organizations"
)

// operate gives an organization a key of the operator, and makes what its requests are about.
func operate(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	a := s.accounts[listKey]
	s.accounts[operatorKey] = n.Key(t, a, time.Time{}, account.ScopeOperator)
	s.things["<operator's key>"] = s.accounts[operatorKey].Key.ID
	s.things["<any key>"] = n.Key(t, a, time.Time{}, account.ScopeRead).Key.ID
	s.things["<busy organization>"] = s.accounts[busyKey].Organization.ID
	kept, err := capture.OpenKept(t.Context(), "", filepath.Join(filepath.Dir(n.Database), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	page := outbound.KeptPage{ID: account.NewCaptureID(), Provider: "websearch/news/web", Reason: purchase.Unreadable, Pages: 1, KeptAt: time.Now()}
	if _, err := outbound.New(n.Store.DB).AddKeptPage(&page, 1); err != nil {
		t.Fatal(err)
	}
	if err := kept.Put(t.Context(), page.ID, [][]byte{[]byte("<p>new")}); err != nil {
		t.Fatal(err)
	}
	s.things["<unparsed>"] = page.ID
	guest := n.Organization(t, "lite", 10)
	s.things["<guest>"], s.things["<guest's name>"] = guest.Organization.ID, guest.Organization.Name
	s.things["<forgetful>"] = n.User(t, guest, account.RoleViewer).Key.Name
}

func operatorRows() []row {
	const scope = account.ScopeOperator
	acting := map[string]string{earshot.OrganizationHeader: "<guest>"}
	nobody := map[string]string{earshot.OrganizationHeader: harness.NoTask}
	return slices.Concat(
		commonRows("organizations", "GET "+organizations, "", "", scope),
		commonRows("make an organization", "POST "+organizations, "", `{"name":"x"}`, scope),
		commonRows("change an organization", changeOrgOp, organizations+"/<guest>", `{}`, scope),
		commonRows("grant", grantOp, organizations+"/<guest>/credits", `{"credits":1}`, scope),
		commonRows("make an operator key", "POST "+operatorPath+"/keys", "", `{}`, scope),
		commonRows("revoke any key", revokeAnyOp, operatorPath+"/keys/<any key>", "", scope),
		commonRows("reset", "POST "+operatorPath+"/users/reset", "", `{"email":"x"}`, scope),
		commonRows("balances", "GET "+operatorPath+"/balances", "", "", scope),
		commonRows("operator's audit log", "GET "+operatorPath+"/audit", "", "", scope),
		commonRows("unparsed pages", "GET "+unparsedPath, "", "", scope),
		commonRows("an unparsed page", "GET "+unparsedPath+"/{id}", unparsedPath+"/<unparsed>", "", scope),
		[]row{
			{name: "unparsed pages", method: "GET", path: unparsedPath, key: operatorKey, status: 200, check: holds(`"provider":"websearch/news","surface":"web","keptAt":"`)},
			{name: "an unparsed page", method: "GET", path: unparsedPath + "/<unparsed>?page=1", as: "GET " + unparsedPath + "/{id}", key: operatorKey, status: 200, media: "application/octet-stream", check: says("<p>new")},
			{name: "no unparsed page", method: "GET", path: unparsedPath + "/x1", as: "GET " + unparsedPath + "/{id}", key: operatorKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "an unparsed page without a number", method: "GET", path: unparsedPath + "/<unparsed>?page=0", as: "GET " + unparsedPath + "/{id}", key: operatorKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("page")},
			{name: "organizations", method: "GET", path: organizations, key: operatorKey, status: 200, check: holds(`"name":"default","plan":"hobby",`)},
			{name: "no organization", method: "GET", path: organizations + "?name=nobody", key: operatorKey, status: 200, check: says(`{"organizations":[],"unreachable":[]}`)},
			{name: "organization by bytes", method: "GET", path: organizations + "?name=%FF", key: operatorKey, status: 400, code: "VALIDATION_ERROR", check: fields("name")},
			{name: "organizations for an admin", method: "GET", path: organizations, key: adminKey, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: details(`{"requiredScope":"operator"}`)},

			{name: "make an organization", method: "POST", path: organizations, key: operatorKey, body: `{"name":"made","plan":"lite","credits":7}`, status: 200, check: holds(`"name":"made","plan":"lite","credits":7,"running":0},"key":"ear_live_`)},
			{name: "make an organization again", method: "POST", path: organizations, key: operatorKey, body: `{"name":"default"}`, status: 409, code: "RESOURCE_CONFLICT", check: details(`{"id":"default"}`)},
			{name: "make an organization of nothing", method: "POST", path: organizations, key: operatorKey, body: `{}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("name")},
			{name: "make an organization on no plan", method: "POST", path: organizations, key: operatorKey, body: `{"name":"a\nb","plan":"gold"}`, status: 400, code: "VALIDATION_ERROR", check: fields("name")},
			{name: "make an organization in debt", method: "POST", path: organizations, key: operatorKey, body: `{"name":"x","credits":-1}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("credits")},

			{name: "change an organization", method: "PATCH", path: organizations + "/<guest>", as: changeOrgOp, key: operatorKey, body: `{"plan":"hobby","credits":50}`, status: 200, check: holds(`"plan":"hobby","credits":5`)},
			{name: "change nothing of an organization", method: "PATCH", path: organizations + "/<guest>", as: changeOrgOp, key: operatorKey, header: mergePatch, body: `{}`, status: 200},
			{name: "change to no plan", method: "PATCH", path: organizations + "/<guest>", as: changeOrgOp, key: operatorKey, body: `{"plan":"gold"}`, status: 400, code: "VALIDATION_ERROR", check: fields("plan")},
			{name: "set a balance below what is held", method: "PATCH", path: organizations + "/<busy organization>", as: changeOrgOp, key: operatorKey, body: `{"credits":4}`, status: 409, code: "RESOURCE_CONFLICT"},
			{name: "change no organization", method: "PATCH", path: organizations + "/" + harness.NoTask, as: changeOrgOp, key: operatorKey, body: `{}`, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + harness.NoTask + `"}`)},
			{name: "change what is no id", method: "PATCH", path: organizations + "/x", as: changeOrgOp, key: operatorKey, body: `{}`, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"x"}`)},

			{name: "grant", method: "POST", path: organizations + "/<guest>/credits", as: grantOp, key: operatorKey, body: `{"credits":1}`, status: 200, check: says(`{"success":true,"organization":{"id":"`)},
			{name: "grant nothing", method: "POST", path: organizations + "/<guest>/credits", as: grantOp, key: operatorKey, body: `{"credits":0}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("credits")},
			{name: "grant too much", method: "POST", path: organizations + "/<guest>/credits", as: grantOp, key: operatorKey, body: `{"credits":1000000000000000}`, status: 400, code: "VALIDATION_ERROR", check: fields("credits")},
			{name: "grant to nobody", method: "POST", path: organizations + "/" + harness.NoTask + "/credits", as: grantOp, key: operatorKey, body: `{"credits":1}`, status: 404, code: "RESOURCE_NOT_FOUND"},

			{name: "make an operator key", method: "POST", path: operatorPath + "/keys", key: operatorKey, body: `{"name":"terraform"}`, status: 200, check: holds(`"scopes":["operator"]`)},
			{name: "make an operator key that has ended", method: "POST", path: operatorPath + "/keys", key: operatorKey, body: `{"expiresAt":"2020-01-01T00:00:00Z"}`, status: 400, code: "VALIDATION_ERROR", check: fields("expiresAt")},
			{name: "make an operator key as an admin", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"scopes":["operator"]}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("scopes")},
			{name: "revoke any key", method: "DELETE", path: operatorPath + "/keys/<any key>", as: revokeAnyOp, key: operatorKey, status: 200, check: says(`{"success":true,"key":{"id":"`)},
			{name: "revoke nobody's key", method: "DELETE", path: operatorPath + "/keys/aaaaaaaaaaaaaaaa", as: revokeAnyOp, key: operatorKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"aaaaaaaaaaaaaaaa"}`)},
			{name: "revoke the operator's own key", method: "DELETE", path: operatorPath + "/keys/<operator's key>", as: revokeAnyOp, key: operatorKey, status: 409, code: "RESOURCE_CONFLICT"},

			{name: "reset", method: "POST", path: operatorPath + "/users/reset", key: operatorKey, body: `{"email":"<forgetful>"}`, status: 200, check: holds(`/#/join/ear_inv_`)},
			{name: "reset nobody", method: "POST", path: operatorPath + "/users/reset", key: operatorKey, body: `{"email":"nobody@example.com"}`, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"nobody@example.com"}`)},
			{name: "reset nothing", method: "POST", path: operatorPath + "/users/reset", key: operatorKey, body: `{}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("email")},
			{name: "balances", method: "GET", path: operatorPath + "/balances", key: operatorKey, status: 200, check: says(`{"ok":true,"findings":[]}`)},
			{name: "operator's audit log", method: "GET", path: operatorPath + "/audit?action=session", key: operatorKey, status: 200, check: says(`{"entries":[`)},
			{name: "operator's audit log by every filter", method: "GET", path: operatorPath + "/audit?action=key.create&actor=x&subject=hats&from=2026-01-01&to=2999-12-31&format=json&limit=1&cursor=" + harness.NoTask, key: operatorKey, status: 200},
			{name: "operator's audit log as a file", method: "GET", path: operatorPath + "/audit?format=csv", key: operatorKey, status: 200, media: "text/csv", check: says("at,actorKind,actorId,")},
			{name: "operator's audit log of some day", method: "GET", path: operatorPath + "/audit?from=today", key: operatorKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("from")},

			{name: "keys of another organization", method: "GET", path: harness.KeysPath, key: operatorKey, header: acting, status: 200, check: holds(`"name":"first"`)},
			{name: "keys of no organization", method: "GET", path: harness.KeysPath, key: operatorKey, header: nobody, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: holds(harness.NoTask)},
			{name: "keys without an organization", method: "GET", path: harness.KeysPath, key: operatorKey, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: details(`{"requiredScope":"admin"}`)},
			{name: "keys of another organization for an admin", method: "GET", path: harness.KeysPath, key: adminKey, header: acting, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: details(`{"requiredScope":"operator"}`)},
			{name: "an operator's call", method: "POST", path: harness.ChatPath, key: operatorKey, header: acting, body: harness.GoodCall, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: details(`{"requiredScope":"monitor"}`)},
		},
	)
}
