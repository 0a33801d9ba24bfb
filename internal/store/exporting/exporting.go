// Package exporting stores which days of trackers must be exported, and which node exports them.
// Days wait again whenever their data changes. It also stores the rows of exported tables that SQL
// views show (rows.go).
package exporting

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Store adds the days to export to a store. It is safe for concurrent use.
type Store struct {
	*store.Store
}

// New adds the days to export to a store.
func New(s *store.Store) *Store { return &Store{s} }

// Day is a day of a tracker that must be exported.
type Day struct {
	Organization string
	Tracker      string
	Day          int64 // UTC day since 1970-01-01
	Changes      int64 // number of changes of the day's data
	version      int64 // number of this attempt to export the day
	leasedUntil  int64 // identifies the node that exports the day
}

// DayOf returns the UTC day of a moment.
func DayOf(t time.Time) int64 { return t.Unix() / secondsOfDay }

// Start returns the beginning of the day.
func (d *Day) Start() time.Time { return time.Unix(d.Day*secondsOfDay, 0).UTC() }

const secondsOfDay = 24 * 60 * 60

var (
	daysTable = engine.NewTable("export_days",
		engine.Field("organization", "uuid", func(d *Day) *string { return &d.Organization }),
		engine.Field("tracker", "uuid", func(d *Day) *string { return &d.Tracker }),
		engine.IntField("day", func(d *Day) *int64 { return &d.Day }),
		engine.IntField("changes", func(d *Day) *int64 { return &d.Changes }),
		engine.IntField("version", func(d *Day) *int64 { return &d.version }),
		engine.IntField("leased_until", func(d *Day) *int64 { return &d.leasedUntil }))
	changeDays = daysTable.Insert(`ON CONFLICT (organization, tracker, day) DO UPDATE SET changes = export_days.changes + 1`)
)

// NoteChanged marks days of a tracker to be exported again.
func NoteChanged(ctx context.Context, t *engine.Tx, organization, tracker string, days []int64) error {
	var all []*Day
	for _, day := range days {
		all = append(all, &Day{Organization: organization, Tracker: tracker, Day: day, Changes: 1})
	}
	return engine.Each(ctx, t, changeDays, all, nil)
}

// Claim leases a day that waits for its export. The newest comes first, so that a long
// backlog does not delay today's export. It returns ErrNotFound if no day waits, and
// ErrChanged if another node has leased the day.
func (s *Store) Claim(ctx context.Context, lease time.Duration, now time.Time) (*Day, error) {
	days, err := engine.RowsFromAllShards(ctx, s.DB, daysTable, `WHERE written < changes AND leased_until <= $1 ORDER BY leased_until, day DESC LIMIT 1`, engine.Millis(now))
	if err == nil && len(days) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("find a day to export: %w", err)
	}
	day := slices.MinFunc(days, func(a, b *Day) int {
		return cmp.Or(cmp.Compare(a.leasedUntil, b.leasedUntil), cmp.Compare(b.Day, a.Day))
	})
	until := engine.Millis(now.Add(lease))
	err = s.update(day, `version = version + 1, leased_until = $6`, until)
	day.version, day.leasedUntil = day.version+1, until
	return day, err
}

// Lease extends the lease of a day. It returns ErrChanged if another node has it.
func (s *Store) Lease(day *Day, until time.Time) error {
	err := s.update(day, `leased_until = $6`, engine.Millis(until))
	day.leasedUntil = engine.Millis(until)
	return err
}

// End records that a day was exported with the changes it had when it was claimed. If withRows,
// the views show the rows of this attempt from now on, otherwise no rows of the day. It returns
// ErrChanged.
func (s *Store) End(day *Day, withRows bool, now time.Time) error {
	shown := int64(0)
	if withRows {
		shown = day.version
	}
	return s.update(day, `leased_until = 0, written = $6, written_at = $7, failure = NULL, shown = $8`, day.Changes, engine.Millis(now), shown)
}

// Fail records why a day could not be exported, and when to try again. It returns
// ErrChanged.
func (s *Store) Fail(day *Day, failure string, again time.Time) error {
	return s.update(day, `leased_until = $6, failure = $7`, engine.Millis(again), failure)
}

// NoteShown marks the days of a tracker whose rows the views show.
func NoteShown(ctx context.Context, t *engine.Tx, organization, tracker string) error {
	_, err := t.ExecContext(ctx, `UPDATE export_days SET changes = changes + 1 WHERE organization = $1 AND tracker = $2 AND shown > 0`, organization, tracker)
	return err
}

// Expire marks the days whose rows the views show although answers of the day may be deleted.
func (s *Store) Expire(now time.Time) error {
	err := s.RunOnAllShards(`UPDATE export_days SET changes = changes + 1 WHERE shown > 0 AND written = changes
		AND day <= $1 - (SELECT keep_days FROM trackers t WHERE t.organization = export_days.organization AND t.id = export_days.tracker)`, DayOf(now))
	return engine.Wrap(err, "look for expired days")
}

// update changes a day that this node has leased, or that nobody has claimed since it was read.
func (s *Store) update(day *Day, set string, args ...any) error {
	err := engine.ExpectChange(s.ShardOf(day.Organization).Run(`UPDATE export_days SET `+set+` WHERE organization = $1 AND tracker = $2 AND day = $3 AND leased_until = $4 AND version = $5`,
		append([]any{day.Organization, day.Tracker, day.Day, day.leasedUntil, day.version}, args...)...))
	return engine.Wrap(err, "update the state of an export")
}

// State is the state of a tracker's exports.
type State struct {
	Waiting   int       // number of days that wait for their export
	WrittenAt time.Time // when a day was last exported; zero for never
	Failure   string    // why a waiting day could not be exported, or ""
}

// State returns the state of a tracker's exports.
func (s *Store) State(ctx context.Context, organization, tracker string) (state State, err error) {
	err = engine.First(ctx, s.ShardOf(organization).Lookups, func(r engine.Scanner) error {
		return r.Scan(&state.Waiting, engine.MillisInto(&state.WrittenAt), &state.Failure)
	}, `SELECT COUNT(CASE WHEN written < changes THEN 1 END), MAX(written_at), COALESCE(MAX(CASE WHEN written < changes THEN failure END), '')
		FROM export_days WHERE organization = $1 AND tracker = $2`, organization, tracker)
	return state, engine.Wrap(err, "read the exports of tracker %s", tracker)
}
