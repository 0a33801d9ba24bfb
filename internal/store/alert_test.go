package store_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/alerting"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

// TestDetectorsProcessASweepOnce lets two nodes run the detectors of a tracker on the same sweeps.
// Each alert must exist once, with one delivery to each channel, and the sweeps must be processed
// in the order in which they were due.
func TestDetectorsProcessASweepOnce(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		stores := []*store.Store{storetest.OpenVirtual(t, address), nil}
		if stores[1] = stores[0]; store.Shared(address) {
			stores[1] = storetest.OpenVirtual(t, address)
		}
		s := stores[0]
		o := storetest.Organization(t, s, 10, 1000)
		f := aTracker(t, s, o, aNode(t, s), 30)
		const sweeps = 6
		for i := range sweeps {
			f.close(f.start(fmt.Sprint(i), 0, "2026-11", nil))
		}
		late := f.start("late", 1, "2026-11", nil) // still running when later sweeps have ended
		after := f.start("after", 0, "2026-11", nil)
		f.close(after)
		var stepped atomic.Int64
		var group errgroup.Group
		for i := range 4 {
			group.Go(func() error {
				for {
					done, err := stepNext(t, stores[i%2], f.t)
					switch {
					case errors.Is(err, store.ErrNotFound):
						return nil
					case errors.Is(err, store.ErrChanged): // the other node has processed it
					case err != nil:
						return err
					default:
						stepped.Add(1)
						if done.ID == after.ID {
							t.Error("a sweep was processed before an earlier one had ended")
						}
					}
				}
			})
		}
		f.must(group.Wait())
		expectAlerts(t, f, sweeps, stepped.Load())
		f.work(`{}`)
		f.record()
		f.close(late)
		for range 2 {
			_, err := stepNext(t, s, f.t)
			f.must(err)
		}
		expectAlerts(t, f, sweeps+2, stepped.Load()+2)
		waiting, err := alerting.New(s).AwaitingDetection(t.Context(), 10)
		if err != nil || len(waiting) != 0 {
			t.Errorf("left are %v, %v", waiting, err)
		}
		f.must(tracking.New(s).DeleteTracker(t.Context(), o.ID, "shoes", account.Operator(), time.Now()))
		f.tidy(time.Now().Add(time.Minute))
		counts, err := s.Counts(t.Context(), "series", "alerts", "alert_deliveries", "deliveries")
		if err != nil || fmt.Sprint(counts) != "[0 0 0 0]" {
			t.Errorf("of a deleted tracker there are left %v, %v", counts, err)
		}
		storetest.Audited(t, s)
	})
}

// stepNext processes the next sweep as a node does.
func stepNext(t *testing.T, s *store.Store, tracker *tracking.Tracker) (*tracking.Sweep, error) {
	t.Helper()
	sweep, err := alerting.New(s).NextForDetection(t.Context(), tracker)
	if err != nil {
		return nil, err
	}
	watch, err := alerting.New(s).Watch(t.Context(), tracker)
	if err != nil {
		return nil, err
	}
	return sweep, alerting.New(s).SaveDetection(tracker, sweep, alerting.Detection{
		Steps:  watch.Steps,
		Series: []*alerting.Series{{Organization: tracker.Organization, Tracker: tracker.ID, Metric: "visibility", Brand: "a", Target: "b", State: fmt.Append(nil, watch.Steps+1)}},
		Alerts: []*alerting.Alert{{
			Organization: tracker.Organization, Tracker: tracker.ID, ID: uuid.Must(uuid.NewV7()).String(), Kind: earshot.AlertShift, Subject: sweep.Slot,
			Sweep: sweep.ID, RaisedAt: time.Now(), Content: []byte(`{}`),
		}},
		Channels: []string{"ops", "board"},
	}, time.Now())
}

// expectAlerts expects an alert for each sweep, with its deliveries.
func expectAlerts(t *testing.T, f *follow, sweeps int, stepped int64) {
	t.Helper()
	watch, err := alerting.New(f.s).Watch(t.Context(), f.t)
	if err != nil || watch.Steps != int64(sweeps) || stepped != int64(sweeps) || len(watch.Open) != sweeps || len(watch.Series) != 1 || string(watch.Series[0].State) != fmt.Sprint(sweeps) {
		t.Errorf("after %d of %d sweeps the tracker has %+v, %v", stepped, sweeps, watch, err)
	}
	counts, err := f.s.Counts(t.Context(), "alerts", "alert_deliveries", "deliveries")
	if want := fmt.Sprint([]int{sweeps, 2 * sweeps, 2 * sweeps}); err != nil || fmt.Sprint(counts) != want {
		t.Errorf("there are %v alerts and deliveries, want %s: %v", counts, want, err)
	}
	storetest.Audited(t, f.s)
}

func TestAnAcknowledgedAlertMakesRoomForTheNext(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.OpenVirtual(t, address)
		o := storetest.Organization(t, s, 10, 1000)
		f := aTracker(t, s, o, aNode(t, s), 30)
		f.close(f.start("first", 0, "2026-11", nil))
		_, err := stepNext(t, s, f.t)
		f.must(err)
		open, err := alerting.New(s).Alerts(t.Context(), f.t, alerting.AlertFilter{Open: true, Limit: 10})
		if err != nil || len(open) != 1 {
			t.Fatalf("open are %v, %v", open, err)
		}
		for _, by := range []string{"ada", "bob"} { // only the first is recorded
			seen, err := alerting.New(s).AcknowledgeAlert(f.t, open[0].ID, account.Actor{Kind: account.ActorKey, ID: by}, time.Now())
			if err != nil || seen.AcknowledgedBy != "ada" || seen.AcknowledgedAt.IsZero() {
				t.Errorf("acknowledged is %+v, %v", seen, err)
			}
		}
		open, err = alerting.New(s).Alerts(t.Context(), f.t, alerting.AlertFilter{Open: true, Limit: 10})
		all, err2 := alerting.New(s).Alerts(t.Context(), f.t, alerting.AlertFilter{Kind: earshot.AlertShift, Limit: 10})
		if err != nil || err2 != nil || len(open) != 0 || len(all) != 1 {
			t.Errorf("open are %v, all %v, %v %v", open, all, err, err2)
		}
		if _, err := alerting.New(s).AcknowledgeAlert(f.t, uuid.NewString(), account.Operator(), time.Now()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("acknowledging an unknown alert: %v", err)
		}
	})
}
