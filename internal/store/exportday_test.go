package store_test

import (
	"errors"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
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
