package tracking

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/engine"
	"earshot/internal/store/exporting"
)

// MaxTrackers limits the trackers of an organization.
const MaxTrackers = 100

// maxDefinitions limits the bytes of all definitions of an organization's trackers, which are read
// together. Tests set it.
var maxDefinitions = 32 << 20

// TrackerDeleting is the state of a tracker whose rows are being deleted. It is not visible, and
// its name is free.
const TrackerDeleting earshot.TrackerState = "deleting"

// Tracker is a set of prompts that are asked on a schedule.
type Tracker struct {
	Organization string
	ID           string
	Name         string
	State        earshot.TrackerState
	Version      int // of the definition
	Definition   []byte
	Demo         bool // its history is generated
	KeepDays     int  // retention of answers
	NumbersDays  int  // retention of numbers
	CreatedAt    time.Time
	UpdatedAt    time.Time
	NextSlot     string    // of the next sweep; "" for none
	DueAt        time.Time // of the next sweep; zero for none
	ReportSlot   string    // of the next report; "" for none
	ReportDueAt  time.Time // of the next report; zero for none
}

// TrackersTable describes the rows of trackers.
var TrackersTable = engine.NewTable("trackers",
	engine.Field("organization", "uuid", func(t *Tracker) *string { return &t.Organization }),
	engine.Field("id", "uuid", func(t *Tracker) *string { return &t.ID }),
	engine.TextField("name", func(t *Tracker) *string { return &t.Name }),
	engine.TextField("state", func(t *Tracker) *earshot.TrackerState { return &t.State }),
	engine.IntField("version", func(t *Tracker) *int { return &t.Version }),
	engine.BytesAsText("definition", func(t *Tracker) *[]byte { return &t.Definition }),
	engine.FlagField("demo", func(t *Tracker) *bool { return &t.Demo }),
	engine.IntField("keep_days", func(t *Tracker) *int { return &t.KeepDays }),
	engine.IntField("keep_numbers_days", func(t *Tracker) *int { return &t.NumbersDays }),
	engine.TimeField("created_at", func(t *Tracker) *time.Time { return &t.CreatedAt }),
	engine.TimeField("updated_at", func(t *Tracker) *time.Time { return &t.UpdatedAt }),
	engine.NullField("next_slot", "text", func(t *Tracker) *string { return &t.NextSlot }),
	engine.TimeField("due_at", func(t *Tracker) *time.Time { return &t.DueAt }),
	engine.NullField("report_slot", "text", func(t *Tracker) *string { return &t.ReportSlot }),
	engine.TimeField("report_due_at", func(t *Tracker) *time.Time { return &t.ReportDueAt }))

// Tag returns the version of the definition and the state.
func (t *Tracker) Tag() string {
	if t.Version == 0 {
		return "" // it is not stored yet
	}
	return store.Tag(t.ID, t.Version, t.State)
}

// expectTag returns CodePrecondition if the actor expects another version of a tracker, and ErrNotFound.
func expectTag(ctx context.Context, w *store.Work, organization, id string, by account.Actor) error {
	t := Tracker{ID: id}
	err := engine.First(ctx, w, func(r engine.Scanner) error { return r.Scan(&t.Version, &t.State) },
		`SELECT version, state FROM trackers WHERE organization = $1 AND id = $2 AND state <> 'deleting'`, organization, id)
	if err != nil {
		return err
	}
	return store.Expect(by, t.Tag())
}

// upsertTracker inserts a tracker or updates it.
var upsertTracker = TrackersTable.Insert(`ON CONFLICT (organization, id) DO UPDATE SET
	state = excluded.state, version = excluded.version, definition = excluded.definition, keep_days = excluded.keep_days, keep_numbers_days = excluded.keep_numbers_days,
	updated_at = excluded.updated_at, next_slot = excluded.next_slot, due_at = excluded.due_at,
	report_slot = excluded.report_slot, report_due_at = excluded.report_due_at`)

// TrackerPart is a current or former prompt or target of a tracker.
type TrackerPart struct {
	Organization string
	Tracker      string
	ID           int    // within the tracker; its meaning never changes
	Active       bool   // the current definition has it
	Name         string // text of the prompt, or name of the target
	Definition   []byte // as last applied
}

func partColumns() []engine.Column[TrackerPart] {
	return []engine.Column[TrackerPart]{
		engine.Field("organization", "uuid", func(p *TrackerPart) *string { return &p.Organization }),
		engine.Field("tracker", "uuid", func(p *TrackerPart) *string { return &p.Tracker }),
		engine.IntField("id", func(p *TrackerPart) *int { return &p.ID }),
		engine.FlagField("active", func(p *TrackerPart) *bool { return &p.Active }),
		engine.TextField("name", func(p *TrackerPart) *string { return &p.Name }),
		engine.BytesAsText("definition", func(p *TrackerPart) *[]byte { return &p.Definition }),
	}
}

var (
	promptsTable = engine.NewTable("tracker_prompts", partColumns()...)
	targetsTable = engine.NewTable("tracker_targets", partColumns()...)

	keepPart      = `ON CONFLICT (organization, tracker, id) DO UPDATE SET active = excluded.active, definition = excluded.definition`
	upsertPrompts = promptsTable.Insert(keepPart)
	upsertTargets = targetsTable.Insert(keepPart)
)

// trackerVersion is a definition that was applied.
type trackerVersion struct {
	organization, tracker string
	version               int
	definition            []byte
	appliedAt             time.Time
}

var (
	versionsTable = engine.NewTable("tracker_versions",
		engine.Field("organization", "uuid", func(v *trackerVersion) *string { return &v.organization }),
		engine.Field("tracker", "uuid", func(v *trackerVersion) *string { return &v.tracker }),
		engine.IntField("version", func(v *trackerVersion) *int { return &v.version }),
		engine.BytesAsText("definition", func(v *trackerVersion) *[]byte { return &v.definition }),
		engine.TimeField("applied_at", func(v *trackerVersion) *time.Time { return &v.appliedAt }))
	insertVersions = versionsTable.Insert("")
)

// Tracker returns a tracker by name. It returns ErrNotFound.
func (s *Store) Tracker(ctx context.Context, organization, name string) (*Tracker, error) {
	t, err := engine.FirstRow(ctx, s.ShardOf(organization).Lookups, TrackersTable, `WHERE organization = $1 AND name = $2 AND state <> 'deleting'`, organization, name)
	return t, engine.Wrap(err, "tracker %s", name)
}

// Trackers lists the trackers of an organization by name.
func (s *Store) Trackers(ctx context.Context, organization string) ([]*Tracker, error) {
	all, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, TrackersTable, `WHERE organization = $1 AND state <> 'deleting' ORDER BY name`, organization)
	return all, engine.Wrap(err, "list trackers")
}

// TrackerBrief is a tracker for lists. Its definition omits parts that lists do not show, such as
// the prompts and brands, whose numbers it has instead.
type TrackerBrief struct {
	Tracker
	Prompts, Brands, OpenAlerts int
	Lead                        *string  // name of the first own brand, or else of the first brand; nil without brands
	LeadOwn                     bool     // whether the brand is an own brand
	Coverage                    *float64 // share of the planned tasks of the newest closed sweeps that were answered; nil without such a sweep
}

var briefTrackers = TrackersTable.Without("definition")

// The definition of a tracker without its prompts and brands, and the numbers of these.
const (
	briefOnSQLite = `json_remove(definition, '$.prompts', '$.brands', '$.sources', '$.facts'),
		COALESCE(json_array_length(definition, '$.prompts'), 0), COALESCE(json_array_length(definition, '$.brands'), 0),
		(SELECT json_extract(value, '$.name') FROM json_each(definition, '$.brands') ORDER BY COALESCE(json_extract(value, '$.own'), 0) DESC, key LIMIT 1),
		EXISTS (SELECT 1 FROM json_each(definition, '$.brands') WHERE json_extract(value, '$.own'))`
	briefOnPostgres = `json_build_object('title', definition::json->'title', 'targets', definition::json->'targets', 'schedule', definition::json->'schedule',
			'samples', definition::json->'samples', 'ceiling', definition::json->'ceiling', 'judge', definition::json->'judge')::text,
		COALESCE(json_array_length(definition::json->'prompts'), 0), COALESCE(json_array_length(definition::json->'brands'), 0),
		(SELECT b->>'name' FROM json_array_elements(definition::json->'brands') WITH ORDINALITY AS e (b, n) ORDER BY COALESCE(b->>'own', 'false') DESC, n LIMIT 1),
		EXISTS (SELECT 1 FROM json_array_elements(definition::json->'brands') AS b WHERE b->>'own' = 'true')`
)

// standing reads the open alerts and the coverage of a tracker.
const standing = `(SELECT COUNT(*) FROM alerts a WHERE a.organization = trackers.organization AND a.tracker = trackers.id AND a.acknowledged_at IS NULL),
	(SELECT CAST(SUM(s.answered) AS double precision) / NULLIF(SUM(s.planned), 0) FROM (
		SELECT answered, planned FROM sweeps WHERE organization = trackers.organization AND tracker = trackers.id AND state = 'closed' AND repeats IS NULL
		ORDER BY id DESC LIMIT 7) s)`

// TrackerBriefs lists the trackers of an organization by name, without reading their whole
// definitions.
func (s *Store) TrackerBriefs(ctx context.Context, organization string) (all []*TrackerBrief, err error) {
	brief := briefOnSQLite
	if s.Dialect.Arrays {
		brief = briefOnPostgres
	}
	err = s.ShardOf(organization).Lookups.Find(ctx, func(r engine.Scanner) error {
		b := &TrackerBrief{}
		all = append(all, b)
		return r.Scan(append(briefTrackers.Targets(&b.Tracker), &b.Definition, &b.Prompts, &b.Brands, &b.Lead, &b.LeadOwn, &b.OpenAlerts, &b.Coverage)...)
	}, `SELECT `+briefTrackers.List+`, `+brief+`, `+standing+` FROM trackers WHERE organization = $1 AND state <> 'deleting' ORDER BY name`, organization)
	return all, engine.Wrap(err, "list trackers")
}

// TrackerVersion returns a version of a definition. It returns ErrNotFound.
func (s *Store) TrackerVersion(ctx context.Context, organization, tracker string, version int) ([]byte, error) {
	v, err := engine.FirstRow(ctx, s.ShardOf(organization).Lookups, versionsTable, `WHERE organization = $1 AND tracker = $2 AND version = $3`, organization, tracker, version)
	if err != nil {
		return nil, fmt.Errorf("version %d of tracker %s: %w", version, tracker, err)
	}
	return v.definition, nil
}

// TrackerPrompts returns the current and former prompts of a tracker, sorted by id.
func (s *Store) TrackerPrompts(ctx context.Context, t *Tracker) ([]*TrackerPart, error) {
	return s.trackerParts(ctx, promptsTable, t)
}

// TrackerTargets is TrackerPrompts for targets.
func (s *Store) TrackerTargets(ctx context.Context, t *Tracker) ([]*TrackerPart, error) {
	return s.trackerParts(ctx, targetsTable, t)
}

func (s *Store) trackerParts(ctx context.Context, from *engine.Table[TrackerPart], t *Tracker) ([]*TrackerPart, error) {
	parts, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Lookups, from, `WHERE organization = $1 AND tracker = $2 ORDER BY id`, t.Organization, t.ID)
	return parts, engine.Wrap(err, "list the parts of tracker %s", t.Name)
}

// ApplyTracker stores a tracker with a new definition, the next version, and the new or changed
// prompts and targets. before is the version that the caller has compared it with, or 0 for a new
// tracker. rules are the new rules, or nil to keep the existing ones; days must be exported again.
// ApplyTracker returns ErrChanged, or CodeConflict if there are too many trackers or their
// definitions are too large.
func (s *Store) ApplyTracker(t *Tracker, before int, prompts, targets []*TrackerPart, rules *analysing.Rules, days []int64, by account.Actor, now time.Time) error {
	t.Version = before + 1
	audited, err := s.auditApplied(t, before)
	if err != nil {
		return engine.Wrap(err, "apply tracker %s", t.Name)
	}
	err = s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		if err := checkTracker(ctx, w, t, before); err != nil {
			return err
		}
		if err := w.Audit(t.Organization, by, audited, now); err != nil {
			return err
		}
		version := &trackerVersion{t.Organization, t.ID, t.Version, t.Definition, t.UpdatedAt}
		if rules != nil {
			if err := insertRules(ctx, w, t, rules, before == 0); err != nil {
				return err
			}
		}
		if before > 0 { // weights of prompts and facts may differ
			if err := analysing.EnterWork(ctx, w.Tx, t.Organization, t.ID, earshot.WorkCount, earshot.WorkReview); err != nil {
				return err
			}
		}
		return errors.Join(
			engine.Each(ctx, w.Tx, upsertTracker, []*Tracker{t}, nil),
			deleteVersions(ctx, w, t),
			engine.Each(ctx, w.Tx, insertVersions, []*trackerVersion{version}, nil),
			engine.Each(ctx, w.Tx, upsertPrompts, prompts, nil),
			engine.Each(ctx, w.Tx, upsertTargets, targets, nil),
			exporting.NoteChanged(ctx, w.Tx, t.Organization, t.ID, days))
	}})
	return engine.Wrap(err, "apply tracker %s", t.Name)
}

// auditApplied describes a new definition for the audit log, with the fields that differ from the
// version before. Definitions may be large, so they are compared before the transaction begins.
func (s *Store) auditApplied(t *Tracker, before int) (what store.Audited, err error) {
	what = store.Audited{Action: "tracker.create", Subject: t.Name}
	if before > 0 {
		what.Action = "tracker.change"
		stored, err := engine.FirstRow(context.Background(), s.ShardOf(t.Organization).Lookups, TrackersTable, `WHERE organization = $1 AND id = $2`, t.Organization, t.ID)
		if errors.Is(err, engine.ErrNotFound) {
			err = engine.ErrChanged
		}
		if err != nil {
			return what, err
		}
		if what.Before, err = stored.audited(); err != nil {
			return what, err
		}
	}
	what.After, err = t.audited()
	return what, err
}

// maxAudited limits the values of a definition in the audit log.
const maxAudited = 1000

// audited returns the fields of the definition for the audit log. Long values are replaced by their
// hash, and the URL of the webhook, which may contain a secret, by its host.
func (t *Tracker) audited() (map[string]any, error) {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(t.Definition, &values); err != nil {
		return nil, fmt.Errorf("decode the definition of tracker %s: %w", t.Name, err)
	}
	fields := map[string]any{"version": t.Version}
	for name, value := range values {
		fields[name] = value
		if len(value) > maxAudited {
			sum := sha256.Sum256(value)
			fields[name] = fmt.Sprintf("(%d bytes, SHA-256 %x…)", len(value), sum[:8])
		}
	}
	if value, ok := values["webhook"]; ok {
		var webhook struct{ URL string }
		u, err := &url.URL{}, json.Unmarshal(value, &webhook)
		if err == nil {
			u, err = url.Parse(webhook.URL)
		}
		if err != nil {
			return nil, fmt.Errorf("the webhook of tracker %s has no valid URL", t.Name)
		}
		fields["webhook"] = u.Host
	}
	if t.Demo {
		fields["demo"] = true
	}
	return fields, nil
}

// checkTracker returns ErrChanged if the tracker does not have the version before, and CodeConflict
// if it would exceed a limit.
func checkTracker(ctx context.Context, w *store.Work, t *Tracker, before int) error {
	versions := map[string]int{}
	paused := map[string]bool{}
	bytes, was := len(t.Definition), 0 // new total size, and previous size of this definition
	err := w.Find(ctx, func(r engine.Scanner) error {
		var name string
		var version int
		var state earshot.TrackerState
		var size int
		err := r.Scan(&name, &version, &state, &size)
		versions[name], paused[name] = version, state == earshot.TrackerPaused
		if name == t.Name {
			was = size
		} else {
			bytes += size
		}
		return err
	}, `SELECT name, version, state, octet_length(definition) FROM trackers WHERE organization = $1 AND state <> 'deleting'`, t.Organization)
	if err != nil {
		return err
	}
	if versions[t.Name] != before || before > 0 && paused[t.Name] != (t.State == earshot.TrackerPaused) {
		return engine.ErrChanged
	}
	if before == 0 && len(versions) >= MaxTrackers {
		return &earshot.Error{
			Code: earshot.CodeConflict, Message: fmt.Sprintf("an organization may have at most %d trackers", MaxTrackers),
			Details: earshot.ConflictDetails{ID: t.Name},
		}
	}
	if bytes > maxDefinitions && len(t.Definition) > was {
		return &earshot.Error{
			Code: earshot.CodeConflict, Message: fmt.Sprintf("the definitions of an organization's trackers may have at most %d MB together", maxDefinitions>>20),
			Details: earshot.ConflictDetails{ID: t.Name},
		}
	}
	return nil
}

// deleteVersions deletes earlier definitions that no sweep has used.
func deleteVersions(ctx context.Context, w *store.Work, t *Tracker) error {
	_, err := w.ExecContext(ctx, `DELETE FROM tracker_versions WHERE organization = $1 AND tracker = $2 AND version < $3
		AND version NOT IN (SELECT version FROM sweeps WHERE organization = $1 AND tracker = $2)`,
		t.Organization, t.ID, t.Version)
	return err
}

// AddRules adds rules by which the existing answers of a tracker will be analysed. before is the newest
// version that the caller knows, or 0. AddRules returns ErrChanged.
func (s *Store) AddRules(t *Tracker, r *analysing.Rules, before int, by account.Actor, now time.Time) error {
	err := s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		// The lock on the organization keeps other nodes from adding rules.
		if err := analysing.ExpectRules(ctx, w, t.Organization, map[string]int{t.ID: before}); err != nil {
			return err
		}
		r.CreatedAt = now
		if err := insertRules(ctx, w, t, r, false); err != nil {
			return err
		}
		type audited struct {
			Rules int `json:"rules"`
		}
		return w.Audit(t.Organization, by, store.Audited{Action: "tracker.reanalyse", Subject: t.Name, Before: audited{before}, After: audited{r.Version}}, now)
	}})
	return engine.Wrap(err, "add rules of tracker %s", t.Name)
}

func insertRules(ctx context.Context, w *store.Work, t *Tracker, r *analysing.Rules, newTracker bool) error {
	r.Organization, r.Tracker = t.Organization, t.ID
	return analysing.InsertRules(ctx, w, r, newTracker)
}

// SetTrackerState pauses or resumes a tracker and stores its next slots. It returns ErrChanged if
// the tracker has another version.
func (s *Store) SetTrackerState(t *Tracker, by account.Actor, now time.Time) error {
	// The lock on the organization keeps a sweep from starting and setting the next slot.
	err := s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		if err := expectTag(ctx, w, t.Organization, t.ID, by); err != nil {
			return err
		}
		had, err := engine.FindValues[string](ctx, w, `SELECT state FROM trackers WHERE organization = $1 AND id = $2`, t.Organization, t.ID)
		if err != nil {
			return err
		}
		err = engine.ExpectChange(w.Run(ctx, `UPDATE trackers SET state = $4, next_slot = $5, due_at = $6, updated_at = $7, report_slot = $8, report_due_at = $9
			WHERE organization = $1 AND id = $2 AND version = $3 AND state <> 'deleting'`,
			t.Organization, t.ID, t.Version, string(t.State), engine.NullText(t.NextSlot), engine.NullMillis(t.DueAt), engine.Millis(now), engine.NullText(t.ReportSlot), engine.NullMillis(t.ReportDueAt)))
		if err != nil || had[0] == string(t.State) {
			return err
		}
		action := "tracker.resume"
		if t.State == earshot.TrackerPaused {
			action = "tracker.pause"
		}
		type audited struct {
			State string `json:"state"`
		}
		return w.Audit(t.Organization, by, store.Audited{Action: action, Subject: t.Name, Before: audited{had[0]}, After: audited{string(t.State)}}, now)
	}})
	return engine.Wrap(err, "set the state of tracker %s", t.Name)
}

// DueTrackers returns trackers whose next sweep is due, longest overdue first.
func (s *Store) DueTrackers(ctx context.Context, now time.Time, limit int) ([]*Tracker, error) {
	due, err := engine.RowsFromAllShards(ctx, s.DB, TrackersTable, `WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at LIMIT $2`, engine.Millis(now), limit)
	return due, engine.Wrap(err, "find due trackers")
}

// TrackersToAnalyse lists trackers without rules of this or a later version of the code.
func (s *Store) TrackersToAnalyse(ctx context.Context, code int) ([]*Tracker, error) {
	all, err := engine.RowsFromAllShards(ctx, s.DB, TrackersTable, `WHERE state <> 'deleting' AND NOT EXISTS (
		SELECT 1 FROM tracker_rules r WHERE r.organization = trackers.organization AND r.tracker = trackers.id AND r.code >= $1)`, code)
	return all, engine.Wrap(err, "list trackers to analyse")
}

// TrackersWithOldRules lists trackers that may have unused analyses.
func (s *Store) TrackersWithOldRules(ctx context.Context) ([]*Tracker, error) {
	all, err := engine.RowsFromAllShards(ctx, s.DB, TrackersTable, `WHERE EXISTS (
		SELECT 1 FROM tracker_rules r WHERE r.organization = trackers.organization AND r.tracker = trackers.id AND r.state = 'old' AND r.cursor <> $1)`, uuid.Max.String())
	return all, engine.Wrap(err, "list trackers with old rules")
}
