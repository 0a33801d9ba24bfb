package track_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/files/exportfile"
	"earshot/internal/store"
	"earshot/internal/store/alerting"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track"
)

// TestReportIsSentOncePerSlot runs two nodes for eight weeks; both are down for two of them.
// The report of every slot is sent once while a node is up. Of the slots that passed while
// both were down, only the last report is sent, late.
func TestReportIsSentOncePerSlot(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		berlin, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Date(2026, 3, 11, 12, 0, 0, 0, berlin) // a Wednesday; clocks change on 29 March
		w := newWorld(t, address, start)
		for _, name := range []string{"board", "ops"} {
			if _, err := w.services[0].SaveChannel(t.Context(), w.organization, name, &earshot.ChannelRequest{Kind: earshot.ChannelSlack, URL: "https://receiver.example"}, account.Operator(), start); err != nil {
				t.Fatal(err)
			}
		}
		w.apply("hats", `
prompts: [best hats]
targets: [{provider: chatassistant, country: US}]
alerts: {channels: [ops]}
reports: {every: week, at: "08:00", timezone: Europe/Berlin, channels: [board, ops]}
`)
		var sent []string
		for week := range 8 {
			monday := time.Date(2026, 3, 16+7*week, 8, 0, 0, 0, berlin)
			if week == 3 || week == 4 {
				continue // both nodes are down
			}
			w.now = monday.Add(-time.Minute)
			w.step()
			w.now = monday.Add(time.Duration(w.random.IntN(120)) * time.Minute)
			w.step()
			w.step()
			if week == 6 {
				w.setState("hats", earshot.TrackerPaused)
				w.setState("hats", earshot.TrackerActive)
			}
			if week == 5 {
				sent = append(sent, "2026-04-13T08:00 Europe/Berlin") // sent late, a minute before the next report
			}
			sent = append(sent, monday.Format(civil)+" Europe/Berlin")
		}
		hats, err := tracking.New(w.store).Tracker(t.Context(), w.organization, "hats")
		if err != nil {
			t.Fatal(err)
		}
		for _, slot := range sent {
			report, deliveries, err := alerting.New(w.store).SentReport(t.Context(), hats, slot)
			if err != nil || len(deliveries) != 2 {
				t.Errorf("%s: %d deliveries, %v", slot, len(deliveries), err)
				continue
			}
			day := slot[:len(time.DateOnly)]
			if day == "2026-03-16" && !strings.Contains(string(report.Content), `"from":"2026-03-09","to":"2026-03-15"`) {
				t.Errorf("the content of the report is %s", report.Content)
			}
		}
		all, err := w.store.Deliveries(t.Context(), w.organization, store.DeliveryFilter{Limit: 100})
		if err != nil || len(all) != 2*len(sent) {
			t.Errorf("there are %d deliveries of %d reports to two channels, %v", len(all), len(sent), err)
		}
		storetest.Audited(t, w.store)
	})
}

func TestPeriodOfAReport(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address, time.Date(2026, 3, 31, 9, 0, 0, 0, time.UTC))
		if _, err := w.services[0].SaveChannel(t.Context(), w.organization, "board", &earshot.ChannelRequest{Kind: earshot.ChannelSlack, URL: "https://receiver.example"}, account.Operator(), w.now); err != nil {
			t.Fatal(err)
		}
		for i, test := range []struct{ plan, from, to, baseline string }{
			{`every: day`, "2026-03-24", "2026-03-30", "baselineFrom=2026-03-17&baselineTo=2026-03-23"},
			{`every: week, days: 14`, "2026-03-17", "2026-03-30", "baselineFrom=2026-03-03&baselineTo=2026-03-16"},
			{`every: month, monthDay: 31`, "2026-02-28", "2026-03-30", "baselineFrom=2026-01-31&baselineTo=2026-02-27"},
		} {
			name := fmt.Sprintf("t%d", i)
			w.apply(name, "prompts: [best hats]\ntargets: [{provider: chatassistant, country: US}]\nreports: {"+test.plan+", channels: [board]}\n")
			sent, err := w.services[0].SendReport(t.Context(), w.organization, name, "", w.now)
			if err != nil || sent.Report.From != test.from || sent.Report.To != test.to || !strings.Contains(sent.Report.URL, test.baseline) {
				t.Errorf("%s: %+v, %v", test.plan, sent, err)
			}
			again, err := w.services[0].SendReport(t.Context(), w.organization, name, "", w.now.Add(time.Second))
			if err != nil || again.Report.ID != sent.Report.ID {
				t.Errorf("in the same minute: %+v, %v", again, err)
			}
		}
	})
}

// place is a folder that detects concurrent writes to the same file and can simulate a full
// disk.
type place struct {
	*exportfile.Folder
	mu      sync.Mutex
	writing map[string]bool
	writes  int
	twice   []string
	broken  bool
}

func (p *place) Write(ctx context.Context, path string, pieces iter.Seq2[[]byte, error]) error {
	p.mu.Lock()
	if p.writing[path] {
		p.twice = append(p.twice, path)
	}
	p.writing[path] = true
	p.writes++
	broken := p.broken
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.writing, path)
	}()
	if broken {
		return errors.New("the disk /secret/path is full")
	}
	return p.Folder.Write(ctx, path, pieces)
}

// written returns the number of writes since its last call.
func (p *place) written() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.writes
	p.writes = 0
	return n
}

func (p *place) setBroken(broken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = broken
}

// TestDaysAreExportedAgainWhenTheyChange checks the files of a tracker after sweeps, changed
// rules, a full disk, and the expiry of answers.
func TestDaysAreExportedAgainWhenTheyChange(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		dir := t.TempDir()
		folder, err := exportfile.NewFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		p := &place{Folder: folder, writing: map[string]bool{}}
		// Answers are found by their ids, which contain the real time.
		w := newWorld(t, address, time.Now(), func(cfg *track.Config) { cfg.Exports = p })
		definition := "brands: [{name: %s}]\nprompts: [best hats]\ntargets: [{provider: chatassistant, country: US}]\nkeep: 5d\nexports: {tables: [%s], format: ndjson}\n"
		w.apply("hats", fmt.Sprintf(definition, "Ollaro", "answers, sweeps"))
		both := func() {
			var nodes sync.WaitGroup
			for i := range w.services {
				nodes.Go(func() { w.stepOf(i) })
			}
			nodes.Wait()
		}
		sweep := func() {
			if _, err := w.services[0].RunNow(t.Context(), w.organization, "hats", earshot.SweepRequest{}, account.Operator(), w.now); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				both()
				w.work()
			}
			both()
		}
		// rows counts the rows of a table over all days, because the test may run at midnight.
		rows := func(table string) (n int) {
			files, err := filepath.Glob(filepath.Join(dir, "organization="+w.organization, "tracker=hats", "table="+table, "day=????-??-??", "*"))
			if err != nil {
				t.Error(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil || filepath.Base(file) != "part-0.ndjson" {
					t.Errorf("%s: %v", file, err)
				}
				n += strings.Count(string(text), "\n")
			}
			return n
		}
		expect := func(what string, written bool, n int) {
			t.Helper()
			if writes := p.written(); writes > 0 != written || rows("answers") != n || rows("sweeps") != n {
				t.Errorf("%s: %d files were written with %d answers and %d sweeps; want %d", what, writes, rows("answers"), rows("sweeps"), n)
			}
		}
		both()
		expect("before the first sweep", false, 0)
		sweep()
		expect("a sweep", true, 1)
		both()
		expect("no changes", false, 1)
		sweep()
		expect("another sweep of the same day", true, 2)

		w.apply("hats", fmt.Sprintf(definition, "Kestrin", "answers, sweeps"))
		for range 8 { // until the answers are analysed again
			w.stepOf(0)
		}
		expect("other brand names", true, 2)

		p.setBroken(true)
		sweep()
		view, err := w.services[0].Get(t.Context(), w.organization, "hats", w.now)
		if err != nil || view.Exports.DaysWaiting == 0 || view.Exports.Error == "" || strings.Contains(view.Exports.Error, "secret") {
			t.Errorf("with a full disk the exports are %+v, %v", view.Exports, err)
		}
		p.setBroken(false)
		p.written()
		both()
		expect("before the retry", false, 2)
		w.now = w.now.Add(2 * time.Minute)
		both()
		expect("after the retry", true, 3)
		view, err = w.services[1].Get(t.Context(), w.organization, "hats", w.now)
		if err != nil || view.Exports.DaysWaiting != 0 || view.Exports.Error != "" || view.Exports.WrittenAt == nil {
			t.Errorf("after the retry the exports are %+v, %v", view.Exports, err)
		}

		w.apply("hats", fmt.Sprintf(definition, "Kestrin", "sweeps, answers, metrics"))
		both()
		expect("other tables", true, 3)
		w.now = w.now.AddDate(0, 0, 6)
		w.apply("hats", fmt.Sprintf(definition, "Kestrin", "answers, sweeps"))
		both()
		expect("files of expired answers stay unchanged", false, 3)
		if len(p.twice) > 0 {
			t.Errorf("two nodes wrote %v at the same time", p.twice)
		}
		if err := tracking.New(w.store).DeleteTracker(t.Context(), w.organization, "hats", account.Operator(), w.now); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := tracking.New(w.store).DeleteTracked(t.Context(), w.now); err != nil {
				t.Fatal(err)
			}
		}
		storetest.Audited(t, w.store)
	})
}
