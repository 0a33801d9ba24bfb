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
	sharesPath = "/v1/shares"
	unshareOp  = "DELETE " + sharesPath + "/{id}"
	goodShare  = `{"tracker":"hats","expiresAt":"<tomorrow>"}`
)

// makeShares gives the account that has trackers a link, and another account one of its own.
func makeShares(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	tomorrow := time.Now().AddDate(0, 0, 1).UTC()
	s.things["<tomorrow>"], s.things["<next year>"] = tomorrow.Format(time.RFC3339), tomorrow.AddDate(1, 0, 2).Format(time.RFC3339)
	for thing, key := range map[string]string{"<share>": anyKey, "<other's share>": listKey} {
		n.Send(t, s.accounts[key], http.MethodPut, trackersPath+"/shared", goodTracker).Has(t, "apply", http.StatusOK)
		var made earshot.NewShare
		n.Post(t, s.accounts[key], sharesPath, harness.JSON(t, earshot.ShareRequest{Tracker: "shared", ExpiresAt: tomorrow})).Into(t, &made)
		s.things[thing] = made.Share.ID
	}
}

func shareRows() []row {
	invalid := func(name, body string, refused bool, problems ...string) row {
		return row{name: "share " + name, method: "POST", path: sharesPath, key: anyKey, body: body, status: 400, code: "VALIDATION_ERROR", refused: refused, check: fields(problems...)}
	}
	return slices.Concat(
		commonRows("shares", "GET "+sharesPath, "", "", account.ScopeRead),
		commonRows("share", "POST "+sharesPath, "", goodShare, account.ScopeTrack),
		commonRows("revoke a share", unshareOp, sharesPath+"/<share>", "", account.ScopeTrack), []row{
			{name: "shares", method: "GET", path: sharesPath, key: readKey, status: 200, check: holds(`"title":"","from":null,"to":null,"days":28,"hasPassword":false`)},
			{name: "share", method: "POST", path: sharesPath, key: anyKey, body: goodShare, status: 200, check: holds(`/share/ear_link_`)},
			{name: "share a period behind a password", method: "POST", path: sharesPath, key: anyKey, body: `{"tracker":"hats","title":"Hats","from":"2026-08-01","to":"2026-08-01","expiresAt":"<tomorrow>","password":"12345678"}`, status: 200, check: holds(`"from":"2026-08-01","to":"2026-08-01","days":0,"hasPassword":true`)},
			{name: "share some days", method: "POST", path: sharesPath, key: anyKey, body: `{"tracker":"hats","days":366,"expiresAt":"<tomorrow>"}`, status: 200, check: holds(`"days":366`)},
			invalid("nothing", `{}`, true, "expiresAt", "tracker"),
			invalid("an unknown tracker", `{"tracker":"none","expiresAt":"<tomorrow>"}`, false, "tracker"),
			invalid("a period without an end", `{"tracker":"hats","from":"2026-08-01","expiresAt":"<tomorrow>"}`, false, "to"),
			invalid("a period without a start", `{"tracker":"hats","to":"2026-08-01","expiresAt":"<tomorrow>"}`, false, "from"),
			invalid("a period and days", `{"tracker":"hats","from":"2026-08-01","to":"2026-08-02","days":7,"expiresAt":"<tomorrow>"}`, false, "days"),
			invalid("a period that ends before it starts", `{"tracker":"hats","from":"2026-08-02","to":"2026-08-01","expiresAt":"<tomorrow>"}`, false, "to"),
			invalid("a period of more than a year", `{"tracker":"hats","from":"2025-08-01","to":"2026-08-02","expiresAt":"<tomorrow>"}`, false, "to"),
			invalid("a period of no days", `{"tracker":"hats","from":"today","to":"2026-08-02","expiresAt":"<tomorrow>"}`, true, "from"),
			invalid("too many days", `{"tracker":"hats","days":367,"expiresAt":"<tomorrow>"}`, true, "days"),
			invalid("in the past", `{"tracker":"hats","expiresAt":"2020-01-01T00:00:00Z"}`, false, "expiresAt"),
			invalid("for too long", `{"tracker":"hats","expiresAt":"<next year>"}`, false, "expiresAt"),
			invalid("until some day", `{"tracker":"hats","expiresAt":"tomorrow"}`, true, "expiresAt"),
			invalid("behind a short password", `{"tracker":"hats","expiresAt":"<tomorrow>","password":"1234567"}`, false, "password"),
			{name: "revoke a share", method: "DELETE", path: sharesPath + "/<share>", as: unshareOp, key: anyKey, status: 200, check: holds(`"revokedAt":"`)},
			{name: "revoke another's share", method: "DELETE", path: sharesPath + "/<other's share>", as: unshareOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "revoke a malformed id of a share", method: "DELETE", path: sharesPath + "/%00", as: unshareOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		},
	)
}
