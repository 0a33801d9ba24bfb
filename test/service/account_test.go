package service_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

func TestAKeyIsMadeThroughTheAPIAndRevoked(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		admin := n.Admin(t, a)
		c := n.Client(admin)
		expires := time.Now().Add(time.Hour)
		made, err := c.CreateKey(t.Context(), earshot.KeyRequest{Scopes: []string{"read"}, ExpiresAt: expires})
		if err != nil {
			t.Fatal(err)
		}
		key := &app.Account{Key: account.Key{ID: made.Key.ID, Text: made.Secret}}
		if id, ok := account.KeyID(made.Secret); !ok || id != made.Key.ID || made.Key.ExpiresAt.UnixMilli() != expires.UnixMilli() || made.Key.RevokedAt != nil {
			t.Errorf("made: %+v", made)
		}
		for _, node := range []*harness.Node{n, other} {
			node.Get(t, key, "/v1/credits").Has(t, "the new key", http.StatusOK)
		}
		n.Post(t, key, harness.TaskPath, `{}`).Fails(t, "the new key, beyond its scope", http.StatusForbidden, earshot.CodeNoPermission)

		list := func() map[string]*earshot.Key {
			t.Helper()
			all, err := other.Client(admin).Keys(t.Context())
			newestFirst := slices.IsSortedFunc(all, func(a, b *earshot.Key) int { return b.CreatedAt.Compare(a.CreatedAt.Time) })
			if err != nil || len(all) != 3 || !newestFirst {
				t.Errorf("the keys are %s, %v", harness.JSON(t, all), err)
			}
			byID := map[string]*earshot.Key{}
			for _, k := range all {
				byID[k.ID] = k
				if k.Current != (k.ID == admin.Key.ID) {
					t.Errorf("key %s is said to be current: %t", k.ID, k.Current)
				}
			}
			return byID
		}
		listed := list()[made.Key.ID]
		if listed == nil || !slices.Equal(listed.Scopes, []string{"read"}) || listed.LastUsedAt == nil || !listed.CreatedAt.Equal(made.Key.CreatedAt.Time) {
			t.Errorf("listed: %s", harness.JSON(t, listed))
		}
		if first := list()[a.Key.ID]; first == nil || !slices.Equal(first.Scopes, []string{"read", "monitor", "tasks", "track"}) || first.LastUsedAt != nil {
			t.Errorf("the first key: %s", harness.JSON(t, first))
		}

		revoked, err := other.Client(admin).RevokeKey(t.Context(), made.Key.ID)
		if err != nil || revoked.RevokedAt == nil || revoked.ID != made.Key.ID {
			t.Fatalf("revoked: %+v, %v", revoked, err)
		}
		for _, node := range []*harness.Node{n, other} {
			harness.Eventually(t, "the key is refused", func() bool { return node.Get(t, key, "/v1/credits").StatusCode == http.StatusUnauthorized })
		}
		again, err := c.RevokeKey(t.Context(), made.Key.ID)
		if err != nil || !again.RevokedAt.Equal(revoked.RevokedAt.Time) {
			t.Errorf("revoked again: %+v, %v", again, err)
		}
		if k := list()[made.Key.ID]; k == nil || k.RevokedAt == nil {
			t.Errorf("revoked, the key is listed as %+v", k)
		}
		if _, err := c.RevokeKey(t.Context(), admin.Key.ID); !harness.IsFailure(err, http.StatusConflict, earshot.CodeConflict) {
			t.Errorf("a key revokes itself: %v", err)
		}
		for _, node := range []*harness.Node{n, other} {
			if strings.Contains(node.Logs.String(), made.Secret) {
				t.Error("the secret is in the log")
			}
		}
	})
}

func TestKeysAndLedgersOfOthersAreInvisible(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, _ *harness.Node) {
		a, b := n.Organization(t, "many", 1000), n.Organization(t, "many", 77)
		c := n.Client(n.Admin(t, b))
		keys, err := c.Keys(t.Context())
		if err != nil || len(keys) != 2 || slices.ContainsFunc(keys, func(k *earshot.Key) bool { return k.ID == a.Key.ID }) {
			t.Errorf("the keys are %s, %v", harness.JSON(t, keys), err)
		}
		for _, id := range []string{a.Key.ID, strings.ToUpper(b.Key.ID), "x", "\x00", "\xff", strings.Repeat("a", 2000)} {
			if _, err := c.RevokeKey(t.Context(), id); !harness.IsFailure(err, http.StatusNotFound, earshot.CodeNotFound) {
				t.Errorf("%.20q is revoked: %v", id, err)
			}
		}
		if k, err := n.Orgs.Key(t.Context(), a.Key.ID, time.Now()); err != nil || k.OrganizationID != a.Organization.ID {
			t.Errorf("the other's key: %+v, %v", k, err)
		}
		page, err := c.Ledger(t.Context(), earshot.LedgerQuery{})
		if err != nil || len(page.Entries) != 1 || page.Entries[0].Credits != 77 {
			t.Errorf("the ledger is %+v, %v", page, err)
		}
	})
}

func TestTheLedgerAddsUpToTheBalance(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		done := n.Submit(t, a, harness.ChatTask("x")).ID
		n.Wait(t, a, done)
		n.Wait(t, a, n.Submit(t, a, harness.ChatTask("x [[block]]")).ID)
		call := n.Post(t, a, harness.ChatPath, harness.GoodCall)
		if _, err := n.Orgs.Grant(a.Organization.ID, 40, account.Operator(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := n.Orgs.SetBalance(a.Organization.ID, 700, account.Operator(), time.Now()); err != nil {
			t.Fatal(err)
		}
		c := other.Client(n.Admin(t, a))
		pages := func(q earshot.LedgerQuery) (all []earshot.LedgerEntry, sum int64) {
			t.Helper()
			for {
				page, err := c.Ledger(t.Context(), q)
				if err != nil || len(page.Entries) > q.Limit {
					t.Fatalf("%+v, %v", page, err)
				}
				for _, e := range page.Entries {
					all, sum = append(all, e), sum+e.Credits
				}
				if page.NextCursor == nil {
					return all, sum
				}
				q.Cursor = *page.NextCursor
			}
		}
		for limit := 1; limit <= 6; limit++ {
			all, sum := pages(earshot.LedgerQuery{PageQuery: earshot.PageQuery{Limit: limit}})
			var got []string
			for _, e := range all {
				if (e.KeyID == "") == (e.Kind == earshot.LedgerCharge) {
					t.Errorf("the key of %+v is %q", e, e.KeyID)
				}
				e.ID, e.At, e.KeyID = "", earshot.Timestamp{}, ""
				got = append(got, harness.JSON(t, e))
			}
			want := []string{
				entryJSON(t, "adjust", -330, nil, nil), entryJSON(t, "grant", 40, nil, nil),
				entryJSON(t, "charge", -5, nil, new("chatassistant")), entryJSON(t, "charge", -5, &done, new("chatassistant")),
				entryJSON(t, "grant", 1000, nil, nil),
			}
			if sum != 700 || n.Reload(t, a).Balance != sum || !slices.Equal(got, want) {
				t.Errorf("in pages of %d the sum is %d of\n%s", limit, sum, strings.Join(got, "\n"))
			}
			if all[2].ID != call.Header.Get("X-Request-Id") || all[3].ID != done {
				t.Errorf("the charges have the ids %s and %s", all[2].ID, all[3].ID)
			}
		}
		for kind, want := range map[earshot.LedgerKind]int64{"grant": 1040, "charge": -10, "adjust": -330, "lapse": 0} {
			if all, sum := pages(earshot.LedgerQuery{Kind: kind, PageQuery: earshot.PageQuery{Limit: 1}}); sum != want {
				t.Errorf("the sum of %s is %d: %+v", kind, sum, all)
			}
		}
	})
}

// entryJSON is a ledger entry without what differs each time.
func entryJSON(t *testing.T, kind earshot.LedgerKind, credits int64, task, note *string) string {
	t.Helper()
	return harness.JSON(t, earshot.LedgerEntry{Kind: kind, Credits: credits, TaskID: task, Note: note})
}
