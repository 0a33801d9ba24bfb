package store_test

import (
	"errors"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/exporting"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

func TestADayIsExportedByOneNodeAtATime(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		now := s.Now()
		o := storetest.Organization(t, s, 1, 1)
		one := &tracking.Tracker{
			Organization: o.ID, ID: "0199c82c-c000-7000-8000-0000000000a1", Name: "hats", State: earshot.TrackerActive, Definition: []byte("{}"), KeepDays: 1, CreatedAt: now, UpdatedAt: now,
		}
		today := exporting.DayOf(now)
		change := func(days ...int64) {
			t.Helper()
			if err := tracking.New(s).ApplyTracker(one, one.Version, nil, nil, nil, days, account.Operator(), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		claim := func(at time.Time, want int64) *exporting.Day {
			t.Helper()
			day, err := exporting.New(s).Claim(t.Context(), time.Minute, at)
			if want == 0 && !errors.Is(err, store.ErrNotFound) || want != 0 && (err != nil || day.Day != want) {
				t.Fatalf("claimed is %+v, %v, want %d", day, err, want)
			}
			return day
		}
		waiting := func(want int) {
			t.Helper()
			if state, err := exporting.New(s).State(t.Context(), one.Organization, one.ID); err != nil || state.Waiting != want {
				t.Errorf("%+v, %v, want %d to wait", state, err, want)
			}
		}
		change(today-1, today)
		first := claim(now, today) // the newest day
		second := claim(now, today-1)
		claim(now, 0)
		if err := exporting.New(s).End(second, false, now); err != nil {
			t.Fatal(err)
		}
		waiting(1)
		change(today) // during the export
		if err := errors.Join(exporting.New(s).Lease(first, now.Add(2*time.Minute)), exporting.New(s).End(first, false, now)); err != nil {
			t.Fatal(err)
		}
		waiting(1)
		lost := claim(now, today)                   // its node is killed
		claim(now.Add(59*time.Second), 0)           // the lease has not ended
		taken := claim(now.Add(time.Minute), today) // another node takes over
		if err := exporting.New(s).End(lost, false, now); !errors.Is(err, store.ErrChanged) {
			t.Errorf("the killed node ends the export: %v", err)
		}
		if err := exporting.New(s).Lease(lost, now.Add(time.Hour)); !errors.Is(err, store.ErrChanged) {
			t.Errorf("the killed node renews the lease: %v", err)
		}
		waiting(1)
		if err := exporting.New(s).Fail(taken, "full", now.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		claim(now, 0)
		if err := exporting.New(s).End(claim(now.Add(time.Minute), today), false, now); err != nil {
			t.Fatal(err)
		}
		waiting(0)
	})
}

func TestRowsOfADayAreShownAtOnce(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		now := s.Now()
		o := storetest.Organization(t, s, 1, 1)
		tracker := &tracking.Tracker{
			Organization: o.ID, ID: "0199c82c-c000-7000-8000-0000000000a1", Name: "hats", State: earshot.TrackerActive, Definition: []byte("{}"), KeepDays: 1, CreatedAt: now, UpdatedAt: now,
		}
		type citation struct {
			Answer   string   `json:"answer" sql:",uuid"`
			Sweep    string   `json:"sweep" sql:",uuid"`
			AskedAt  int64    `json:"askedAt"`
			PromptID int64    `json:"promptId"`
			Target   string   `json:"target"`
			Surface  string   `json:"surface"`
			Via      *string  `json:"via"`
			Rules    string   `json:"rules"`
			URL      string   `json:"url"`
			Domain   string   `json:"domain"`
			Type     []string `json:"type"`
			Position int64    `json:"position"`
		}
		table := exporting.NewRows[citation]("citations")
		days := exporting.New(s)
		claim := func() *exporting.Day {
			t.Helper()
			if err := tracking.New(s).ApplyTracker(tracker, tracker.Version, nil, nil, nil, []int64{exporting.DayOf(now)}, account.Operator(), now); err != nil {
				t.Fatal(err)
			}
			day, err := days.Claim(t.Context(), time.Minute, now)
			if err != nil {
				t.Fatal(err)
			}
			return day
		}
		write := func(day *exporting.Day, n int) {
			t.Helper()
			if err := days.DeleteUnshown(t.Context(), day); err != nil {
				t.Fatal(err)
			}
			err := table.Write(t.Context(), days, day, func(yield func(citation, error) bool) {
				for range n {
					if !yield(citation{Answer: store.NewID(), Sweep: store.NewID(), URL: "a\x00b\xff"}, nil) {
						return
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		expect := func(what string, shown, stored int64) {
			t.Helper()
			found, err := engine.FindValues[int64](t.Context(), s.ShardOf(o.ID).Lookups, `SELECT COUNT(*) FROM report_citations UNION ALL SELECT COUNT(*) FROM exported_citations`)
			if err != nil || found[0] != shown || found[1] != stored {
				t.Errorf("%s: %v rows are shown and stored, want %d and %d, %v", what, found, shown, stored, err)
			}
		}
		first := claim()
		write(first, 600) // more than a batch
		expect("not all rows are written", 0, 600)
		if err := days.End(first, true, now); err != nil {
			t.Fatal(err)
		}
		expect("the day is written", 600, 600)
		if urls, err := engine.FindValues[string](t.Context(), s.ShardOf(o.ID).Lookups, `SELECT DISTINCT url FROM report_citations`); err != nil || urls[0] != "ab\ufffd" {
			t.Errorf("the text is %q, %v", urls, err)
		}
		second := claim()
		write(second, 3)
		if err := days.Fail(second, "full", now); err != nil {
			t.Fatal(err)
		}
		expect("an attempt failed", 600, 603)
		third := claim()
		write(third, 700)
		expect("another attempt", 600, 1300)
		write(second, 0) // its node does not know yet that it lost the day
		expect("a late node", 600, 1300)
		if err := errors.Join(days.End(third, true, now), days.DeleteRows(t.Context(), third)); err != nil {
			t.Fatal(err)
		}
		expect("the day is replaced", 700, 700)
	})
}
