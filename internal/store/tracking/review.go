package tracking

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Review is a statement that answers of a tracker have in common.
type Review struct {
	Organization string
	Tracker      string
	ID           string // depends only on the statement
	Brand        string
	Kind         earshot.ReviewKind
	Fact         earshot.FactDifference // zero unless Kind is ReviewFact
	State        earshot.ReviewState
	Note         string
	MarkedAt     time.Time // zero if nobody has set the state
	MarkedBy     string    // the id of a key
	LastSeen     time.Time
	// Opinion has a task if a model was asked, and an opinion if it has answered. It is charged
	// with the most that the task can cost until the task has ended.
	Opinion    earshot.ReviewOpinion
	JudgeMonth string // whose ceiling the task counts against
}

// ReviewFinding is an answer that contains the statement of a review.
type ReviewFinding struct {
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

// ReviewBasis is everything besides its answers that the findings of a sweep depend on.
type ReviewBasis struct {
	Rules   int    // version of the tracker's rules
	Version int    // of the tracker's definition
	Code    int    // version of the word lists
	Facts   string // a hash of the facts in the definition
}

var (
	reviewsTable = engine.NewTable("reviews",
		engine.Field("organization", "uuid", func(r *Review) *string { return &r.Organization }),
		engine.Field("tracker", "uuid", func(r *Review) *string { return &r.Tracker }),
		engine.Field("id", "uuid", func(r *Review) *string { return &r.ID }),
		engine.TextField("brand", func(r *Review) *string { return &r.Brand }),
		engine.TextField("kind", func(r *Review) *earshot.ReviewKind { return &r.Kind }),
		engine.NullField("fact", "text", func(r *Review) *string { return &r.Fact.Name }),
		engine.NullField("expected", "text", func(r *Review) *string { return &r.Fact.Expected }),
		engine.NullField("found", "text", func(r *Review) *string { return &r.Fact.Found }),
		engine.TextField("state", func(r *Review) *earshot.ReviewState { return &r.State }),
		engine.NullField("note", "text", func(r *Review) *string { return &r.Note }),
		engine.TimeField("marked_at", func(r *Review) *time.Time { return &r.MarkedAt }),
		engine.NullField("marked_by", "text", func(r *Review) *string { return &r.MarkedBy }),
		engine.TimeField("last_seen", func(r *Review) *time.Time { return &r.LastSeen }),
		engine.NullField("judge_task", "uuid", func(r *Review) *string { return &r.Opinion.Task }),
		engine.NullField("judge_month", "text", func(r *Review) *string { return &r.JudgeMonth }),
		engine.NullField("judge_cost", "bigint", func(r *Review) *int64 { return &r.Opinion.Charged }),
		engine.NullField("opinion", "text", func(r *Review) *string { return (*string)(&r.Opinion.Opinion) }),
		engine.NullField("opinion_reason", "text", func(r *Review) *string { return &r.Opinion.Reason }),
		engine.NullField("opinion_model", "text", func(r *Review) *string { return &r.Opinion.Model }))
	upsertReviews = reviewsTable.Insert(`ON CONFLICT (organization, tracker, id) DO UPDATE SET
		last_seen = CASE WHEN excluded.last_seen > reviews.last_seen THEN excluded.last_seen ELSE reviews.last_seen END`)

	findingsTable = engine.NewTable("review_findings",
		engine.Field("organization", "uuid", func(f *ReviewFinding) *string { return &f.Organization }),
		engine.Field("tracker", "uuid", func(f *ReviewFinding) *string { return &f.Tracker }),
		engine.Field("answer", "uuid", func(f *ReviewFinding) *string { return &f.Answer }),
		engine.Field("review", "uuid", func(f *ReviewFinding) *string { return &f.Review }),
		engine.Field("sweep", "uuid", func(f *ReviewFinding) *string { return &f.Sweep }),
		engine.IntField("prompt", func(f *ReviewFinding) *int { return &f.Prompt }),
		engine.IntField("target", func(f *ReviewFinding) *int { return &f.Target }),
		engine.TimeField("asked_at", func(f *ReviewFinding) *time.Time { return &f.AskedAt }),
		engine.BytesAsText("content", func(f *ReviewFinding) *[]byte { return &f.Content }))
	insertFindings = findingsTable.Insert("")
)

// TrackersToReview lists trackers, with their ids only, that have ended sweeps which were not reviewed
// by their current rules and definition and by this version of the word lists, or that wait for a judge.
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

func (b ReviewBasis) arguments(t *Tracker) []any {
	return []any{t.Organization, t.ID, b.Version, b.Rules, b.Code, b.Facts}
}

// CountUnreviewed counts the ended sweeps of a tracker that were not reviewed on this basis. From
// now on, a sweep that was reviewed by another version of the definition with the same facts counts
// as reviewed.
func (s *Store) CountUnreviewed(ctx context.Context, t *Tracker, basis ReviewBasis) (int, error) {
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
func (s *Store) Unreviewed(ctx context.Context, t *Tracker, basis ReviewBasis, before string) (string, error) {
	ids, err := engine.FindValues[string](ctx, s.ShardOf(t.Organization).Reports, `SELECT s.id`+unreviewed+` AND s.id < $7 ORDER BY s.id DESC LIMIT 1`, append(basis.arguments(t), before)...)
	return strings.Join(ids, ""), engine.Wrap(err, "find a sweep to review")
}

// SaveReviewed stores the findings of a sweep and their reviews, which must have different ids, and
// marks the sweep as reviewed. It replaces earlier findings of the sweep, so it may be called again.
// judge says whether a model should be asked about new reviews, unless the sweep was reviewed before.
// SaveReviewed does nothing if the sweep was deleted.
func (s *Store) SaveReviewed(t *Tracker, sweep string, basis ReviewBasis, reviews []*Review, findings []*ReviewFinding, judge bool) error {
	this := []any{t.Organization, t.ID, sweep}
	err := s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		// The lock keeps other nodes from reviewing the sweep meanwhile.
		found, err := engine.FindValues[string](ctx, tx, `SELECT id FROM sweeps WHERE organization = $1 AND tracker = $2 AND id = $3 `+s.Dialect.ForUpdate, this...)
		if err != nil || len(found) == 0 {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM review_findings WHERE organization = $1 AND tracker = $2 AND sweep = $3`, this...); err != nil {
			return err
		}
		if err := engine.Each(ctx, tx, upsertReviews, reviews, nil); err != nil {
			return err
		}
		if err := engine.Each(ctx, tx, insertFindings, findings, nil); err != nil {
			return err
		}
		judged := 1
		if judge {
			judged = 0
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO reviewed_sweeps (organization, tracker, version, rules, code, facts, sweep, judged) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (organization, tracker, sweep) DO UPDATE SET version = excluded.version, rules = excluded.rules, code = excluded.code, facts = excluded.facts`,
			append(basis.arguments(t), sweep, judged)...)
		if err != nil {
			return err
		}
		// Answers may have been deleted since they were read.
		_, err = tx.ExecContext(ctx, `DELETE FROM review_findings WHERE organization = $1 AND tracker = $2 AND sweep = $3 AND NOT EXISTS (
			SELECT 1 FROM answers a WHERE a.organization = review_findings.organization AND a.tracker = review_findings.tracker AND a.id = review_findings.answer)`, this...)
		return err
	})
	return engine.Wrap(err, "store the findings of sweep %s", sweep)
}

// deleteFindings deletes the findings in answers of a tracker up to an id.
func deleteFindings(ctx context.Context, tx *engine.Tx, t *Tracker, upTo string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM review_findings WHERE organization = $1 AND tracker = $2 AND answer <= $3`, t.Organization, t.ID, upTo)
	return err
}

// deleteReviews deletes reviews that no answer since a time contained, and the marks of reviewed
// sweeps that were deleted.
func deleteReviews(ctx context.Context, tx *engine.Tx, t *Tracker, before time.Time) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM reviews WHERE organization = $1 AND tracker = $2 AND last_seen < $3 AND NOT `+isFound+`)`,
		t.Organization, t.ID, engine.Millis(before))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM reviewed_sweeps WHERE organization = $1 AND tracker = $2 AND sweep < $3 AND NOT EXISTS (
		SELECT 1 FROM sweeps s WHERE s.organization = reviewed_sweeps.organization AND s.tracker = reviewed_sweeps.tracker AND s.id = reviewed_sweeps.sweep AND s.pruned = 0)`,
		t.Organization, t.ID, store.FirstID(before))
	return err
}

// isFound selects reviews that an answer contains, which must meet conditions on f that follow.
const isFound = `EXISTS (SELECT 1 FROM review_findings f WHERE f.organization = reviews.organization AND f.tracker = reviews.tracker AND f.review = reviews.id`

// ReviewFilter selects the reviews to list, the last seen first. Zero values select all.
type ReviewFilter struct {
	State       earshot.ReviewState
	Kind        earshot.ReviewKind
	Brand       string
	Target      int
	From, Until time.Time // when an answer with the statement was asked, Until excluded
	After       string    // only reviews after this one in the list
	Limit       int
}

// Reviews lists reviews of a tracker. It leaves out reviews whose answers were deleted or no
// longer contain the statement.
func (s *Store) Reviews(ctx context.Context, t *Tracker, f ReviewFilter) ([]*Review, error) {
	from, until := int64(0), int64(math.MaxInt64)
	if !f.From.IsZero() {
		from = engine.Millis(f.From)
	}
	if !f.Until.IsZero() {
		until = engine.Millis(f.Until)
	}
	all, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Reports, reviewsTable, `WHERE organization = $1 AND tracker = $2
		AND ($3 = '' OR state = $3) AND ($4 = '' OR kind = $4) AND ($5 = '' OR brand = $5)
		AND `+isFound+` AND ($6 = 0 OR f.target = $6) AND f.asked_at >= $7 AND f.asked_at < $8)
		AND ((last_seen, id) < (SELECT a.last_seen, a.id FROM reviews a WHERE a.organization = $1 AND a.tracker = $2 AND a.id = $9) OR $9 = '`+uuid.Nil.String()+`')
		ORDER BY last_seen DESC, id DESC LIMIT $10`,
		t.Organization, t.ID, string(f.State), string(f.Kind), f.Brand, f.Target, from, until, cmp.Or(f.After, uuid.Nil.String()), f.Limit)
	return all, engine.Wrap(err, "list reviews")
}

// Seen is where a review was found.
type Seen struct {
	Answers     int
	First, Last time.Time
	Newest      []*ReviewFinding // at most 5
}

// Seen returns the answers in which a review was found.
func (s *Store) Seen(ctx context.Context, r *Review) (seen Seen, err error) {
	const ofReview = `WHERE organization = $1 AND tracker = $2 AND review = $3`
	err = s.ShardOf(r.Organization).Reports.Snapshot(ctx, func(now engine.Snapshot) error {
		err := engine.First(ctx, now, func(row engine.Scanner) error {
			return row.Scan(&seen.Answers, engine.MillisInto(&seen.First), engine.MillisInto(&seen.Last))
		}, `SELECT COUNT(*), MIN(asked_at), MAX(asked_at) FROM review_findings `+ofReview, r.Organization, r.Tracker, r.ID)
		if err != nil {
			return err
		}
		seen.Newest, err = engine.FindRows(ctx, now, findingsTable, ofReview+` ORDER BY answer DESC LIMIT 5`, r.Organization, r.Tracker, r.ID)
		return err
	})
	return seen, engine.Wrap(err, "read the answers of review %s", r.ID)
}

// MarkReview changes the state or the note of a review that Reviews returns, and returns the review. It
// returns ErrNotFound.
func (s *Store) MarkReview(t *Tracker, id string, patch earshot.ReviewPatch, by account.Actor, now time.Time) (marked *Review, err error) {
	id, err = store.CanonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	err = s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		const this = `WHERE organization = $1 AND tracker = $2 AND id = $3`
		marked, err = engine.FirstRow(ctx, w, reviewsTable, this+` AND `+isFound+`)`, t.Organization, t.ID, id)
		if err != nil {
			return err
		}
		type audited struct {
			Tracker string              `json:"tracker,omitempty"`
			State   earshot.ReviewState `json:"state"`
			Note    string              `json:"note"`
		}
		before := audited{"", marked.State, marked.Note}
		if patch == (earshot.ReviewPatch{}) {
			return nil
		}
		if patch.State != nil {
			marked.State = *patch.State
		}
		if patch.Note != nil {
			marked.Note = *patch.Note
		}
		marked.MarkedAt, marked.MarkedBy = now, by.ID
		_, err = w.Run(ctx, `UPDATE reviews SET state = $4, note = $5, marked_at = $6, marked_by = $7 `+this,
			t.Organization, t.ID, id, string(marked.State), marked.Note, engine.Millis(now), by.ID)
		if err != nil {
			return err
		}
		return w.Audit(t.Organization, by, store.Audited{Action: "review.mark", Subject: id, Before: before, After: audited{t.Name, marked.State, marked.Note}}, now)
	}})
	return marked, engine.Wrap(err, "mark review %s", id)
}
