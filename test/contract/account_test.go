package contract_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/test/harness"
)

const (
	revokeOp = "DELETE /v1/keys/{id}"
	limitOp  = "PATCH /v1/keys/{id}"
)

// administer gives the account that has tasks a key that may do everything, and
// another to be revoked.
func administer(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	a := s.accounts[listKey]
	s.accounts[adminKey] = n.Key(t, a, time.Time{}, account.ScopeAdmin)
	s.things["<own key>"] = s.accounts[adminKey].Key.ID
	if _, err := n.Orgs.ChangeKey(t.Context(), a.Organization.ID, s.things["<own key>"], earshot.KeyPatch{CreditsPerMonth: new(int64(7))}, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	s.things["<limited key>"] = n.Key(t, a, time.Time{}, account.ScopeRead).Key.ID
	s.things["<spare key>"] = n.Key(t, a, time.Now().Add(time.Hour), account.ScopeRead).Key.ID
	s.things["<other's key>"] = s.accounts[anyKey].Key.ID
	s.things["<receiver>"] = harness.Receive(t, http.StatusNoContent).URL
}

func accountRows() []row {
	return slices.Concat(
		commonRows("keys", "GET "+harness.KeysPath, "", "", account.ScopeAdmin),
		commonRows("make a key", "POST "+harness.KeysPath, "", `{}`, account.ScopeAdmin),
		commonRows("limit a key", limitOp, harness.KeysPath+"/<spare key>", `{}`, account.ScopeAdmin),
		commonRows("revoke", revokeOp, harness.KeysPath+"/<spare key>", "", account.ScopeAdmin),
		commonRows("ledger", "GET "+harness.LedgerPath, "", "", account.ScopeAdmin),
		commonRows("audit log", "GET "+harness.AuditPath, "", "", account.ScopeAdmin),
		commonRows("rotate", "POST "+harness.RotatePath, "", "", account.ScopeAdmin),
		commonRows("test", "POST "+harness.TestPath, "", `{}`, account.ScopeAdmin),
		keyRows, ledgerRows, auditRows, webhookSettingRows,
	)
}

var keyRows = []row{
	{name: "keys", method: "GET", path: harness.KeysPath, key: adminKey, status: 200, check: holds(`"scopes":["admin"]`)},
	{name: "keys for a key of the work", method: "GET", path: harness.KeysPath, key: anyKey, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: details(`{"requiredScope":"admin"}`)},

	{name: "make a key", method: "POST", path: harness.KeysPath, key: adminKey, body: `{}`, status: 200, check: holds(`"scopes":["read","monitor","tasks","track"],`)},
	{name: "make a key with everything", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"scopes":["admin","read"],"expiresAt":"2999-12-31T23:59:59.999+14:00"}`, status: 200, check: holds(`"expiresAt":"2999-12-31T09:59:59.999Z"`)},
	{name: "make a key of nothing", method: "POST", path: harness.KeysPath, key: adminKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "make a key without scopes", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"scopes":[]}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("scopes")},
	{name: "make a key with an unknown scope", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"scopes":["read","write"]}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("scopes")},
	{name: "make a key with a scope twice", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"scopes":["read","read"]}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("scopes")},
	{name: "make a key with scopes that are none", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"scopes":[1,"admin"],"expiresAt":3}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("expiresAt", "scopes")},
	{name: "make a key with scopes of null", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"scopes":null}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("scopes")},
	{name: "make a key with one scope", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"scopes":"read"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("scopes")},
	{name: "make a key with an unknown field", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"Scopes":["read"]}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("Scopes")},
	{name: "make a key that ends some day", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"expiresAt":"tomorrow"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("expiresAt")},
	{name: "make a key that has ended", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"expiresAt":"2020-01-01T00:00:00Z"}`, status: 400, code: "VALIDATION_ERROR", check: fields("expiresAt")},

	{name: "make a key with a ceiling", method: "POST", path: harness.KeysPath, key: adminKey, body: `{"creditsPerDay":5}`, status: 200, check: holds(`"budget":{"creditsPerDay":5,"creditsPerMonth":0,"usedToday":0,"usedThisMonth":0,"held":0}`)},
	{name: "limit a key", method: "PATCH", path: harness.KeysPath + "/<limited key>", as: limitOp, key: adminKey, body: `{"creditsPerMonth":7}`, status: 200, check: holds(`"creditsPerMonth":7`)},
	{name: "rename a key", method: "PATCH", path: harness.KeysPath + "/<own key>", as: limitOp, key: adminKey, body: `{"name":"laptop"}`, status: 200, check: holds(`"name":"laptop"`)},
	{name: "rename a key and lift its limit", method: "PATCH", path: harness.KeysPath + "/<own key>", as: limitOp, key: adminKey, body: `{"name":"laptop","creditsPerMonth":0}`, status: 200, check: lacks(`"creditsPerMonth":7`)},
	{name: "rename a key to nothing", method: "PATCH", path: harness.KeysPath + "/<own key>", as: limitOp, key: adminKey, body: `{"name":""}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("name")},
	{name: "rename a key to nothing visible", method: "PATCH", path: harness.KeysPath + "/<own key>", as: limitOp, key: adminKey, body: `{"name":"\u0007"}`, status: 400, code: "VALIDATION_ERROR", check: fields("name")},
	{name: "limit a key by less than nothing", method: "PATCH", path: harness.KeysPath + "/<spare key>", as: limitOp, key: adminKey, body: `{"creditsPerDay":-1}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("creditsPerDay")},
	{name: "limit no key", method: "PATCH", path: harness.KeysPath + "/aaaaaaaaaaaaaaaa", as: limitOp, key: adminKey, body: `{}`, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"aaaaaaaaaaaaaaaa"}`)},
	{name: "limit another's key", method: "PATCH", path: harness.KeysPath + "/<other's key>", as: limitOp, key: adminKey, body: `{}`, status: 404, code: "RESOURCE_NOT_FOUND"},

	{name: "revoke", method: "DELETE", path: harness.KeysPath + "/<spare key>", as: revokeOp, key: adminKey, status: 200, check: says(`{"success":true,"key":{"id":"`)},
	{name: "revoke no key", method: "DELETE", path: harness.KeysPath + "/aaaaaaaaaaaaaaaa", as: revokeOp, key: adminKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"aaaaaaaaaaaaaaaa"}`)},
	{name: "revoke what is no text", method: "DELETE", path: harness.KeysPath + "/%FF", as: revokeOp, key: adminKey, status: 404, code: "RESOURCE_NOT_FOUND"},
	{name: "revoke what is no id", method: "DELETE", path: harness.KeysPath + "/%00", as: revokeOp, key: adminKey, status: 404, code: "RESOURCE_NOT_FOUND"},
	{name: "revoke another's key", method: "DELETE", path: harness.KeysPath + "/<other's key>", as: revokeOp, key: adminKey, status: 404, code: "RESOURCE_NOT_FOUND"},
	{name: "revoke the own key", method: "DELETE", path: harness.KeysPath + "/<own key>", as: revokeOp, key: adminKey, status: 409, code: "RESOURCE_CONFLICT", check: holds(`"details":{"id":"`)},
}

var auditRows = []row{
	{name: "audit log", method: "GET", path: harness.AuditPath + "?action=key", key: adminKey, status: 200, check: holds(`"action":"key.create"`)},
	{name: "audit log of nobody", method: "GET", path: harness.AuditPath + "?actor=nobody", key: adminKey, status: 200, check: says(`{"entries":[],"nextCursor":null}`)},
	{name: "audit log of bytes", method: "GET", path: harness.AuditPath + "?actor=%FF", key: adminKey, status: 400, code: "VALIDATION_ERROR", check: fields("actor")},
	{name: "audit log by every filter", method: "GET", path: harness.AuditPath + "?action=key.create&actor=<own key>&subject=hats&from=2026-01-01&to=2999-12-31&format=json&limit=1&cursor=" + harness.NoTask, key: adminKey, status: 200},
	{name: "audit log as a file", method: "GET", path: harness.AuditPath + "?format=csv", key: adminKey, status: 200, media: "text/csv", check: says("at,actorKind,actorId,")},
	{name: "audit log as a page", method: "GET", path: harness.AuditPath + "?format=html", key: adminKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("format")},
	{name: "audit log without a limit", method: "GET", path: harness.AuditPath + "?limit=0", key: adminKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("limit")},
	{name: "audit log of some day", method: "GET", path: harness.AuditPath + "?from=today", key: adminKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("from")},
	{name: "audit log that ends before it begins", method: "GET", path: harness.AuditPath + "?from=2026-02-02&to=2026-02-01", key: adminKey, status: 400, code: "VALIDATION_ERROR", check: fields("to")},
	{name: "audit log from nowhere", method: "GET", path: harness.AuditPath + "?cursor=nowhere", key: adminKey, status: 400, code: "VALIDATION_ERROR", check: fields("cursor")},
}

var ledgerRows = []row{
	{name: "ledger", method: "GET", path: harness.LedgerPath, key: adminKey, status: 200, check: holds(`"kind":"charge","credits":-5,"taskId":"`)},
	{name: "ledger by kind", method: "GET", path: harness.LedgerPath + "?kind=grant&limit=1", key: adminKey, status: 200, check: holds(`"kind":"grant","credits":100000,"taskId":null,"note":null}],"nextCursor":null}`)},
	{name: "ledger of the past", method: "GET", path: harness.LedgerPath + "?cursor=" + harness.NoTask, key: adminKey, status: 200},
	{name: "ledger by groups", method: "GET", path: harness.LedgerPath + "?group=true&kind=charge", key: adminKey, status: 200, check: holds(`"kind":"charge"`)},
	{name: "ledger of a batch", method: "GET", path: harness.LedgerPath + "?of=" + harness.NoTask, key: adminKey, status: 200, check: says(`{"entries":[],"nextCursor":null}`)},
	{name: "ledger of no batch", method: "GET", path: harness.LedgerPath + "?of=batch", key: adminKey, status: 400, code: "VALIDATION_ERROR", check: fields("of")},
	{name: "ledger of a batch by groups", method: "GET", path: harness.LedgerPath + "?group=true&of=" + harness.NoTask, key: adminKey, status: 400, code: "VALIDATION_ERROR", check: fields("of")},
	{name: "ledger of no kind", method: "GET", path: harness.LedgerPath + "?kind=gift", key: adminKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("kind")},
	{name: "ledger without a limit", method: "GET", path: harness.LedgerPath + "?limit=0", key: adminKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("limit")},
	{name: "ledger from nowhere", method: "GET", path: harness.LedgerPath + "?cursor=nowhere", key: adminKey, status: 400, code: "VALIDATION_ERROR", check: fields("cursor")},
}

var webhookSettingRows = []row{
	{name: "rotate", method: "POST", path: harness.RotatePath, key: adminKey, status: 200, check: says(`{"success":true,"secret":"whsec_`)},

	{name: "test a receiver", method: "POST", path: harness.TestPath, key: adminKey, body: `{"url":"<receiver>"}`, status: 200, check: says(`{"success":true,"test":{"delivered":true,"status":204,"error":null,"ms":`)},
	{name: "test a receiver that is away", method: "POST", path: harness.TestPath, key: adminKey, body: `{"url":"http://127.0.0.1:1/"}`, status: 200, check: says(`{"success":true,"test":{"delivered":false,"status":null,"error":"connection failed","ms":`)},
	{name: "test no receiver", method: "POST", path: harness.TestPath, key: adminKey, body: `{}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("url")},
	{name: "test a file", method: "POST", path: harness.TestPath, key: adminKey, body: `{"url":"file:///etc/passwd"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("url")},
	{name: "test a receiver with a fragment", method: "POST", path: harness.TestPath, key: adminKey, body: `{"url":"https://example.com/#x"}`, status: 400, code: "VALIDATION_ERROR", check: fields("url")},
}
