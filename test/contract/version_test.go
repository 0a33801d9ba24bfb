package contract_test

import (
	"database/sql"
	"net/http"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/test/harness"
)

var (
	mergePatch = map[string]string{"Content-Type": "application/merge-patch+json"}
	taken      = map[string]string{earshot.IdempotencyKeyHeader: "taken"}
	tooLong    = map[string]string{earshot.IdempotencyKeyHeader: strings.Repeat("k", 256)}
	outdated   = map[string]string{"If-Match": `"outdated"`}
)

// takeKeys stores a request with another body under the key "taken" for each operation.
func takeKeys(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+n.Database+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	oldest, err := n.Orgs.Oldest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range api.Operations(nil) {
		organization := s.accounts[adminUser].Organization.ID
		switch {
		case o.Scope == account.ScopeOperator && o.Finds == "organization":
			organization = harness.NoTask
		case o.Scope == account.ScopeOperator:
			organization = oldest.ID
		}
		if _, err := db.ExecContext(t.Context(), `INSERT INTO keyed_requests VALUES (?, ?, 'taken', 'another', ?, NULL, 'answer', 1e15)`,
			organization, o.Method+" "+o.Path, harness.NoTask); err != nil {
			t.Fatal(err)
		}
	}
}

// keyedRows are the responses to a bad key and to a key that is taken, of each operation with keys.
func keyedRows() (rows []row) {
	for _, o := range api.Operations(nil) {
		if !o.Keyed() {
			continue
		}
		path, invalid := strings.NewReplacer("{name}", "hats", "{id}", harness.NoTask).Replace(o.Path), 400
		if o.Submits {
			invalid = 422
		}
		key := adminUser
		if o.Scope == account.ScopeOperator {
			key = operatorKey
		}
		rows = append(rows,
			row{name: "a key that is taken: " + o.Path, method: "POST", path: path, as: "POST " + o.Path, key: key, header: taken, body: `{}`, status: 409, code: "RESOURCE_ALREADY_EXISTS", check: details(`{"field":"Idempotency-Key","value":"taken","requestId":"` + harness.NoTask + `"}`)},
			row{name: "a key that is too long: " + o.Path, method: "POST", path: path, as: "POST " + o.Path, key: key, header: tooLong, body: `{}`, status: invalid, code: "VALIDATION_ERROR", refused: true, check: fields("Idempotency-Key")})
	}
	return rows
}

// versionRows are the operations on single resources with an ETag, and the refusal of changes that are
// based on an old version.
func versionRows() []row {
	const keyOp, userOp, aChannelOp = "GET /v1/keys/{id}", "GET " + harness.UsersPath + "/{id}", "GET /v1/channels/{name}"
	rows := slices.Concat(
		commonRows("a key", keyOp, harness.KeysPath+"/<own key>", "", account.ScopeAdmin),
		commonRows("a user", userOp, harness.UsersPath+"/<changer>", "", account.ScopeAdmin),
		commonRows("a channel", aChannelOp, channelsPath+"/ops", "", account.ScopeRead), []row{
			{name: "a key", path: harness.KeysPath + "/<own key>", as: keyOp, key: adminKey, status: 200, check: isTagged},
			{name: "no key", path: harness.KeysPath + "/aaaaaaaaaaaaaaaa", as: keyOp, key: adminKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"aaaaaaaaaaaaaaaa"}`)},
			{name: "a user", path: harness.UsersPath + "/<changer>", as: userOp, key: adminUser, status: 200, check: isTagged},
			{name: "no user", path: harness.UsersPath + "/u_aaaaaaaaaaaaaaaa", as: userOp, key: adminUser, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"u_aaaaaaaaaaaaaaaa"}`)},
			{name: "a channel", path: channelsPath + "/ops", as: aChannelOp, key: readKey, status: 200, check: isTagged},
			{name: "no channel", path: channelsPath + "/nowhere", as: aChannelOp, key: readKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"nowhere"}`)},
			{name: "change a key by a merge patch", method: http.MethodPatch, path: harness.KeysPath + "/<spare key>", as: limitOp, key: adminKey, header: mergePatch, body: `{"name":null}`, status: 200, check: holds(`"name":""`)},
			{name: "change nothing of a tracker", method: http.MethodPatch, path: hatsPath, as: patchOp, key: anyKey, header: mergePatch, body: `{}`, status: 200, check: isTagged},
			{name: "remove the state of a tracker", method: http.MethodPatch, path: hatsPath, as: patchOp, key: anyKey, body: `{"state":null}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("state")},
			{name: "remove the note of a review", method: http.MethodPatch, path: hatsPath + "/reviews/<review>", as: markOp, key: anyKey, header: mergePatch, body: `{"note":null}`, status: 200},
			{name: "create what must exist", method: http.MethodPut, path: trackersPath + "/nowhere", as: applyOp, key: anyKey, header: map[string]string{"If-Match": "*"}, body: goodTracker, status: 412, code: "PRECONDITION_FAILED", check: details(`{}`)},
		})
	for op, change := range map[string]row{
		applyOp:      {path: hatsPath, key: anyKey, body: goodTracker},
		patchOp:      {path: hatsPath, key: anyKey, body: `{"state":"paused"}`},
		deleteOp:     {path: hatsPath, key: anyKey},
		limitOp:      {path: harness.KeysPath + "/<own key>", key: adminKey, body: `{"name":"mine"}`},
		revokeOp:     {path: harness.KeysPath + "/<spare key>", key: adminKey},
		changeUserOp: {path: harness.UsersPath + "/<changer>", key: adminUser, body: `{"role":"admin"}`},
		removeUserOp: {path: harness.UsersPath + "/<changer>", key: adminUser},
		channelOp:    {path: channelsPath + "/ops", key: adminUser, body: goodChannel},
		noChannelOp:  {path: channelsPath + "/ops", key: adminUser},
	} {
		change.name, change.as, change.header, change.status, change.code = "based on an old version: "+op, op, outdated, 412, "PRECONDITION_FAILED"
		change.method, _, _ = strings.Cut(op, " ")
		change.check = func(t *testing.T, r *exchange) {
			isTagged(t, r)
			holds(`"current":{`)(t, r)
		}
		rows = append(rows, change)
	}
	return rows
}

// isTagged checks that the header ETag is the version in the body.
func isTagged(t *testing.T, r *exchange) {
	t.Helper()
	if tag := r.Header.Get("ETag"); len(tag) < 10 || !strings.Contains(string(r.Body), `"etag":`+harness.JSON(t, tag)) {
		t.Errorf("ETag %s, body %s", tag, r.Body)
	}
}
