package health_test

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/provider/health"
	"earshot/internal/store/outbound"
	"earshot/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var watched = []string{"text", "sources", "sources.label"}

// chat describes all documents in these tests.
var chat = health.Document{Provider: "chat", Surface: earshot.SurfaceWeb, Watched: watched, Asked: `{"query": "Desk lamps"}`}

// noon is a whole hour, so that minutes do not matter.
var noon = time.Date(2026, 9, 8, 12, 0, 0, 0, time.UTC)

// result returns a result with a text, with labels sources that have a label, and with bare sources
// that have none.
func result(labels, bare int) json.RawMessage {
	sources := append(slices.Repeat([]string{`{"label": "x"}`}, labels), slices.Repeat([]string{`{"label": ""}`}, bare)...)
	return json.RawMessage(`{"text": "hello", "sources": [` + strings.Join(sources, ",") + `]}`)
}

// report returns the state and the fields of the only provider, by name.
func report(t *testing.T, s *outbound.Store, now time.Time) (state earshot.HealthState, fields map[string]earshot.FieldHealth) {
	t.Helper()
	all, err := health.Report(t.Context(), s, now)
	if err != nil || len(all) != 1 || all[0].Provider != "chat" {
		t.Fatalf("the report is %+v, %v", all, err)
	}
	fields = map[string]earshot.FieldHealth{}
	for _, f := range all[0].Fields {
		fields[f.Field] = f
	}
	return all[0].State, fields
}

func TestCountsOfNodesAndHoursAreAdded(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := outbound.New(storetest.Open(t, address).DB)
		for range 2 { // nodes
			w := health.New(s, nil, func(err error) { t.Error(err) })
			w.Answer(chat, result(3, 1), noon)
			w.Answer(chat, json.RawMessage(`{"text": "", "sources": []}`), noon.Add(-5*time.Hour))
			w.Unreadable(chat, noon)
			w.Flush()
			w.Flush() // must add nothing
		}
		_, fields := report(t, s, noon.Add(time.Minute))
		for field, want := range map[string][4]int64{
			"text":            {2, 2, 4, 2},
			"sources":         {2, 2, 4, 2},
			"sources.label":   {8, 6, 8, 6},
			health.Understood: {4, 2, 6, 4},
		} {
			f := fields[field]
			if got := [4]int64{f.LastHour.Seen, f.LastHour.Filled, f.LastDay.Seen, f.LastDay.Filled}; got != want {
				t.Errorf("%s: %v, want %v", field, got, want)
			}
		}
		if state := fields["text"].State; state != "unknown" {
			t.Errorf("after four answers the state is %s, want unknown", state)
		}
	})
}

func TestCountsAreKeptWhenStoringFails(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/earshot.db"
	s := outbound.New(storetest.Open(t, file).DB)
	raw, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	rename := func(from, to string) {
		if _, err := raw.ExecContext(t.Context(), `ALTER TABLE `+from+` RENAME TO `+to); err != nil {
			t.Fatal(err)
		}
	}
	failures := 0
	w := health.New(s, nil, func(error) { failures++ })
	rename("extraction_counts", "away")
	w.Answer(chat, result(1, 0), noon)
	w.Flush()
	rename("away", "extraction_counts")
	w.Flush()
	if _, fields := report(t, s, noon); failures != 1 || fields["text"].LastHour.Seen != 1 {
		t.Errorf("%d failures, %+v", failures, fields)
	}
}

func TestSurfacesAreCountedSeparately(t *testing.T) {
	t.Parallel()
	s := outbound.New(storetest.Open(t, t.TempDir()+"/earshot.db").DB)
	w := health.New(s, nil, func(err error) { t.Error(err) })
	lab := chat
	lab.Surface = earshot.SurfaceLab
	w.Answer(chat, result(1, 0), noon)
	w.Unreadable(lab, noon)
	w.Flush()
	all, err := health.Report(t.Context(), s, noon)
	if err != nil || len(all) != 2 || all[0].Surface != earshot.SurfaceLab || all[1].Surface != earshot.SurfaceWeb ||
		all[0].Provider != "chat" || all[1].Provider != "chat" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestUnknownBlocksAreLimited(t *testing.T) {
	t.Parallel()
	s := outbound.New(storetest.Open(t, t.TempDir()+"/earshot.db").DB)
	w := health.New(s, nil, func(err error) { t.Error(err) })
	check(t, w, noon.Add(-time.Hour))
	page := func(title string) json.RawMessage {
		layout, _ := json.Marshal([]earshot.LayoutBlock{{Type: earshot.BlockOrganic}, {Type: earshot.BlockUnknown, Title: title}})
		return json.RawMessage(`{"layout": ` + string(layout) + `}`)
	}
	w.Answer(chat, page("Quick \x07facts"), noon)
	w.Answer(chat, page("Quick facts"), noon)
	w.Answer(chat, page("All about LAMPS"), noon) // repeats the query
	for i := range 300 {
		w.Answer(chat, page(strings.Repeat("x", 300)+strings.Repeat("y", i)), noon)
		w.Answer(chat, page("Random "+strconv.Itoa(i)), noon)
	}
	w.Flush()
	counts, err := s.FieldCounts(t.Context(), 0)
	if err != nil || len(counts) != 200+5 { // and the fields of chat
		t.Errorf("%d counts, %v", len(counts), err)
	}
	check(t, w, noon.Add(25*time.Hour))
	w.Answer(chat, page("New facts"), noon.Add(25*time.Hour)) // the headings of yesterday leave room
	w.Flush()
	all, err := health.Report(t.Context(), s, noon.Add(25*time.Hour))
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if unknown := all[0].UnknownBlocks; len(unknown) != 1 || unknown[0].Title != "New facts" || !unknown[0].FirstSeen.Equal(noon.Add(25*time.Hour)) {
		t.Errorf("a day later there are %+v", unknown)
	}
	all, err = health.Report(t.Context(), s, noon)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	unknown := all[0].UnknownBlocks
	if len(unknown) != 50 || unknown[0].Seen != 300 || len(unknown[0].Title) != 80 {
		t.Errorf("%d headings, %+v", len(unknown), unknown)
	}
	for _, block := range unknown {
		if block.Title == "Quick facts" && block.Seen != 2 || strings.Contains(block.Title, "LAMPS") || len(block.Title) > 80 {
			t.Errorf("%+v", block)
		}
	}
}
