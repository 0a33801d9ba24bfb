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
