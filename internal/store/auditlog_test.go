package store_test

import (
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/alerting"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

// auditLog lists the actions of an organization, newest first.
func auditLog(t *testing.T, s *store.Store, organization string) (actions []string) {
	t.Helper()
	for entry, err := range history.New(s).WholeAuditLog(t.Context(), organization, history.AuditFilter{Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		actions = append(actions, entry.Action)
	}
	return actions
}

// A change whose entry cannot be written does not happen.
func TestAChangeAndItsEntryAreOneTransaction(t *testing.T) {
	t.Parallel()
	storetest.OnFresh(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o, by, now := storetest.Organization(t, s, 5, 300), account.Operator(), time.Now()
		key, accounts, trackers, channels := account.NewKey(), orgs.New(s), tracking.New(s), alerting.New(s)
		secret, err := s.WebhookSecrets(t.Context(), o.ID, now)
		if err != nil {
			t.Fatal(err)
		}
		run(t, s, `ALTER TABLE audit_log RENAME TO away`)
		for what, change := range map[string]func() error{
			"an organization": func() error {
				_, err := accounts.CreateOrganization(orgs.NewOrganization{Name: "new", Plan: o.Plan, WebhookSecret: "x", Key: account.NewKey()}, by, now)
				return err
			},
			"a key":     func() error { return accounts.CreateKey(o.ID, key, account.DefaultScopes(), time.Time{}, by, now) },
			"a plan":    func() error { return accounts.SetPlan(o.ID, account.Plan{Name: "other", Slots: 9}, by, now) },
			"credits":   func() error { _, err := accounts.Grant(o.ID, 7, by, now); return err },
			"a secret":  func() error { return s.RotateSecret(o.ID, "new", by, now) },
			"a tracker": func() error { return trackers.ApplyTracker(newTracker(o), 0, nil, nil, nil, nil, by, now) },
			"a channel": func() error {
				_, err := channels.SaveChannel(&alerting.Channel{Organization: o.ID, Name: "ops", Kind: earshot.ChannelSlack, Settings: []byte("{}"), CreatedAt: now, UpdatedAt: now}, by)
				return err
			},
		} {
			if err := change(); err == nil {
				t.Errorf("%s was changed without an entry", what)
			}
		}
		run(t, s, `ALTER TABLE away RENAME TO audit_log`)
		all, err := accounts.Organizations(t.Context())
		if err != nil || len(all) != 1 || *all[0] != *o {
			t.Errorf("the organizations are %+v, %v", all, err)
		}
		keys, err := accounts.Keys(t.Context(), o.ID, now)
		if err != nil || len(keys) != 1 {
			t.Errorf("there are %d keys, %v", len(keys), err)
		}
		if got, err := s.WebhookSecrets(t.Context(), o.ID, now); err != nil || len(got) != 1 || got[0] != secret[0] {
			t.Errorf("the secrets are %q, %v", got, err)
		}
		if list, err := trackers.Trackers(t.Context(), o.ID); err != nil || len(list) != 0 {
			t.Errorf("there are %d trackers, %v", len(list), err)
		}
		if list, err := channels.Channels(t.Context(), o.ID); err != nil || len(list) != 0 {
			t.Errorf("there are %d channels, %v", len(list), err)
		}
		if got := auditLog(t, s, o.ID); len(got) != 1 {
			t.Errorf("the entries are %q", got)
		}
	})
}

func newTracker(o *account.Organization) *tracking.Tracker {
	return &tracking.Tracker{Organization: o.ID, ID: store.NewID(), Name: "shoes", State: earshot.TrackerActive, Definition: []byte("{}"), KeepDays: 9, CreatedAt: time.Now(), UpdatedAt: time.Now()}
}

func run(t *testing.T, s *store.Store, statement string) {
	t.Helper()
	if _, err := s.Run(statement); err != nil {
		t.Fatal(err)
	}
}

func TestTheAuditLogIsKept400Days(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 300, func(t *testing.T, s *store.Store, o *account.Organization, _ string) {
		now := time.Now()
		for _, organization := range []string{o.ID, ""} {
			for action, days := range map[string]int{"old": 401, "kept": 399} {
				if err := s.AuditAlone(organization, account.System(), store.Audited{Action: action}, now.AddDate(0, 0, -days)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n, err := s.DeleteAudit(now.Add(-store.AuditTime)); err != nil || n < 2 { // other tests may leave old entries on Citus
			t.Errorf("deleted %d, %v", n, err)
		}
		for _, organization := range []string{o.ID, ""} {
			if got := strings.Join(auditLog(t, s, organization), " "); !strings.Contains(got, "kept") || strings.Contains(got, "old") {
				t.Errorf("of %q the log keeps %s", organization, got)
			}
		}
	})
}

func TestTheAuditLogShortensLongValues(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 300, func(t *testing.T, s *store.Store, o *account.Organization, _ string) {
		type audited struct{ Text, Same string }
		what := store.Audited{Action: "x", Before: audited{"short", "same"}, After: audited{strings.Repeat("x", 3000), "same"}}
		if err := s.AuditAlone(o.ID, account.System(), what, time.Now()); err != nil {
			t.Fatal(err)
		}
		found, err := history.New(s).AuditLog(t.Context(), o.ID, history.AuditFilter{Action: "x", Limit: 1})
		if err != nil || len(found) != 1 || string(found[0].Before) != `{"Text":"short"}` || string(found[0].After) != `{"Text":"(3002 bytes)"}` {
			t.Errorf("the entry is %+v, %v", found, err)
		}
	})
}
