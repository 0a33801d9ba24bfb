package reviewing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Filter selects the reviews to list, the last seen first.
type Filter struct {
	State       earshot.ReviewState // "" for all
	Kind        earshot.ReviewKind  // "" for all
	Brand       string              // "" for all
	Target      int                 // 0 for all
	From, Until time.Time           // when an answer with the statement was asked, Until excluded; zero for no limit
	After       string              // only reviews after this one in the list; "" for the first page
	Limit       int
}

// List lists reviews of a tracker. It leaves out reviews whose answers were deleted or no
// longer contain the statement.
func (s *Store) List(ctx context.Context, t Tracker, f Filter) ([]*Review, error) {
	args := []any{t.Organization, t.ID, string(f.State), string(f.Kind), f.Brand, f.Limit}
	var inAnswers, after strings.Builder
	add := func(to *strings.Builder, condition string, value any) {
		args = append(args, value)
		fmt.Fprintf(to, condition, len(args))
	}
	if f.Target != 0 {
		add(&inAnswers, ` AND f.target = $%d`, f.Target)
	}
	if !f.From.IsZero() {
		add(&inAnswers, ` AND f.asked_at >= $%d`, engine.Millis(f.From))
	}
	if !f.Until.IsZero() {
		add(&inAnswers, ` AND f.asked_at < $%d`, engine.Millis(f.Until))
	}
	if f.After != "" {
		add(&after, ` AND (last_seen, id) < (SELECT a.last_seen, a.id FROM reviews a WHERE a.organization = $1 AND a.tracker = $2 AND a.id = $%d)`, f.After)
	}
	all, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Reports, reviewsTable, `WHERE organization = $1 AND tracker = $2
		AND ($3 = '' OR state = $3) AND ($4 = '' OR kind = $4) AND ($5 = '' OR brand = $5) AND EXISTS (
			SELECT 1 FROM review_findings f WHERE f.organization = reviews.organization AND f.tracker = reviews.tracker AND f.review = reviews.id`+inAnswers.String()+`)`+
		after.String()+` ORDER BY last_seen DESC, id DESC LIMIT $6`, args...)
	return all, engine.Wrap(err, "list reviews")
}

// Seen is where a review was found.
type Seen struct {
	Answers     int
	First, Last time.Time
	Newest      []*Finding // at most maxNewest
}

// maxNewest limits Seen.Newest.
const maxNewest = 5

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
		seen.Newest, err = engine.FindRows(ctx, now, findingsTable, ofReview+` ORDER BY answer DESC LIMIT $4`, r.Organization, r.Tracker, r.ID, maxNewest)
		return err
	})
	return seen, engine.Wrap(err, "read the answers of review %s", r.ID)
}

// Mark changes the state or the note of a review that List returns, and returns the review. It
// returns ErrNotFound.
func (s *Store) Mark(t Tracker, id string, patch earshot.ReviewPatch, by account.Actor, now time.Time) (*Review, error) {
	id, err := store.CanonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	var marked *Review
	err = s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		const this = `WHERE organization = $1 AND tracker = $2 AND id = $3`
		marked, err = engine.FirstRow(ctx, w, reviewsTable, this+` AND EXISTS (
			SELECT 1 FROM review_findings f WHERE f.organization = reviews.organization AND f.tracker = reviews.tracker AND f.review = reviews.id)`,
			t.Organization, t.ID, id)
		if err != nil {
			return err
		}
		name, err := engine.FirstOf(engine.FindValues[string](ctx, w, `SELECT name FROM trackers WHERE organization = $1 AND id = $2`, t.Organization, t.ID))
		if err != nil {
			return err
		}
		type audited struct {
			Tracker string              `json:"tracker,omitempty"`
			State   earshot.ReviewState `json:"state"`
			Note    string              `json:"note"`
		}
		before := audited{"", marked.State, marked.Note}
		if patch.State != nil {
			marked.State = *patch.State
		}
		if patch.Note != nil {
			marked.Note = *patch.Note
		}
		if patch == (earshot.ReviewPatch{}) {
			return nil
		}
		marked.MarkedAt, marked.MarkedBy = now, by.ID
		_, err = w.Run(ctx, `UPDATE reviews SET state = $4, note = $5, marked_at = $6, marked_by = $7 `+this,
			t.Organization, t.ID, id, string(marked.State), marked.Note, engine.Millis(now), by.ID)
		if err != nil {
			return err
		}
		return w.Audit(t.Organization, by, store.Audited{Action: "review.mark", Subject: id, Before: before, After: audited{name, marked.State, marked.Note}}, now)
	}})
	return marked, engine.Wrap(err, "mark review %s", id)
}
