package sharing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/sharing"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

// shop is an organization with a tracker.
type shop struct {
	*testing.T
	*sharing.Store
	organization string
	tracker      *tracking.Tracker
	now          time.Time
}

func open(t *testing.T, address string) *shop {
	t.Helper()
	s := storetest.Open(t, address)
	f := &shop{T: t, Store: sharing.New(s), organization: storetest.Organization(t, s, 1, 0).ID, now: time.UnixMilli(1_790_000_000_000)}
	f.track()
	return f
}

func (f *shop) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// track stores a tracker called shoes.
func (f *shop) track() {
	f.Helper()
	f.tracker = &tracking.Tracker{
		Organization: f.organization, ID: uuid.Must(uuid.NewV7()).String(), Name: "shoes", State: earshot.TrackerPaused, Definition: []byte(`{}`),
		CreatedAt: f.now, UpdatedAt: f.now,
	}
	f.must(tracking.New(f.Store.Store).ApplyTracker(f.tracker, 0, nil, nil, nil, nil, account.System(), f.now))
}

// link returns a link that works for an hour.
func (f *shop) link() *sharing.Link {
	id, token := account.NewSecret(account.ShareSecret)
	return &sharing.Link{
		ID: id, Hash: account.HashKey(token), Organization: f.organization, Tracker: f.tracker.ID, TrackerName: f.tracker.Name,
		Days: 28, CreatedBy: "ana@example.com", CreatedAt: f.now, ExpiresAt: f.now.Add(time.Hour),
	}
}

func (f *shop) works(what string, id string, now time.Time, want bool) {
	f.Helper()
	l, err := f.Find(f.Context(), id, now)
	if want && err != nil || !want && !errors.Is(err, store.ErrNotFound) {
		f.Errorf("%s: %+v, %v; want it to work: %t", what, l, err, want)
	}
}

func (f *shop) listed() []*sharing.Link {
	f.Helper()
	all, err := f.List(f.Context(), f.organization, f.now)
	f.must(err)
	return all
}

func TestALinkWorksUntilItExpiresOrIsRevoked(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		f := open(t, address)
		by := account.Operator()
		fixed, last := f.link(), f.link()
		fixed.Days, fixed.From, fixed.To, fixed.Title, fixed.Password = 0, "2026-09-01", "2026-09-07", "For a client", "hash"
		fixed.CreatedAt = f.now.Add(-time.Second)
		f.must(f.Create(fixed, by))
		f.must(f.Create(last, by))

		found, err := f.Find(t.Context(), fixed.ID, f.now)
		if err != nil || found.From != fixed.From || found.To != fixed.To || found.Title != fixed.Title || found.TrackerName != "shoes" || string(found.Hash) != string(fixed.Hash) {
			t.Errorf("found %+v, %v", found, err)
		}
		f.works("before it expires", last.ID, f.now.Add(time.Hour-time.Millisecond), true)
		f.works("when it expires", last.ID, f.now.Add(time.Hour), false)
		f.works("an unknown link", "aaaaaaaaaaaaaaaa", f.now, false)

		if _, err := f.Revoke(t.Context(), storetest.Organization(t, f.Store.Store, 1, 0).ID, last.ID, by, f.now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("another organization revokes a link: %v", err)
		}
		f.works("after another organization tried to revoke it", last.ID, f.now, true)
		for range 2 {
			revoked, err := f.Revoke(t.Context(), f.organization, last.ID, by, f.now)
			if err != nil || !revoked.RevokedAt.Equal(f.now) || revoked.TrackerName != "shoes" {
				t.Errorf("revoked %+v, %v", revoked, err)
			}
		}
		f.works("after it was revoked", last.ID, f.now, false)
		if all := f.listed(); len(all) != 2 || all[0].ID != fixed.ID || all[1].ID != last.ID || *all[0].Shown().From != "2026-09-01" || !all[0].Shown().HasPassword {
			t.Errorf("the newer link, which was revoked, is not after the other one: %+v", all)
		}
		entries, err := engine.FindRows(t.Context(), f.ShardOf(f.organization).Reports, store.AuditTable, `WHERE organization = $1 AND action LIKE 'share.%' ORDER BY id`, f.organization)
		if err != nil || len(entries) != 3 || entries[0].Action != "share.create" || entries[2].Action != "share.revoke" || entries[2].Subject != last.ID {
			t.Fatalf("audited %+v, %v", entries, err)
		}
		const want = `{"expiresAt":"2026-09-21T15:13:20.000Z","from":"2026-09-01","password":true,"title":"For a client","to":"2026-09-07","tracker":"shoes"}`
		if after := string(entries[0].After); after != want {
			t.Errorf("audited %s, want %s", after, want)
		}
	})
}

func TestALinkEndsWithItsTracker(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		f := open(t, address)
		l := f.link()
		f.must(f.Create(l, account.Operator()))
		f.works("a new link", l.ID, f.now, true)
		f.must(tracking.New(f.Store.Store).DeleteTracker(t.Context(), f.organization, "shoes", account.System(), f.now))
		f.works("after the tracker was deleted", l.ID, f.now, false)
		f.track()
		f.works("after a tracker with the same name was created", l.ID, f.now, false)
		if all := f.listed(); len(all) != 1 || all[0].TrackerName != "" {
			t.Errorf("listed %+v", all)
		}
	})
}

func TestLinksOfAnOrganizationAreLimited(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		f := open(t, address)
		by := account.Operator()
		first := f.link()
		f.must(f.Create(first, by))
		var others errgroup.Group // together, since they are then committed together
		for range sharing.MaxLinks - 1 {
			l := f.link()
			others.Go(func() error { return f.Create(l, by) })
		}
		f.must(others.Wait())
		if err := f.Create(f.link(), by); !errors.Is(err, sharing.ErrTooManyLinks) {
			t.Errorf("one link too many: %v", err)
		}
		_, err := f.Revoke(t.Context(), f.organization, first.ID, by, f.now)
		f.must(err)
		f.must(f.Create(f.link(), by))

		later := f.link()
		later.CreatedAt, later.ExpiresAt = f.now.AddDate(1, 0, 0), f.now.AddDate(1, 0, 1)
		f.must(f.Create(later, by))
		if all := f.listed(); len(all) != 1 || all[0].ID != later.ID {
			t.Errorf("%d links are kept after a year", len(all))
		}
	})
}

func TestViewsAreCounted(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		f := open(t, address)
		l := f.link()
		f.must(f.Create(l, account.Operator()))
		f.NoteView(l.ID, f.now.Add(time.Second))
		f.NoteView(l.ID, f.now)
		check := func(what string, s *sharing.Store, views int64, at time.Time) {
			t.Helper()
			all, err := s.List(t.Context(), f.organization, f.now)
			if err != nil || len(all) != 1 || all[0].Views != views || !all[0].ViewedAt.Equal(at) {
				t.Errorf("%s: %+v, %v; want %d views", what, all[0], err, views)
			}
		}
		other := sharing.New(storetest.Open(t, address))
		check("before they are written", f.Store, 2, f.now.Add(time.Second))
		check("on another node", other, 0, time.Time{})
		f.must(f.WriteViews())
		other.NoteView(l.ID, f.now.Add(-time.Second))
		f.must(other.WriteViews())
		f.must(other.WriteViews()) // has nothing to write
		for _, s := range []*sharing.Store{f.Store, other} {
			check("after they were written", s, 3, f.now.Add(time.Second))
		}
	})
}
