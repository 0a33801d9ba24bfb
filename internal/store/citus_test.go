package store_test

import (
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

func TestANameIsUniqueOverAllParts(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Citus(t))
	create := func(name string, at time.Time) error {
		_, err := s.CreateOrganization(store.NewOrganization{Name: name, Plan: account.Plan{Name: "hobby", Slots: 1}, WebhookSecret: "none", Key: account.NewKey()}, at)
		return err
	}
	now, name := time.Now(), "org-"+rand.Text()
	if err := create(name, now); err != nil {
		t.Fatal(err)
	}
	for range 8 { // of which some would lie on another worker
		if err := create(name, now.Add(time.Hour)); !errors.Is(err, store.ErrExists) {
			t.Errorf("another organization of the same name: %v", err)
		}
	}
	left := "org-" + rand.Text()
	if err := s.Reserve(left, now); err != nil {
		t.Fatal(err)
	}
	if err := create(left, now.Add(30*time.Second)); !errors.Is(err, store.ErrExists) {
		t.Errorf("a name that somebody is about to use: %v", err)
	}
	if err := create(left, now.Add(2*time.Minute)); err != nil {
		t.Errorf("a name that nobody came to use: %v", err)
	}
}

func TestOrganizationsAreSpread(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Citus(t))
	for range 16 {
		storetest.Organization(t, s, 1, 100)
	}
	for i, n := range s.Spread(t, "organizations") {
		if n == 0 {
			t.Errorf("part %d has no organization", i)
		}
	}
	storetest.Audited(t, s)
}
