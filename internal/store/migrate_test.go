package store_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/alerting"
	"earshot/internal/store/analysing"
	"earshot/internal/store/engine"
	"earshot/internal/store/exporting"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
	"earshot/internal/store/outbound"
	"earshot/internal/store/people"
	"earshot/internal/store/sharing"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

// Ids in the fixtures in testdata/schema.
const (
	callsID = "00000000-0000-7000-8000-00000000000a"
	tasksID = "00000000-0000-7000-8000-00000000000c"
	oldNode = "00000000-0000-7000-8000-0000000000ff"

	calledID  = "0199c82c-c000-7000-8000-000000000001"
	callingID = "0199c82c-c7d0-7000-8000-000000000003"
	doneID    = "0199c82c-c000-7000-8000-000000000011"
	unpaidID  = "0199c82c-c3e8-7000-8000-000000000012"
	runningID = "0199c82c-c7d0-7000-8000-000000000013"
	queuedID  = "0199c82c-c7d0-7000-8000-000000000014"
	batchID   = "0199c82c-c000-7000-8000-0000000000b1"
	urgentID  = "0199c82c-c7d0-7000-8000-000000000015"

	fixtureStart = 1760000000000
)

// fixtureTime is a moment after all times in the fixtures, in the same billing cycle.
var fixtureTime = time.UnixMilli(fixtureStart + 60_000)

// readFixture returns the fixture of a version: rows that earlier versions could not have.
func readFixture(version int64) (string, error) {
	text, err := os.ReadFile(fmt.Sprintf("testdata/schema/%05d.sql", version))
	return string(text), err
}

func TestADatabaseOfAnyVersionIsMigratedAndItsRowsAreKept(t *testing.T) {
	t.Parallel()
	newest, err := store.NewestVersion()
	if err != nil {
		t.Fatal(err)
	}
	for version := int64(1); version <= newest; version++ {
		if !store.IsVersion(version) {
			continue
		}
		t.Run(fmt.Sprintf("version=%d", version), func(t *testing.T) {
			t.Parallel()
			if _, err := readFixture(version); err != nil {
				t.Fatalf("a migration needs a fixture with the rows that it makes possible, and a check of these rows: %v", err)
			}
			storetest.OnFresh(t, func(t *testing.T, address string) {
				// Building the newest version runs each migration on the rows of all versions before
				// it. On PostgreSQL, where migrations are slow, this and the oldest version, which
				// lacks the rows of later versions, are enough.
				if !store.Shared(address) || version == 1 || version == newest {
					checkVersion(t, address, version, newest)
				}
			})
		})
	}
}

// checkVersion builds a database of a version, migrates it and checks its rows.
func checkVersion(t *testing.T, address string, version, newest int64) {
	t.Helper()
	if err := store.BuildVersion(t.Context(), address, version, readFixture); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	s, err := store.Open(t.Context(), store.Config{URL: address, Log: slog.New(slog.NewTextHandler(&lines, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	want := fmt.Sprintf(`"from version"=%d "to version"=%d`, version, newest)
	if strings.Contains(lines.String(), want) != (version < newest) {
		t.Errorf("the log of the migration is %q", lines.String())
	}
	storetest.Audited(t, s)
	for _, check := range migrated {
		if version >= check.since {
			t.Run(check.what, func(t *testing.T) { check.run(t, s) }) // each goes on from the one before
		}
	}
	storetest.Audited(t, s)
}

// migrated checks that the rows of a version's fixture are unchanged. Checks that change rows come
// last.
var migrated = []struct {
	since int64
	what  string
	run   func(t *testing.T, s *store.Store)
}{
	{1, "organizations and keys", checkMigratedAccounts},
	{1, "calls", checkMigratedCalls},
	{2, "tasks", checkMigratedTasks},
	{2, "webhooks", checkMigratedWebhooks},
	{4, "the ledger without charges", checkMigratedAdjustments},
	{5, "statistics", checkMigratedStats},
	{6, "batches", checkMigratedBatches},
	{8, "names of keys", checkMigratedKeyNames},
	{9, "analyses", checkMigratedAnalyses},
	{10, "a repeated sweep", checkMigratedRepeat},
	{11, "alerts", checkMigratedAlerts},
	{12, "budgets of keys", checkMigratedBudgets},
	{15, "reports and exports", checkMigratedScheduled},
	{19, "tickets and usage of upstreams", checkMigratedUpstreams},
	{20, "pairs of shadow requests", checkMigratedShadow},
	{21, "reviews", checkMigratedReviews},
	{23, "people", checkMigratedPeople},
	{24, "rows of SQL views", checkMigratedRows},
	{25, "kept pages", checkMigratedKeptPages},
	{27, "purchases", checkMigratedPurchases},
	{28, "work", checkMigratedWork},
	{29, "requests with an idempotency key", checkMigratedKeyedRequests},
	{31, "counted sweeps", checkMigratedCounts},
	{1, "a call under way is settled", settleMigratedCall},
	{2, "tasks go on", runMigratedTasks},
}

// equal fails the test if a value differs from the expected one.
func equal[T any](t *testing.T, what string, want, got T, err error) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(store.Task{}), cmpopts.IgnoreFields(earshot.Key{}, "ETag"), cmpopts.IgnoreFields(earshot.User{}, "ETag"), cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("%s: %v, (-want +got):\n%s", what, err, diff)
	}
}

func checkMigratedAccounts(t *testing.T, s *store.Store) {
	ctx := t.Context()
	want := &account.Organization{
		ID: callsID, Name: "calls", Plan: account.Plan{Name: "hobby", Slots: 5, RequestsPerSecond: 10, QueueCapacity: 100, CreditsPerCycle: 1000},
		CreatedAt: fixtureStart, Running: 1, Balance: 960, Held: 7,
		CycleStartedAt: fixtureStart, CycleResetsAt: 1762678400000, CycleGrant: 1000, CycleUsed: 40,
	}
	got, err := orgs.New(s).OrganizationByName(ctx, "calls")
	if err == nil {
		want.KeyBudgets = got.KeyBudgets // checked by checkMigratedBudgets
	}
	equal(t, "the organization", want, got, err)
	key, err := orgs.New(s).Key(ctx, "aaaaaaaaaaaaaaaa", fixtureTime)
	if err != nil || !account.KeyMatches("the first key", key.Hash) || key.OrganizationID != callsID {
		t.Errorf("the key is %+v, %v", key, err)
	}
	keys, err := orgs.New(s).Keys(ctx, callsID, fixtureTime)
	for _, k := range keys {
		k.Budget = nil // checked by checkMigratedBudgets
	}
	equal(t, "the keys", []*earshot.Key{
		{
			ID: "bbbbbbbbbbbbbbbb", Scopes: []string{"read"}, CreatedAt: earshot.At(fixtureStart + 1),
			ExpiresAt: new(earshot.At(fixtureStart + 2)), RevokedAt: new(earshot.At(fixtureStart + 3)),
		},
		{ID: "aaaaaaaaaaaaaaaa", Scopes: []string{"read", "monitor"}, CreatedAt: earshot.At(fixtureStart), LastUsedAt: new(earshot.At(fixtureStart + 60_000))},
	}, keys, err)
	secrets, err := s.WebhookSecrets(ctx, callsID, fixtureTime)
	equal(t, "the secrets", []string{"whsec_calls"}, secrets, err)
}

func checkMigratedAnalyses(t *testing.T, s *store.Store) {
	rules, err := analysing.New(s).Rules(t.Context(), tasksID, "0199c82c-c000-7000-8000-0000000000a1")
	if err != nil || len(rules) != 1 || rules[0].State != analysing.RulesCurrent || string(rules[0].Brands) != `[{"name":"Ollaro"}]` || rules[0].FinishedAt.IsZero() {
		t.Fatalf("the rules are %+v, %v", rules, err)
	}
	var contents []string
	err = analysing.New(s).Analyses(t.Context(), rules[0], time.UnixMilli(fixtureStart), fixtureTime, func(a *analysing.Analysis) error {
		contents = append(contents, fmt.Sprintf("%s %d %s %x", a.Sweep, a.Prompt, a.Surface, a.Content))
		return nil
	})
	equal(t, "the analyses", []string{"0199c82c-c000-7000-8000-0000000000b1 1 lab 01000000"}, contents, err)
}

func checkMigratedWork(t *testing.T, s *store.Store) {
	all, _, err := analysing.New(s).WorkOf(t.Context(), tasksID, "0199c82c-c000-7000-8000-0000000000a1")
	if err != nil || len(all) != 1 {
		t.Fatalf("%d kinds of work, %v", len(all), err)
	}
	if w := all[0]; w.Kind != earshot.WorkAnalyse || w.Done != 40 || w.Total != 100 || w.Error != "no space" || string(w.State) != `{"rules":1}` || !w.BeganAt.Equal(time.UnixMilli(fixtureStart+1000)) {
		t.Errorf("the work is %+v", w)
	}
}

func checkMigratedRepeat(t *testing.T, s *store.Store) {
	const tracker, sweep = "0199c82c-c000-7000-8000-0000000000a1", "0199c82c-c000-7000-8000-0000000000b2"
	closed, err := tracking.New(s).Sweep(t.Context(), &tracking.Tracker{Organization: tasksID, ID: tracker}, sweep)
	if err != nil || closed.Repeats != "0199c82c-c000-7000-8000-0000000000b1" || string(closed.Facts) != "{}" || closed.Pruned {
		t.Errorf("the sweep is %+v, %v", closed, err)
	}
}

func checkMigratedCounts(t *testing.T, s *store.Store) {
	rules := &analysing.Rules{Organization: tasksID, Tracker: "0199c82c-c000-7000-8000-0000000000a1", Version: 1}
	counted, err := analysing.New(s).CountedSweeps(t.Context(), rules)
	if err != nil || len(counted) != 1 || counted[0].Answers != 1 {
		t.Fatalf("the counted sweeps are %+v, %v", counted, err)
	}
	sources, err := analysing.New(s).Sources(t.Context(), counted[0], false)
	equal(t, "the domains", []byte{1, 0}, sources, err)
	sources, err = analysing.New(s).Sources(t.Context(), counted[0], true)
	equal(t, "the URLs", nil, sources, err)
	var cells []string
	err = analysing.New(s).EachCells(t.Context(), rules, 0, uuid.Nil.String(), uuid.Max.String(), func(c *analysing.Cells) error {
		cells = append(cells, fmt.Sprintf("%s %d %s %d %x", c.Sweep, c.Target, c.Surface, c.Answers, c.Content))
		return nil
	})
	equal(t, "the cells", []string{"0199c82c-c000-7000-8000-0000000000b2 1 lab 1 0100"}, cells, err)
	tracker, err := tracking.New(s).TrackerByID(t.Context(), tasksID, rules.Tracker)
	if err != nil || tracker.NumbersDays != 1095 {
		t.Errorf("the tracker is %+v, %v", tracker, err)
	}
}

func checkMigratedAlerts(t *testing.T, s *store.Store) {
	tracker := &tracking.Tracker{Organization: tasksID, ID: "0199c82c-c000-7000-8000-0000000000a1"}
	watch, err := alerting.New(s).Watch(t.Context(), tracker)
	if err != nil || watch.Steps != 0 || len(watch.Series) != 1 || len(watch.Open) != 1 || watch.Open[0].Kind != earshot.AlertCoverage {
		t.Errorf("watched is %+v, %v", watch, err)
	}
	_, told, _, err := alerting.New(s).DeliveryContent(t.Context(), tasksID, "0199c82c-c000-7000-8000-0000000000e1")
	if err != nil || told.ID != watch.Open[0].ID {
		t.Errorf("a delivery tells of %+v, %v", told, err)
	}
	channel, err := alerting.New(s).Channel(t.Context(), tasksID, "ops")
	if err != nil || channel.Kind != earshot.ChannelWebhook {
		t.Errorf("the channel is %+v, %v", channel, err)
	}
}

func checkMigratedReviews(t *testing.T, s *store.Store) {
	reviews := tracking.New(s)
	tracker := &tracking.Tracker{Organization: tasksID, ID: "0199c82c-c000-7000-8000-0000000000a1"}
	listed, err := reviews.Reviews(t.Context(), tracker, tracking.ReviewFilter{Kind: earshot.ReviewFact, State: earshot.ReviewWrong, Limit: 2})
	equal(t, "the reviews", []*tracking.Review{{
		Organization: tasksID, Tracker: tracker.ID, ID: "0199c82c-c000-5000-8000-0000000000f1", Brand: "Ollaro", Kind: earshot.ReviewFact,
		Fact: earshot.FactDifference{Name: "founded", Expected: "2004", Found: "2003"}, State: earshot.ReviewWrong, Note: "told them",
		MarkedAt: time.UnixMilli(fixtureStart + 3000), MarkedBy: "key-1", LastSeen: time.UnixMilli(fixtureStart + 1000), JudgeMonth: "2025-10",
		Opinion: earshot.ReviewOpinion{Task: "0199c82c-c000-7000-8000-0000000000f7", Charged: 3, Opinion: "problem", Reason: "the year is wrong", Model: "lab"},
	}}, listed, err)
	seen, err := reviews.Seen(t.Context(), listed[0])
	if err != nil || seen.Answers != 1 || seen.Newest[0].Answer != "0199c82c-c000-7000-8000-0000000000c1" {
		t.Errorf("the review was seen in %+v, %v", seen, err)
	}
}

func checkMigratedPeople(t *testing.T, s *store.Store) {
	p := people.New(s)
	const ana = "u_aaaaaaaaaaaaaaaa"
	now := time.UnixMilli(fixtureStart + 5000)
	users, err := p.Members(t.Context(), tasksID)
	equal(t, "the users", []*earshot.User{{
		ID: ana, Email: "ana@example.com", Name: "Ana", Role: earshot.RoleEditor, Sources: earshot.List[string]{people.Invited},
		JoinedAt: earshot.At(fixtureStart), LastSeenAt: new(earshot.At(fixtureStart + 3000)),
	}}, users, err)
	user, err := p.UserOf(t.Context(), people.Identity{Issuer: "https://issuer.example", Subject: "ana-1"}, account.System(), now)
	equal(t, "the identity", &account.User{ID: ana, Email: "ana@example.com", Name: "Ana"}, user, err)
	invitations, err := p.Invitations(t.Context(), tasksID, now)
	equal(t, "the invitations", []*people.Invitation{{
		ID: "bbbbbbbbbbbbbbbb", Organization: tasksID, Email: "ben@example.com", Role: account.RoleViewer, InvitedBy: "ana@example.com",
		CreatedAt: time.UnixMilli(fixtureStart + 1000), ExpiresAt: time.UnixMilli(fixtureStart + 600_000_000),
	}}, invitations, err)
	links, err := sharing.New(s).List(t.Context(), tasksID, now)
	equal(t, "the share links", []*sharing.Link{{
		ID: "dddddddddddddddd", Organization: tasksID, Tracker: "0199c82c-c000-7000-8000-0000000000a1", TrackerName: "shoes", Title: "For a client", From: "2025-10-01", To: "2025-10-07",
		CreatedBy: "ana@example.com", CreatedAt: time.UnixMilli(fixtureStart + 4000), ExpiresAt: time.UnixMilli(fixtureStart + 600_000_000),
		ViewedAt: time.UnixMilli(fixtureStart + 5000), Views: 3,
	}}, links, err)
	sessions, err := p.Sessions(t.Context(), tasksID, "", now)
	equal(t, "the sessions", []*earshot.BrowserSession{{
		ID: "cccccccccccccccc", UserID: ana, Email: "ana@example.com", Via: "google", Address: "192.0.2.1", Browser: "Firefox",
		CreatedAt: earshot.At(fixtureStart + 2000), LastSeenAt: earshot.At(fixtureStart + 3000), ExpiresAt: earshot.At(fixtureStart + 40_000_000),
	}}, sessions, err)
}

func checkMigratedScheduled(t *testing.T, s *store.Store) {
	tracker := &tracking.Tracker{Organization: tasksID, ID: "0199c82c-c000-7000-8000-0000000000a1"}
	_, alert, report, err := alerting.New(s).DeliveryContent(t.Context(), tasksID, "0199c82c-c000-7000-8000-0000000000f2")
	if err != nil || alert != nil || report.Slot != "2025-10-09T08:00 UTC" || string(report.Document) != `{"html":"<p>"}` {
		t.Errorf("a delivery brings %+v, %v", report, err)
	}
	state, err := exporting.New(s).State(t.Context(), tracker.Organization, tracker.ID)
	equal(t, "the state of exports", exporting.State{Waiting: 1}, state, err)
}

func checkMigratedRows(t *testing.T, s *store.Store) {
	for query, want := range map[string]string{
		`SELECT tracker_name || ' ' || brand || ' ' || end_byte || ' ' || domains FROM report_mentions`: `shoes Ollaro 10 ["ollaro.example"]`,
		`SELECT tracker_name || ' ' || url || ' ' || position FROM report_citations`:                    "shoes https://ollaro.example/ 1",
		`SELECT tracker_name || ' ' || metric || ' ' || value || ' ' || made_up FROM report_metrics`:    "shoes visibility/m2 0.25 1",
	} {
		rows, err := engine.FindValues[string](t.Context(), s.ShardOf(tasksID).Lookups, query)
		equal(t, query, []string{want}, rows, err)
	}
}

func checkMigratedBudgets(t *testing.T, s *store.Store) {
	keys, err := orgs.New(s).Keys(t.Context(), callsID, fixtureTime)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.ID == "aaaaaaaaaaaaaaaa" && (k.Budget == nil || k.Budget.CreditsPerDay != 100 || k.Budget.UsedToday != 40 || k.Budget.Held != 7) {
			t.Errorf("the budget is %+v", k.Budget)
		}
	}
}

func checkMigratedKeyNames(t *testing.T, s *store.Store) {
	keys, err := orgs.New(s).Keys(t.Context(), "00000000-0000-7000-8000-00000000000b", fixtureTime)
	equal(t, "the keys", []*earshot.Key{
		{ID: "dddddddddddddddd", Name: "dashboard of the shop", Scopes: []string{"read"}, CreatedAt: earshot.At(fixtureStart)},
	}, keys, err)
}

func checkMigratedKeyedRequests(t *testing.T, s *store.Store) {
	once := &account.Once{Organization: callsID[:len(callsID)-1] + "c", Operation: "POST /v1/keys", Key: "first"}
	kept, _, err := s.KeyedRequest(t.Context(), once)
	if err != nil || string(kept.Answer) != "answer" {
		t.Errorf("the response to a request is %+v, %v", kept, err)
	}
}

func checkMigratedCalls(t *testing.T, s *store.Store) {
	ctx := t.Context()
	entries, err := s.Ledger(ctx, callsID, store.LedgerFilter{Limit: 10})
	equal(t, "the ledger", []earshot.LedgerEntry{
		{ID: "0199c82c-c000-7000-8000-0000000000a1", At: earshot.At(fixtureStart), Kind: "grant", Credits: 1000},
		{ID: calledID, At: earshot.At(fixtureStart + 500), Kind: "charge", Credits: -40, Note: new("chatassistant"), KeyID: "aaaaaaaaaaaaaaaa"},
	}, entries, err)
	usage, err := s.Usage(ctx, callsID, fixtureTime, fixtureTime)
	equal(t, "the usage", []earshot.DayUsage{
		{Date: "2025-10-09", Provider: "chatassistant", Completed: 1, CreditsCharged: 40},
		{Date: "2025-10-09", Provider: "websearch", Failed: 1},
	}, usage, err)
	hour := earshot.At(fixtureTime.Truncate(time.Hour).UnixMilli())
	stats, err := s.Stats(ctx, callsID, fixtureTime)
	equal(t, "the statistics", []earshot.HourStats{
		{At: hour, Provider: "chatassistant", Jobs: 1, P50Ms: new(int64(500)), P95Ms: new(int64(500))},
		{At: hour, Provider: "websearch", Jobs: 1, Failed: 1, P50Ms: new(int64(500)), P95Ms: new(int64(500))},
	}, stats, err)
	expiry := time.UnixMilli(4102444800000)
	capture, err := s.Capture(ctx, "capture-one", fixtureTime)
	equal(t, "the capture", store.Capture{ID: "capture-one", Pages: 2, ExpiresAt: expiry}, capture, err)
}

func checkMigratedTasks(t *testing.T, s *store.Store) {
	ctx := t.Context()
	for _, want := range []*store.Task{
		{
			Job: store.Job{
				ID: queuedID, Organization: tasksID, KeyID: "cccccccccccccccc", Provider: "chatassistant", Mode: store.ModeAsync,
				Status: earshot.StatusQueued, Request: []byte(`{"prompt":"queued"}`), MaxCost: 5, CreatedAt: time.UnixMilli(fixtureStart + 2000), Priority: 1,
			},
		},
		{
			Job: store.Job{
				ID: urgentID, Organization: tasksID, KeyID: "cccccccccccccccc", Provider: "websearch", Mode: store.ModeAsync,
				Status: earshot.StatusQueued, Request: []byte(`{"prompt":"urgent"}`), MaxCost: 5, CreatedAt: time.UnixMilli(fixtureStart + 2000),
				Priority: 9, IdempotencyKey: new("key-of-the-urgent"), WebhookURL: new("https://hooks.example.com/in"),
			},
			Delivery: &store.Delivery{Job: urgentID, URL: "https://hooks.example.com/in"},
		},
		{
			Job: store.Job{
				ID: runningID, Organization: tasksID, KeyID: "cccccccccccccccc", Provider: "chatassistant", Mode: store.ModeAsync,
				Status: earshot.StatusProcessing, Request: []byte(`{"prompt":"running"}`), MaxCost: 5, Node: oldNode, Attempts: 2,
				CreatedAt: time.UnixMilli(fixtureStart + 2000), StartedAt: time.UnixMilli(fixtureStart + 3000), Priority: 1,
			},
		},
		{
			Job: store.Job{
				ID: doneID, Organization: tasksID, KeyID: "cccccccccccccccc", Provider: "chatassistant", Mode: store.ModeAsync,
				Status: earshot.StatusCompleted, Request: []byte(`{"prompt":"done"}`), MaxCost: 35, Node: oldNode, Attempts: 1,
				CreatedAt: time.UnixMilli(fixtureStart), StartedAt: time.UnixMilli(fixtureStart + 100), Priority: 1, IdempotencyKey: new("key-of-the-done"),
			},
			Charged: new(int64(30)), FinishedAt: time.UnixMilli(fixtureStart + 500), Event: 1,
			Result: []byte(`{"text":"an answer that was kept"}`),
			Delivery: &store.Delivery{
				Organization: tasksID, Job: doneID, URL: "https://hooks.example.com/in", Series: 1, Attempts: 1,
				DeliveredAt: time.UnixMilli(fixtureStart + 600), Tries: []earshot.DeliveryTry{{At: earshot.At(fixtureStart + 500), Status: 204, Ms: 100}},
			},
		},
	} {
		got, err := s.Task(ctx, tasksID, want.ID)
		equal(t, string(want.Request), want, got, err)
	}
	unpaid, err := s.Task(ctx, tasksID, unpaidID)
	if err != nil || unpaid.Node != "" || !unpaid.StartedAt.IsZero() || string(unpaid.Error) != `{"code":"INSUFFICIENT_CREDITS","message":"nothing was left"}` {
		t.Errorf("the unpaid task is %+v, %v", unpaid, err)
	}
	idsOf := func(tasks []*store.Task) (all []string) {
		for _, task := range tasks {
			all = append(all, task.ID)
		}
		return all
	}
	listed, _ := requests(t, s, tasksID, history.RequestFilter{Limit: 10, Match: func(*store.Task) bool { return true }})
	equal(t, "the list", []string{urgentID, queuedID, runningID, unpaidID, doneID}, idsOf(listed), nil)
	events := readEvents(t, s, tasksID, 0, 10)
	equal(t, "the events", []string{doneID, unpaidID}, idsOf(events), nil)
	status, err := history.New(s).QueueStatus(ctx, tasksID)
	equal(t, "the queue", []earshot.PriorityCount{{Priority: 9, Count: 1}, {Priority: 1, Count: 1}}, status.Queued, err)
	usage, err := s.Usage(ctx, tasksID, fixtureTime.AddDate(0, 0, -1), fixtureTime)
	equal(t, "the usage", []earshot.DayUsage{
		{Date: "2025-10-08", Provider: "chatassistant", Completed: 3, Failed: 1, CreditsCharged: 15},
		{Date: "2025-10-09", Provider: "chatassistant", Completed: 1, CreditsCharged: 30},
		{Date: "2025-10-09", Provider: "websearch", Failed: 1},
	}, usage, err)
	hour := earshot.At(fixtureTime.Truncate(time.Hour).UnixMilli())
	stats, err := s.Stats(ctx, tasksID, fixtureTime)
	equal(t, "the statistics", []earshot.HourStats{
		{At: hour, Provider: "chatassistant", Jobs: 1, P50Ms: new(int64(400)), P95Ms: new(int64(400))},
		{At: hour, Provider: "websearch", Jobs: 1, Failed: 1},
	}, stats, err)
}

func checkMigratedWebhooks(t *testing.T, s *store.Store) {
	ctx := t.Context()
	for state, want := range map[string]string{"delivered": doneID, "pending": unpaidID} {
		got, err := s.Deliveries(ctx, tasksID, store.DeliveryFilter{State: state, Limit: 10})
		if err != nil || len(got) != 1 || got[0].Job != want || len(got[0].Tries) != 1 {
			t.Errorf("%s are %+v, %v", state, got, err)
		}
	}
	secrets, err := s.WebhookSecrets(ctx, tasksID, fixtureTime)
	equal(t, "the secrets", []string{"whsec_new", "whsec_old"}, secrets, err)
	due := receivers(t, s, fixtureTime)
	if len(due) != 1 || len(due[0].Due) != 1 || due[0].Due[0].Job != unpaidID {
		t.Fatalf("due are %+v", due)
	}
	release(t, s, due[0], tried(due[0], true, time.Time{}))
}

func checkMigratedKeptPages(t *testing.T, s *store.Store) {
	kept, err := outbound.New(s.DB).KeptPages(t.Context(), "layout")
	equal(t, "the kept pages", []*outbound.KeptPage{
		{Provider: "websearch/web", Layout: "a1b2c3", Reason: "layout", Day: 20370, Number: 1, ID: "kept-one", Pages: 2, KeptAt: time.UnixMilli(fixtureStart)},
	}, kept, err)
}

func checkMigratedAdjustments(t *testing.T, s *store.Store) {
	for kind, credits := range map[string]int64{"adjust": 25, "lapse": -25} {
		entries, err := s.Ledger(t.Context(), tasksID, store.LedgerFilter{Kind: kind, Limit: 10})
		if err != nil || len(entries) != 1 || entries[0].Credits != credits {
			t.Errorf("%s: %+v, %v", kind, entries, err)
		}
	}
}

func checkMigratedStats(t *testing.T, s *store.Store) {
	hour := fixtureTime.Truncate(time.Hour).Add(-time.Hour)
	stats, err := s.Stats(t.Context(), tasksID, hour)
	if len(stats) == 0 {
		t.Fatalf("there are no statistics, %v", err)
	}
	equal(t, "the statistics", earshot.HourStats{
		At: earshot.At(hour.UnixMilli()), Provider: "searchaimode", Jobs: 5, Failed: 3, P50Ms: new(int64(1500)), P95Ms: new(int64(1500)),
	}, stats[0], err)
}

func checkMigratedBatches(t *testing.T, s *store.Store) {
	got, err := history.New(s).Batch(t.Context(), tasksID, batchID)
	equal(t, "the batch", &history.BatchProgress{
		Batch: store.Batch{ID: batchID, Organization: tasksID, CreatedAt: time.UnixMilli(fixtureStart), Total: 3, Accepted: 2},
		Tasks: map[earshot.Status]int{earshot.StatusCompleted: 1, earshot.StatusQueued: 1}, MaxCost: 40, Charged: 30,
	}, got, err)
	retry, err := history.New(s).RetryOf(t.Context(), tasksID, unpaidID)
	if err != nil || retry.ID != queuedID {
		t.Errorf("the failed task was replaced by %+v, %v", retry, err)
	}
}

func settleMigratedCall(t *testing.T, s *store.Store) {
	job := store.Job{
		ID: callingID, Organization: callsID, KeyID: "aaaaaaaaaaaaaaaa", Provider: "chatassistant", Mode: store.ModeSync, Request: []byte(`{"prompt":"three"}`),
		MaxCost: 7, Node: oldNode, CreatedAt: time.UnixMilli(fixtureStart + 2000), StartedAt: time.UnixMilli(fixtureStart + 2000),
	}
	after, err := s.Settle(completed(job, 6), fixtureTime)
	if err != nil || after.Balance != 954 || after.Held != 0 || after.Running != 0 {
		t.Errorf("after it: %+v, %v", after, err)
	}
}

func runMigratedTasks(t *testing.T, s *store.Store) {
	owned, err := s.Owned(t.Context(), oldNode)
	equal(t, "owned by the node", []string{runningID}, ids(values(owned)), err)
	started, _, err := s.Claim(t.Context(), oldNode, store.ClaimLimits{Tasks: 10}, fixtureTime)
	equal(t, "started", []string{urgentID, queuedID}, ids(values(started)), err)
	for _, job := range slices.Concat(owned, started) {
		if _, err := s.Settle(completed(*job, 5), fixtureTime); err != nil {
			t.Error(err)
		}
	}
	tasks := someTasks(&account.Organization{ID: tasksID}, 1)
	tasks[0].IdempotencyKey = new("key-of-the-done")
	refusals, err := s.Submit(tasksID, tasks, 1, fixtureTime)
	if err != nil || earshot.ErrorCode(refusals[0]) != earshot.CodeAlreadyExists {
		t.Errorf("a key that is taken: %v, %v", refusals, err)
	}
	if events := readEvents(t, s, tasksID, 2, 10); len(events) != 3 {
		t.Errorf("%d events followed", len(events))
	}
	if n, err := s.DeleteFinished(t.Context(), fixtureTime.Add(time.Hour), fixtureTime.Add(time.Hour)); err != nil || n == 0 {
		t.Errorf("%d jobs were deleted, %v", n, err)
	}
	usage, err := s.Usage(t.Context(), tasksID, fixtureTime.AddDate(0, 0, -1), time.Now()) // the claim began a new cycle
	var sum earshot.DayUsage
	for _, day := range usage {
		sum.Completed, sum.Failed, sum.CreditsCharged = sum.Completed+day.Completed, sum.Failed+day.Failed, sum.CreditsCharged+day.CreditsCharged
	}
	equal(t, "the sum of the usage", earshot.DayUsage{Completed: 7, Failed: 2, CreditsCharged: 60}, sum, err)
}

// The migration rounds earlier jobs in the same way as later ones.
func TestMigratedStatsAreRoundedAlike(t *testing.T) {
	t.Parallel()
	storetest.OnFresh(t, func(t *testing.T, address string) {
		const beforeCounters = 4
		var times []int64
		rows := "INSERT INTO finished (organization, id, key_id, provider, mode, status, request, charged, attempts, created_at, started_at, finished_at) VALUES"
		for _, edge := range []int64{0, 200, 2_000, 20_000, 200_000, 2_000_000, 2_345_678} {
			for _, ms := range []int64{edge - 1, edge, edge + 1, edge + 19, edge + 1_999} {
				id := fmt.Sprintf("0199c82c-c000-7000-8000-%012d", 1000+len(times))
				rows += fmt.Sprintf("\n('%s', '%s', 'key', 'before-%d', 'sync', 'FAILED', '{}', 0, 1, %d, %d, %d),", callsID, id, ms, fixtureStart, fixtureStart-ms, fixtureStart)
				times = append(times, ms)
			}
		}
		err := store.BuildVersion(t.Context(), address, beforeCounters, func(version int64) (string, error) {
			text, err := readFixture(version)
			if version == beforeCounters {
				text = strings.TrimSpace(text) + "\n" + strings.TrimSuffix(rows, ",") + ";\n"
			}
			return text, err
		})
		if err != nil {
			t.Fatal(err)
		}
		s := storetest.Open(t, address)
		for _, ms := range times {
			job := aJob(&account.Organization{ID: callsID}, oldNode, 1)
			job.Provider, job.StartedAt, job.CreatedAt = fmt.Sprint("after-", ms), time.UnixMilli(fixtureStart-ms), time.UnixMilli(fixtureStart)
			begin(t, s, job)
			settle(t, s, failed(job), time.UnixMilli(fixtureStart))
		}
		medians := map[string]*int64{}
		stats, err := s.Stats(t.Context(), callsID, time.UnixMilli(0))
		for _, one := range stats {
			medians[one.Provider] = one.P50Ms
		}
		for _, ms := range times {
			equal(t, fmt.Sprint("rounded ", ms), medians[fmt.Sprint("after-", ms)], medians[fmt.Sprint("before-", ms)], err)
		}
	})
}
