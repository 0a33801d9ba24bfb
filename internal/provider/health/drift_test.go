package health_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider/health"
	"earshot/internal/store/outbound"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream/capture"
)

// hours counts ten documents in each hour from noon + from until noon + until, and checks the
// detectors after each hour.
func hours(t *testing.T, w *health.Watch, d health.Document, from, until, labels int) {
	t.Helper()
	for hour := from; hour < until; hour++ {
		at := noon.Add(time.Duration(hour) * time.Hour)
		for i := range 10 {
			filled := labels - (hour+i)%2 // varies a little
			w.Answer(d, result(max(0, filled), 10-max(0, filled)), at)
		}
		w.Flush()
		check(t, w, at.Add(90*time.Minute))
	}
}

func check(t *testing.T, w *health.Watch, now time.Time) {
	t.Helper()
	if err := w.Check(t.Context(), now); err != nil {
		t.Fatal(err)
	}
}

func TestFallingFieldRaisesAlarmUntilItRecovers(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := outbound.New(storetest.Open(t, address).DB)
		node := func() *health.Watch { return health.New(s, nil, func(err error) { t.Error(err) }) }
		state := func(hour int) (earshot.HealthState, earshot.FieldHealth) {
			t.Helper()
			state, fields := report(t, s, noon.Add(time.Duration(hour)*time.Hour))
			if text := fields["text"].State; text == "alarm" || text == "low" {
				t.Errorf("the state of a field that is always filled is %s", text)
			}
			return state, fields["sources.label"]
		}
		w := node()
		hours(t, w, chat, 0, 9, 9)
		if all, _ := state(9); all != "unknown" {
			t.Errorf("after 9 hours the state is %s, want unknown", all)
		}
		hours(t, w, chat, 9, 48, 9)
		if all, _ := state(48); all != "ok" {
			t.Errorf("without a fall the state is %s", all)
		}
		hours(t, w, chat, 48, 52, 3)
		all, label := state(52)
		if all != "alarm" || label.State != "alarm" || label.Since == nil || !label.Since.Equal(noon.Add(48*time.Hour)) {
			t.Errorf("4 hours after the fall the state is %s, %+v", all, label)
		}
		hours(t, node(), chat, 52, 80, 3) // after a restart, and much longer than the detector needs to adapt
		if all, label := state(80); all != "alarm" || label.State != "alarm" {
			t.Errorf("the alarm ended by itself: %s, %+v", all, label)
		}
		hours(t, w, chat, 80, 83, 9)
		if _, label := state(83); label.State == "alarm" {
			t.Errorf("after 3 hours as before, the alarm is still open: %+v", label)
		}
		hours(t, w, chat, 83, 110, 9)
		hours(t, w, chat, 110, 116, 1)
		if all, _ := state(116); all != "alarm" {
			t.Errorf("the second fall has the state %s, want alarm", all)
		}
		if n, err := s.AcknowledgeFields("chat/web", noon.Add(116*time.Hour).Unix()/3600); n == 0 || err != nil {
			t.Errorf("acknowledged %d, %v", n, err)
		}
		if all, label := state(116); all == "alarm" || label.Since != nil {
			t.Errorf("an acknowledged alarm is still open: %s, %+v", all, label)
		}
		hours(t, w, chat, 116, 140, 1)
		if all, _ := state(140); all != "ok" {
			t.Errorf("a day after the acknowledgement the state is %s, want ok", all)
		}
	})
}

// layout returns the report of a layout version, and the number of layout versions.
func layout(t *testing.T, s *outbound.Store, version string, now time.Time) (found earshot.LayoutHealth, all int) {
	t.Helper()
	providers, err := health.Report(t.Context(), s, now)
	if err != nil || len(providers) != 1 {
		t.Fatalf("%+v, %v", providers, err)
	}
	i := slices.IndexFunc(providers[0].Layouts, func(l earshot.LayoutHealth) bool { return l.Layout == version })
	if i < 0 {
		t.Fatalf("%s is missing in %+v", version, providers[0].Layouts)
	}
	return providers[0].Layouts[i], len(providers[0].Layouts)
}

func TestFieldsAreWatchedByLayoutVersion(t *testing.T) {
	t.Parallel()
	s := outbound.New(storetest.Open(t, t.TempDir()+"/earshot.db").DB)
	w := health.New(s, nil, func(err error) { t.Error(err) })
	check(t, w, noon.Add(-time.Hour))
	a, b := chat, chat
	a.Layout, b.Layout = "aaaaaa", "bbbbbb"
	for hour := range 40 {
		labels := 9
		if hour >= 30 {
			labels = 2
		}
		for range 29 {
			w.Answer(a, result(9, 1), noon.Add(time.Duration(hour)*time.Hour))
		}
		hours(t, w, b, hour, hour+1, labels)
	}
	now := noon.Add(40 * time.Hour)
	first, n := layout(t, s, "aaaaaa", now)
	second, _ := layout(t, s, "bbbbbb", now)
	if n != 2 || first.State != "ok" || second.State != "alarm" || first.Seen <= second.Seen || first.Share+second.Share != 1 {
		t.Errorf("%d layouts, %+v, %+v", n, first, second)
	}
	if !second.FirstSeen.Equal(noon) || !second.LastSeen.Equal(noon.Add(39*time.Hour)) {
		t.Errorf("seen from %v to %v", second.FirstSeen, second.LastSeen)
	}
	for i := range 40 {
		d := chat
		d.Pages = [][]byte{fmt.Appendf(nil, `{"name%d": 1, "same": {"content": %d}}`, i, i)}
		w.Answer(d, result(1, 0), now)
		d.Pages = [][]byte{fmt.Appendf(nil, `{"same": 2, "name%d": "other content"}`, i)}
		w.Answer(d, result(1, 0), now)
	}
	w.Flush()
	if other, n := layout(t, s, "other", now); n != 21 || other.Seen != 2*(40-18) {
		t.Errorf("%d layouts, %d documents have other layouts", n, other.Seen)
	}
}

// keptBy returns the reasons of the pages that were kept, and checks that their documents exist.
func keptBy(t *testing.T, s *outbound.Store, pages capture.Store) []string {
	t.Helper()
	kept, err := s.KeptPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, k := range kept {
		reasons = append(reasons, strings.TrimSpace(k.Reason+" "+k.Note))
		if page, err := pages.Page(t.Context(), k.ID, 1); err != nil || !strings.HasPrefix(string(page), "<p>") {
			t.Errorf("the page is %q, %v", page, err)
		}
	}
	slices.Sort(reasons)
	return reasons
}

func TestPagesThatShowSomethingNewAreKept(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := outbound.New(storetest.Open(t, address).DB)
		dir := t.TempDir()
		pages, err := capture.OpenKept(t.Context(), "", dir)
		if err != nil {
			t.Fatal(err)
		}
		node := func(now time.Time) *health.Watch {
			w := health.New(s, pages, func(err error) { t.Error(err) })
			check(t, w, now)
			return w
		}
		page := chat
		page.Layout, page.Pages = "aaaaaa", [][]byte{[]byte("<p>one"), []byte("<p>two")}
		one, other := node(noon), node(noon)
		for range 5 { // two nodes see a new layout version at the same time
			one.Answer(page, result(1, 0), noon)
			other.Answer(page, result(1, 0), noon)
		}
		one.Flush()
		other.Flush()
		want := []string{"layout", "layout", "layout"}
		if got := keptBy(t, s, pages); !slices.Equal(got, want) {
			t.Errorf("kept %v, want %v", got, want)
		}
		later := noon.Add(25 * time.Hour)
		one = node(later)
		one.Answer(page, result(1, 0), later) // nothing is new
		block, _ := json.Marshal(map[string]any{"layout": []earshot.LayoutBlock{{Type: earshot.BlockUnknown, Title: "Quick facts"}}})
		one.Answer(page, block, later)
		one.Unreadable(page, later)
		one.Flush()
		want = append([]string{"block Quick facts"}, append(want, "unreadable")...)
		if got := keptBy(t, s, pages); !slices.Equal(got, want) {
			t.Errorf("kept %v, want %v", got, want)
		}
		if err := s.DeleteDrift(noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got := keptBy(t, s, pages); len(got) != 2 {
			t.Errorf("after the deletion there are %v", got)
		}
	})
}

func TestPagesWithoutAFieldThatHasAnAlarmAreKept(t *testing.T) {
	t.Parallel()
	s := outbound.New(storetest.Open(t, t.TempDir()+"/earshot.db").DB)
	pages, err := capture.NewFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := health.New(s, pages, func(err error) { t.Error(err) })
	hours(t, w, chat, 0, 30, 9)
	hours(t, w, chat, 30, 34, 1)
	page := chat
	page.Pages = [][]byte{[]byte("<p>page")}
	at := noon.Add(35 * time.Hour)
	w.Answer(page, result(2, 0), at)
	page.Layout = "bbbbbb"
	w.Answer(page, result(0, 2), at)
	w.Answer(page, result(0, 2), at.Add(24*time.Hour)) // the layout is no longer new
	w.Flush()
	want := []string{"alarm sources.label", "layout", "layout"}
	if got := keptBy(t, s, pages); !slices.Equal(got, want) {
		t.Errorf("kept %v, want %v", got, want)
	}
}
