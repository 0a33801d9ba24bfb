// Package reviewing stores what answers of trackers say that a person should look at. It
// extends package store.
//
//	reviewing.go  which sweeps are reviewed, and their findings
//	list.go       lists of reviews, and their states
//	judge.go      tasks that ask a model about reviews
package reviewing

import (
	"context"
	"strings"
	"time"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Store adds reviews to a store. It is safe for concurrent use.
type Store struct {
	*store.Store
}

// New adds reviews to a store.
func New(s *store.Store) *Store { return &Store{s} }

// Tracker identifies a tracker.
type Tracker struct{ Organization, ID string }

// Review is a statement that answers of a tracker have in common.
type Review struct {
	Organization string
	Tracker      string
	ID           string // depends only on the statement
	Brand        string
	Kind         earshot.ReviewKind
	Fact         string // the name of the fact; "" unless Kind is ReviewFact, as the next two
	Expected     string
	Found        string
	State        earshot.ReviewState
	Note         string
	MarkedAt     time.Time // zero if nobody has set the state
	MarkedBy     string    // the id of a key
	LastSeen     time.Time

	JudgeTask     string // the task that asks a model, or ""
	JudgeMonth    string // whose ceiling the task counts against
	JudgeCost     int64  // the most that the task can cost, or its charge when it has ended
	Opinion       earshot.Opinion
	OpinionReason string
	OpinionModel  string
}

// Finding is an answer that contains the statement of a review.
type Finding struct {
	Organization string
	Tracker      string
	Answer       string
	Review       string
	Sweep        string
	Prompt       int
	Target       int
	AskedAt      time.Time
	Content      []byte // JSON
}

// Basis is everything besides its answers that the findings of a sweep depend on.
type Basis struct {
	Rules   int    // version of the tracker's rules
	Version int    // of the tracker's definition
	Code    int    // version of the word lists
	Facts   string // a hash of the facts in the definition
}

// reviewed is a sweep whose answers were reviewed.
type reviewed struct {
	organization, tracker, sweep string
	Basis
	judged bool
}

var (
	reviewsTable = engine.NewTable("reviews",
		engine.Field("organization", "uuid", func(r *Review) *string { return &r.Organization }),
		engine.Field("tracker", "uuid", func(r *Review) *string { return &r.Tracker }),
		engine.Field("id", "uuid", func(r *Review) *string { return &r.ID }),
		engine.TextField("brand", func(r *Review) *string { return &r.Brand }),
		engine.TextField("kind", func(r *Review) *earshot.ReviewKind { return &r.Kind }),
		engine.NullField("fact", "text", func(r *Review) *string { return &r.Fact }),
		engine.NullField("expected", "text", func(r *Review) *string { return &r.Expected }),
		engine.NullField("found", "text", func(r *Review) *string { return &r.Found }),
		engine.TextField("state", func(r *Review) *earshot.ReviewState { return &r.State }),
		engine.NullField("note", "text", func(r *Review) *string { return &r.Note }),
		engine.TimeField("marked_at", func(r *Review) *time.Time { return &r.MarkedAt }),
		engine.NullField("marked_by", "text", func(r *Review) *string { return &r.MarkedBy }),
		engine.TimeField("last_seen", func(r *Review) *time.Time { return &r.LastSeen }),
		engine.NullField("judge_task", "uuid", func(r *Review) *string { return &r.JudgeTask }),
		engine.NullField("judge_month", "text", func(r *Review) *string { return &r.JudgeMonth }),
		engine.NullField("judge_cost", "bigint", func(r *Review) *int64 { return &r.JudgeCost }),
		engine.NullField("opinion", "text", func(r *Review) *string { return (*string)(&r.Opinion) }),
		engine.NullField("opinion_reason", "text", func(r *Review) *string { return &r.OpinionReason }),
		engine.NullField("opinion_model", "text", func(r *Review) *string { return &r.OpinionModel }))
	upsertReviews = reviewsTable.Insert(`ON CONFLICT (organization, tracker, id) DO UPDATE SET
		last_seen = CASE WHEN excluded.last_seen > reviews.last_seen THEN excluded.last_seen ELSE reviews.last_seen END`)

	findingsTable = engine.NewTable("review_findings",
		engine.Field("organization", "uuid", func(f *Finding) *string { return &f.Organization }),
		engine.Field("tracker", "uuid", func(f *Finding) *string { return &f.Tracker }),
		engine.Field("answer", "uuid", func(f *Finding) *string { return &f.Answer }),
		engine.Field("review", "uuid", func(f *Finding) *string { return &f.Review }),
		engine.Field("sweep", "uuid", func(f *Finding) *string { return &f.Sweep }),
		engine.IntField("prompt", func(f *Finding) *int { return &f.Prompt }),
		engine.IntField("target", func(f *Finding) *int { return &f.Target }),
		engine.TimeField("asked_at", func(f *Finding) *time.Time { return &f.AskedAt }),
		engine.BytesAsText("content", func(f *Finding) *[]byte { return &f.Content }))
	insertFindings = findingsTable.Insert("")

	reviewedTable = engine.NewTable("reviewed_sweeps",
		engine.Field("organization", "uuid", func(r *reviewed) *string { return &r.organization }),
		engine.Field("tracker", "uuid", func(r *reviewed) *string { return &r.tracker }),
		engine.Field("sweep", "uuid", func(r *reviewed) *string { return &r.sweep }),
		engine.IntField("rules", func(r *reviewed) *int { return &r.Rules }),
		engine.IntField("version", func(r *reviewed) *int { return &r.Version }),
		engine.IntField("code", func(r *reviewed) *int { return &r.Code }),
		engine.TextField("facts", func(r *reviewed) *string { return &r.Facts }),
		engine.FlagField("judged", func(r *reviewed) *bool { return &r.judged }))
	upsertReviewed = reviewedTable.Insert(`ON CONFLICT (organization, tracker, sweep) DO UPDATE SET
		rules = excluded.rules, version = excluded.version, code = excluded.code, facts = excluded.facts`)
)

// TrackersToReview lists trackers with ended sweeps that were not reviewed by their current rules and
// definition and by this version of the word lists, or that wait for a judge.
func (s *Store) TrackersToReview(ctx context.Context, code int) ([]Tracker, error) {
	all, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]Tracker, error) {
		return engine.FindAll(ctx, p.Reports, func(t *Tracker) []any { return []any{&t.Organization, &t.ID} }, `
			SELECT t.organization, t.id FROM trackers t
			JOIN tracker_rules r ON r.organization = t.organization AND r.tracker = t.id AND r.state = 'current'
			WHERE t.state <> 'deleting' AND EXISTS (
				SELECT 1 FROM sweeps s WHERE s.organization = t.organization AND s.tracker = t.id AND s.state IN ('closed', 'canceled') AND s.pruned = 0 AND s.answered > 0 AND NOT EXISTS (
					SELECT 1 FROM reviewed_sweeps v WHERE v.organization = s.organization AND v.tracker = s.tracker AND v.sweep = s.id
						AND v.rules = r.version AND v.version = t.version AND v.code = $1))
			UNION SELECT organization, tracker FROM reviewed_sweeps WHERE judged = 0
			UNION SELECT organization, tracker FROM reviews WHERE judge_task IS NOT NULL AND opinion IS NULL`, code)
	})
	return all, engine.Wrap(err, "list trackers to review")
}

// unreviewed selects the ended sweeps of a tracker that were not reviewed on a basis. Sweeps without
// all their answers are not reviewed again.
const unreviewed = ` FROM sweeps s WHERE s.organization = $1 AND s.tracker = $2 AND s.state IN ('closed', 'canceled') AND s.pruned = 0 AND s.answered > 0 AND NOT EXISTS (
	SELECT 1 FROM reviewed_sweeps v WHERE v.organization = s.organization AND v.tracker = s.tracker AND v.sweep = s.id
		AND v.version = $3 AND v.rules = $4 AND v.code = $5 AND v.facts = $6)`

func (b Basis) arguments(t Tracker) []any {
	return []any{t.Organization, t.ID, b.Version, b.Rules, b.Code, b.Facts}
}

// CountUnreviewed counts the ended sweeps of a tracker that were not reviewed on this basis. From
// now on, a sweep that was reviewed by another version of the definition with the same facts counts
// as reviewed.
func (s *Store) CountUnreviewed(ctx context.Context, t Tracker, basis Basis) (int, error) {
	_, err := s.ShardOf(t.Organization).Run(`UPDATE reviewed_sweeps SET version = $3 WHERE organization = $1 AND tracker = $2 AND version <> $3 AND rules = $4 AND code = $5 AND facts = $6`,
		basis.arguments(t)...)
	if err != nil {
		return 0, engine.Wrap(err, "renew reviewed sweeps")
	}
	n, err := engine.FirstOf(engine.FindValues[int](ctx, s.ShardOf(t.Organization).Reports, `SELECT COUNT(*)`+unreviewed, basis.arguments(t)...))
	return n, engine.Wrap(err, "count sweeps to review")
}

// Unreviewed returns the newest ended sweep of a tracker, older than another sweep, that was not
// reviewed on this basis, or "".
func (s *Store) Unreviewed(ctx context.Context, t Tracker, basis Basis, before string) (string, error) {
	ids, err := engine.FindValues[string](ctx, s.ShardOf(t.Organization).Reports, `SELECT s.id`+unreviewed+` AND s.id < $7 ORDER BY s.id DESC LIMIT 1`, append(basis.arguments(t), before)...)
	return strings.Join(ids, ""), engine.Wrap(err, "find a sweep to review")
}

// SaveSweep stores the findings of a sweep and their reviews, which must have different ids,
// and marks the sweep as reviewed. It replaces earlier findings of the sweep, so it may be
// called again. judge says whether UnjudgedSweeps should list the sweep, unless it was reviewed
// before. SaveSweep does nothing if the sweep was deleted.
func (s *Store) SaveSweep(t Tracker, sweep string, basis Basis, reviews []*Review, findings []*Finding, judge bool) error {
	err := s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		// The lock keeps other nodes from reviewing the sweep meanwhile.
		found, err := engine.FindValues[string](ctx, tx, `SELECT id FROM sweeps WHERE organization = $1 AND tracker = $2 AND id = $3 `+s.Dialect.ForUpdate,
			t.Organization, t.ID, sweep)
		if err != nil || len(found) == 0 {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM review_findings WHERE organization = $1 AND tracker = $2 AND sweep = $3`, t.Organization, t.ID, sweep); err != nil {
			return err
		}
		if err := engine.Each(ctx, tx, upsertReviews, reviews, nil); err != nil {
			return err
		}
		if err := engine.Each(ctx, tx, insertFindings, findings, nil); err != nil {
			return err
		}
		if err := engine.Each(ctx, tx, upsertReviewed, []*reviewed{{t.Organization, t.ID, sweep, basis, !judge}}, nil); err != nil {
			return err
		}
		// Answers may have been deleted since they were read.
		_, err = tx.ExecContext(ctx, `DELETE FROM review_findings WHERE organization = $1 AND tracker = $2 AND sweep = $3 AND NOT EXISTS (
			SELECT 1 FROM answers a WHERE a.organization = review_findings.organization AND a.tracker = review_findings.tracker AND a.id = review_findings.answer)`,
			t.Organization, t.ID, sweep)
		return err
	})
	return engine.Wrap(err, "store the findings of sweep %s", sweep)
}

// DeleteFindings deletes the findings in answers of a tracker up to an id.
func DeleteFindings(ctx context.Context, tx *engine.Tx, t Tracker, upTo string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM review_findings WHERE organization = $1 AND tracker = $2 AND answer <= $3`, t.Organization, t.ID, upTo)
	return err
}

// DeleteReviews deletes reviews that no answer since a time contained, and the marks of reviewed
// sweeps that were deleted.
func DeleteReviews(ctx context.Context, tx *engine.Tx, t Tracker, before time.Time) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM reviews WHERE organization = $1 AND tracker = $2 AND last_seen < $3 AND NOT EXISTS (
		SELECT 1 FROM review_findings f WHERE f.organization = reviews.organization AND f.tracker = reviews.tracker AND f.review = reviews.id)`,
		t.Organization, t.ID, engine.Millis(before))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM reviewed_sweeps WHERE organization = $1 AND tracker = $2 AND sweep < $3 AND NOT EXISTS (
		SELECT 1 FROM sweeps s WHERE s.organization = reviewed_sweeps.organization AND s.tracker = reviewed_sweeps.tracker AND s.id = reviewed_sweeps.sweep AND s.pruned = 0)`,
		t.Organization, t.ID, store.FirstID(before))
	return err
}
