package contract_test

import (
	"database/sql"
	"net/http"
	"slices"
	"testing"

	"earshot/internal/account"
	"earshot/test/harness"
)

const (
	reviewsOp = "GET /v1/trackers/{name}/reviews"
	markOp    = "PATCH /v1/trackers/{name}/reviews/{id}"
)

// makeReviews gives the account that has trackers a review.
func makeReviews(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	s.things["<review>"] = "01a0805a-0000-5000-8000-000000000003"
	db, err := sql.Open("sqlite", "file:"+n.Database+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`INSERT INTO reviews (organization, tracker, id, brand, kind, fact, expected, found, state, last_seen)
			SELECT organization, id, '01a0805a-0000-5000-8000-000000000003', 'Ollaro', 'fact', 'founded', '2004', '2003', 'open', 1785000000000
			FROM trackers WHERE name = 'hats' AND organization = ?`,
		`INSERT INTO review_findings (organization, tracker, answer, review, sweep, prompt, target, asked_at, content)
			SELECT organization, id, '01a0805a-0000-7000-8000-000000000004', '01a0805a-0000-5000-8000-000000000003', '01a0805a-0000-7000-8000-000000000005', 1, 1, 1785000000000,
				'{"sentence":"Ollaro was founded in 2003.","matches":[{"reason":"year","start":22,"end":26}]}'
			FROM trackers WHERE name = 'hats' AND organization = ?`,
	} {
		if _, err := db.ExecContext(t.Context(), statement, s.accounts[anyKey].Organization.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func reviewRows() []row {
	const wrong = `{"state":"wrong","note":"told them"}`
	return slices.Concat(
		commonRows("reviews", reviewsOp, hatsPath+"/reviews", "", account.ScopeRead),
		commonRows("mark a review", markOp, hatsPath+"/reviews/"+harness.NoTask, wrong, account.ScopeTrack), []row{
			{
				name: "reviews", path: hatsPath + "/reviews?kind=fact&brand=Ollaro&target=chatassistant/US&from=2026-07-01&to=2026-07-31&limit=1", as: reviewsOp, key: readKey, status: 200,
				check: holds(`"fact":{"name":"founded","expected":"2004","found":"2003"}`),
			},
			{name: "reviews of no kind", path: hatsPath + "/reviews?kind=news", as: reviewsOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("kind")},
			{name: "reviews in a wrong time", path: hatsPath + "/reviews?from=2026-08-01&to=2026-07-31", as: reviewsOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("to")},
			{name: "reviews of nothing", path: trackersPath + "/none/reviews", as: reviewsOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "mark a review", method: http.MethodPatch, path: hatsPath + "/reviews/<review>", as: markOp, key: anyKey, body: wrong, status: 200, check: holds(`"state":"wrong","note":"told them","markedAt":"`)},
			{name: "mark a review as nothing", method: http.MethodPatch, path: hatsPath + "/reviews/<review>", as: markOp, key: anyKey, body: `{"state":"seen"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("state")},
			{name: "mark no review", method: http.MethodPatch, path: hatsPath + "/reviews/" + harness.NoTask, as: markOp, key: anyKey, body: wrong, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "mark a review below a path", method: http.MethodPatch, path: hatsPath + "/reviews/<review>/x", as: markOp, key: anyKey, body: wrong, status: 404, code: "RESOURCE_NOT_FOUND"},
		})
}
