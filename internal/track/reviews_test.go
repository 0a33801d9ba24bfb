package track_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/model"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track"
)

const reviewedTracker = `
brands: [{name: Ollaro, own: true, aliases: [Ollaro Road]}, {name: Kestrin}]
facts: [{brand: Ollaro, name: price of the Road, near: [Ollaro Road], is: 129 USD}]
prompts: [best shoes, light shoes, cheap shoes]
targets: [{provider: chatassistant, country: US}, {provider: chatassistant, country: DE}]
`

// sweep runs a sweep to its end.
func (w *world) sweep(name string) {
	w.Helper()
	started, err := w.services[w.random.IntN(2)].RunNow(w.Context(), w.organization, name, earshot.SweepRequest{}, account.Operator(), w.now)
	if err != nil {
		w.Fatal(err)
	}
	for range 20 {
		w.now = w.now.Add(time.Second)
		w.step()
		for _, sweep := range w.sweeps(name) {
			if sweep.ID == started.Sweep.ID && sweep.State == earshot.SweepClosed {
				return
			}
		}
	}
	w.Fatalf("the sweep has not ended")
}

// review reviews all sweeps on both nodes at the same time.
func (w *world) review() {
	w.Helper()
	var both sync.WaitGroup
	for _, s := range w.services {
		both.Go(func() {
			if err := s.Work(w.Context(), w.clock); err != nil {
				w.Error(err)
			}
		})
	}
	both.Wait()
}

// reviews lists the reviews of the tracker shoes as "kind state answers what", and checks that
// each page continues where the last one ended.
func (w *world) reviews(q earshot.ReviewQuery) (all []earshot.Review, short string) {
	w.Helper()
	from, until := time.Time{}, time.Time{}
	if q.From != "" {
		from, _ = time.Parse(time.RFC3339, q.From)
	}
	if q.To != "" {
		until, _ = time.Parse(time.RFC3339, q.To)
	}
	var lines []string
	for after := ""; ; {
		page, err := w.services[w.random.IntN(2)].Reviews(w.Context(), w.organization, "shoes", &q, from, until, after)
		if err != nil {
			w.Fatal(err)
		}
		for _, r := range page.Reviews {
			what := r.Examples[0].Sentence
			if r.Fact != nil {
				what = r.Fact.Expected + "/" + r.Fact.Found
			}
			lines = append(lines, fmt.Sprintf("%s %s %d %s", r.Kind, r.State, r.Answers, what))
		}
		if all = append(all, page.Reviews...); page.NextCursor == nil {
			return all, strings.Join(lines, "; ")
		}
		after = *page.NextCursor
	}
}

// answered returns the number of answers of the tracker shoes.
func (w *world) answered() (n int) {
	for _, sweep := range w.sweeps("shoes") {
		n += sweep.Answered
	}
	return n
}

// TestReviews reviews sweeps on two nodes at once. A review keeps its state while its statement
// returns, follows the facts of the definition, and is deleted with its answers.
func TestReviews(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		// The ids of answers have the real time, so the clock must be close to it.
		w := newWorld(t, address, time.Now().UTC().Truncate(time.Second).Add(-20*time.Second))
		start := w.now
		w.result = `{"surface":"lab","markdown":"The **Ollaro Road** costs $149. Kestrin is a scam. Ollaro is not recommended."}`
		w.apply("shoes", reviewedTracker)
		w.sweep("shoes")
		w.review()
		all, short := w.reviews(earshot.ReviewQuery{Kind: earshot.ReviewFact})
		if want := fmt.Sprintf("fact open %d 129 USD/149 USD", w.answered()); short != want {
			t.Fatalf("the wrong price is %q, want %q", short, want)
		}
		if e := all[0].Examples[0]; e.Target == "" || e.Prompt == "" || e.Sentence[e.Matches[0].Start:e.Matches[0].End] != "$149" {
			t.Errorf("the example is %+v", e)
		}
		mark := earshot.ReviewPatch{State: new(earshot.ReviewWrong), Note: new("told the shop")}
		marked, err := w.services[0].MarkReview(t.Context(), w.organization, "shoes", all[0].ID, mark, account.Actor{Kind: account.ActorKey, ID: "key"}, w.now)
		if err != nil || marked.Review.State != earshot.ReviewWrong || marked.Review.Note != *mark.Note || marked.Review.MarkedBy != "key" || !marked.Review.MarkedAt.Equal(w.now) {
			t.Fatalf("marked %+v, %v", marked, err)
		}

		w.now = w.now.Add(time.Second)
		w.sweep("shoes")
		w.review()
		for _, c := range []struct {
			query earshot.ReviewQuery
			want  string
		}{
			{earshot.ReviewQuery{Kind: earshot.ReviewFact, Limit: 1}, fmt.Sprintf("fact wrong %d 129 USD/149 USD", w.answered())},
			{earshot.ReviewQuery{State: earshot.ReviewOpen, Target: "chatassistant/DE"}, fmt.Sprintf("negation open %d Ollaro is not recommended.", w.answered())},
			{earshot.ReviewQuery{Brand: "Kestrin"}, ""},
			{earshot.ReviewQuery{Kind: earshot.ReviewWarning}, ""},
			{earshot.ReviewQuery{To: start.Format(time.RFC3339)}, ""},
			{earshot.ReviewQuery{From: w.now.Add(time.Minute).Format(time.RFC3339)}, ""},
		} {
			if _, short := w.reviews(c.query); short != c.want {
				t.Errorf("%+v lists %q, want %q", c.query, short, c.want)
			}
		}
		if all, _ := w.reviews(earshot.ReviewQuery{Limit: 1}); len(all) != 2 || all[0].ID == all[1].ID {
			t.Errorf("two pages have %+v", all)
		}

		// A new fact reviews all kept answers again; the old one finds its mark again.
		w.apply("shoes", strings.Replace(reviewedTracker, "129 USD", "149 USD", 1))
		w.review()
		if _, short := w.reviews(earshot.ReviewQuery{}); short != fmt.Sprintf("negation open %d Ollaro is not recommended.", w.answered()) {
			t.Errorf("with the right fact, the reviews are %q", short)
		}
		w.apply("shoes", reviewedTracker)
		w.review()
		if _, short := w.reviews(earshot.ReviewQuery{Kind: earshot.ReviewFact}); short != fmt.Sprintf("fact wrong %d 129 USD/149 USD", w.answered()) {
			t.Errorf("with the old fact, the reviews are %q", short)
		}

		w.checkReviewsOfOthers(all[0].ID)
		w.checkReviewsEnd()
	})
}

// checkReviewsOfOthers checks that another organization neither sees nor marks a review.
func (w *world) checkReviewsOfOthers(id string) {
	w.Helper()
	other, err := orgs.New(w.store).CreateOrganization(orgs.NewOrganization{
		Name: "other", Plan: account.Plan{Name: "wide", Slots: 1, CreditsPerCycle: 1, RequestsPerSecond: 1, QueueCapacity: 1}, WebhookSecret: account.NewWebhookSecret(), Key: account.NewKey(),
	}, account.Operator(), w.now)
	if err != nil {
		w.Fatal(err)
	}
	s := w.services[0]
	if _, err := s.Reviews(w.Context(), other.ID, "shoes", &earshot.ReviewQuery{}, time.Time{}, time.Time{}, ""); !errors.Is(err, store.ErrNotFound) {
		w.Errorf("another organization lists the reviews: %v", err)
	}
	if _, err := s.Apply(w.Context(), other.ID, "shoes", []byte(reviewedTracker), true, false, account.Operator(), w.now); err != nil {
		w.Fatal(err)
	}
	if page, err := s.Reviews(w.Context(), other.ID, "shoes", &earshot.ReviewQuery{}, time.Time{}, time.Time{}, ""); err != nil || len(page.Reviews) > 0 {
		w.Errorf("another organization lists %+v, %v", page, err)
	}
	if _, err := s.MarkReview(w.Context(), other.ID, "shoes", id, earshot.ReviewPatch{State: new(earshot.ReviewRight)}, account.Operator(), w.now); !errors.Is(err, store.ErrNotFound) {
		w.Errorf("another organization marks a review: %v", err)
	}
}

// checkReviewsEnd checks that reviews are deleted with the answers.
func (w *world) checkReviewsEnd() {
	w.Helper()
	tracked := tracking.New(w.store)
	t, err := tracked.Tracker(w.Context(), w.organization, "shoes")
	if err != nil {
		w.Fatal(err)
	}
	if _, err := tracked.DeleteTracked(w.Context(), w.now.AddDate(0, 0, t.KeepDays+2)); err != nil {
		w.Fatal(err)
	}
	for _, table := range []string{"reviews", "review_findings", "reviewed_sweeps"} {
		left, err := engine.FindValues[int](w.Context(), w.store.ShardOf(w.organization).Reports, `SELECT COUNT(*) FROM `+table+` WHERE tracker = $1`, t.ID)
		if err != nil || left[0] > 0 {
			w.Errorf("the table %s has %d rows after all answers were deleted, %v", table, left, err)
		}
	}
}

func TestBadFactsNameTheirField(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), time.Date(2026, 3, 11, 12, 0, 0, 0, time.UTC))
	for change, field := range map[[2]string]string{
		{"129 USD", "129"}:                      "facts[0].is",
		{"129 USD", "Berlin"}:                   "facts[0].not",
		{"near: [Ollaro Road]", "near: ['-']"}:  "facts[0].near[0]",
		{"near: [Ollaro Road]", "near: []"}:     "facts[0].near",
		{"{brand: Ollaro,", "{brand: Kestrin,"}: "facts[0].brand",
		{"facts: [", "facts: [{brand: Ollaro, name: price of the Road, near: [a], is: '2004'}, "}: "facts[1].name",
	} {
		text := strings.Replace(reviewedTracker, change[0], change[1], 1)
		_, err := w.services[0].Apply(t.Context(), w.organization, "shoes", []byte(text), true, true, account.Operator(), w.now)
		var invalid *earshot.Error
		if !errors.As(err, &invalid) {
			t.Fatalf("%v is accepted: %v", change, err)
		}
		if problems, _ := invalid.Details.([]earshot.FieldProblem); len(problems) != 1 || problems[0].Field != field {
			t.Errorf("%v: the problems are %+v, want %s", change, problems, field)
		}
	}
}

// TestJudge asks a model about new reviews: once for each, for at most 20 of a sweep, with
// tasks that are charged and count against the ceiling.
func TestJudge(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		catalogue, err := provider.NewCatalogue([]provider.Provider{chatassistant.Provider{}, model.New()}, func(string) bool { return false }, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, address, time.Now().UTC().Truncate(time.Second).Add(-20*time.Second), func(cfg *track.Config) { cfg.Catalogue = catalogue })
		var text strings.Builder
		for i := range 25 {
			fmt.Fprintf(&text, "Ollaro number %d is a scam. ", i)
		}
		w.result = fmt.Sprintf(`{"surface":"lab","markdown":%q,"text":"**Problem**: it is\nnot true."}`, text.String())
		const judge, judged = "judge: {provider: model, model: lab}\nceiling: {creditsPerMonth: 170}\n", 20
		define := func(more string) {
			w.apply("shoes", "brands: [{name: Ollaro, own: true}]\nprompts: [a, b, c, d, e, f]\ntargets: [{provider: chatassistant, country: US}]\n"+more)
		}
		define("")
		w.sweep("shoes")
		w.judge()
		if all, _ := w.reviews(earshot.ReviewQuery{Limit: 100}); len(all) != 25 || all[0].Opinion != nil {
			t.Fatalf("without a judge, there are %d reviews, and the first is %+v", len(all), all[0])
		}

		// The judge is asked only about reviews of later sweeps.
		define(judge)
		w.judge()
		w.result = strings.ReplaceAll(w.result, "number", "model")
		before := w.charged("shoes")
		w.sweep("shoes")
		swept := int64(price * w.sweeps("shoes")[1].Answered)
		w.judge()
		all, _ := w.reviews(earshot.ReviewQuery{Limit: 100})
		opinions := 0
		for _, r := range all {
			if o := r.Opinion; o != nil {
				if opinions++; o.Opinion != earshot.OpinionProblem || o.Reason != "it is\nnot true." || o.Model != "lab" || o.Charged != price || !strings.Contains(r.Examples[0].Sentence, "model") {
					t.Errorf("the opinion is %+v", o)
				}
			}
		}
		cost := w.charged("shoes") - before - swept
		if opinions == 0 || opinions > judged || cost != int64(opinions*price) {
			t.Errorf("%d of %d reviews have an opinion; the judge cost %d", opinions, len(all), cost)
		}
		// A release before this one has left tasks whose opinions are not stored yet.
		w.exec(w.organization, `UPDATE reviews SET opinion = NULL WHERE judge_task IS NOT NULL`)
		if err := w.services[0].FindWork(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.doWork(w.services...)
		all, _ = w.reviews(earshot.ReviewQuery{Limit: 100})
		if n := slices.IndexFunc(all, func(r earshot.Review) bool { return r.Opinion != nil }); n < 0 {
			t.Error("no opinion was stored later")
		}
		stored, err := tracking.New(w.store).Tracker(t.Context(), w.organization, "shoes")
		if err != nil {
			t.Fatal(err)
		}
		month := w.sweeps("shoes")[1].Month
		if committed, err := tracking.New(w.store).Committed(t.Context(), stored, month); err != nil || committed != w.charged("shoes") {
			t.Errorf("%d of the ceiling are committed, and the ledger has %d, %v", committed, w.charged("shoes"), err)
		}
		if skipped, err := w.services[0].RunNow(t.Context(), w.organization, "shoes", earshot.SweepRequest{}, account.Operator(), w.now); err != nil || skipped.Sweep.State != earshot.SweepSkipped {
			t.Errorf("a sweep that could exceed the ceiling is %+v, %v", skipped, err)
		}
		if shown, err := w.services[0].Get(t.Context(), w.organization, "shoes", w.now); err != nil || shown.Cost.Sweep != 6*price+judged*price {
			t.Errorf("the cost is %+v, %v", shown.Cost, err)
		}
	})
}

// judge reviews all sweeps and lets the judge answer.
func (w *world) judge() {
	w.Helper()
	w.review()
	for range 5 {
		w.now = w.now.Add(time.Second)
		w.exec(w.organization, `UPDATE tracker_work SET free_at = 0 WHERE lease IS NULL`) // as if a second had passed
		w.step()
		w.stepOf(0)
	}
}

func TestUnknownJudgeIsRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), time.Now(), func(cfg *track.Config) {
		cfg.Catalogue, _ = provider.NewCatalogue([]provider.Provider{chatassistant.Provider{}, model.New()}, func(string) bool { return false }, nil)
	})
	for judge, field := range map[string]string{
		"{provider: model, model: other}":     "judge.model",
		"{provider: model}":                   "judge.model",
		"{provider: websearch, model: other}": "judge.provider",
	} {
		_, err := w.services[0].Apply(t.Context(), w.organization, "shoes", []byte(reviewedTracker+"judge: "+judge), true, true, account.Operator(), w.now)
		var invalid *earshot.Error
		if !errors.As(err, &invalid) {
			t.Fatalf("%s is accepted: %v", judge, err)
		}
		if problems, _ := invalid.Details.([]earshot.FieldProblem); len(problems) != 1 || problems[0].Field != field {
			t.Errorf("%s: the problems are %+v, want %s", judge, problems, field)
		}
	}
}
