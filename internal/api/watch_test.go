package api

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/limits/share"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
	"earshot/internal/store/people"
	"earshot/internal/store/storetest"
)

func TestOnePollerPerOrganization(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, filepath.Join(t.TempDir(), "earshot.db"))
	accounts, log := orgs.New(s), slog.New(slog.DiscardHandler)
	w := newWatch(Config{Store: history.New(s), Orgs: accounts, Log: log}, newKeyring(accounts, people.New(s)), share.NewPool(100))
	o := storetest.Organization(t, s, 5, 1000)
	key := account.NewKey()
	if err := accounts.CreateKey(o.ID, key, account.DefaultScopes(), time.Time{}, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	var streams []*stream
	for range 5 {
		one, err := w.follow(&account.Principal{KeyID: key.ID, OrganizationID: o.ID})
		if err != nil {
			t.Fatal(err)
		}
		if n := <-one.pending; n.status == nil || len(n.tasks) != 0 {
			t.Errorf("it begins with %+v", n)
		}
		streams = append(streams, one)
	}
	view := streams[0].view
	for i, one := range streams {
		if one.view != view || len(w.views) != 1 {
			t.Error("there is a second poller")
		}
		select {
		case <-view.ended:
			t.Errorf("the poller ended before stream %d did", i)
		default:
		}
		w.leave(one)
	}
	<-view.ended
	if len(w.views)+len(w.byKey) != 0 || w.places.Free() != 100 {
		t.Errorf("of streams that ended there are left %+v", w)
	}
}

func TestSlowClientGetsMergedUpdates(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range maxEventTasks {
		many = append(many, fmt.Sprint(i))
	}
	slow, quick := &stream{pending: make(chan update, 1)}, &stream{pending: make(chan update, 1)}
	for _, n := range []update{
		{status: []byte("old"), tasks: many},
		{status: []byte("new"), tasks: []string{"5", "more"}},
		{tasks: []string{"last"}},
	} {
		slow.send(n)
		quick.send(n)
		<-quick.pending
	}
	got := <-slow.pending
	if string(got.status) != "new" {
		t.Errorf("the status is %s", got.status)
	}
	want := slices.Concat(many[2:5], many[6:], []string{"5", "more", "last"})
	if !slices.Equal(got.tasks, want) {
		t.Errorf("%d tasks, from %q to %q", len(got.tasks), got.tasks[0], got.tasks[len(got.tasks)-1])
	}
	if many[5] != "5" || many[maxEventTasks-1] != "999" {
		t.Error("what others hold was changed")
	}
}
