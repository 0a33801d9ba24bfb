package service_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/store/history"
	"earshot/test/harness"
)

// signIn tries a token.
func signIn(t *testing.T, n *harness.Node, token string) *harness.Reply {
	t.Helper()
	return n.Post(t, nil, harness.SessionPath, fmt.Sprintf(`{"token":%q}`, token))
}

func TestATokenSignsInOnce(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		n.Organization(t, "business", 7) // a younger one
		before, token := n.Token(t), n.Token(t)
		signIn(t, n, before).Fails(t, "a token that another took the place of", http.StatusUnauthorized, earshot.CodeInvalidKey)
		if other != n {
			signIn(t, other, token).Has(t, "on another node", http.StatusUnauthorized)
		}
		// Whoever tries others does not keep the one with the right token out.
		for range 7 {
			signIn(t, n, "x").Has(t, "a wrong token", http.StatusUnauthorized)
		}
		cookie := signIn(t, n, token).Cookies()[0]
		signIn(t, n, token).Has(t, "a second time", http.StatusUnauthorized)
		entries, err := history.New(n.Store).AuditLog(t.Context(), n.First.Organization.ID, history.AuditFilter{Limit: 10})
		if err != nil || len(entries) < 3 || entries[0].Action != "session.signin" || entries[0].Actor.Kind != "operator" || entries[2].Action != "organization.create" || entries[2].Actor.Kind != "system" {
			t.Errorf("the audit log has %s, %v", harness.JSON(t, entries), err)
		}
		session := &app.Account{Key: account.Key{Text: cookie.Value}}
		var made earshot.KeyList
		other.Get(t, session, "/v1/keys").Into(t, &made)
		for _, key := range made.Keys {
			if key.Current && (key.ExpiresAt == nil || time.Until(key.ExpiresAt.Time) > 12*time.Hour) {
				t.Errorf("the key expires at %v", key.ExpiresAt)
			}
		}
		if credits, err := other.Client(session).Credits(t.Context()); err != nil || credits.Remaining != n.First.Organization.Balance {
			t.Errorf("it is not the oldest organization's key: %+v, %v", credits, err)
		}
		for path, body := range map[string]string{"/v1/keys": "", harness.ChatPath: harness.GoodCall, harness.TaskPath: harness.GoodTask} {
			method := http.MethodPost
			if body == "" {
				method = http.MethodGet
			}
			n.Send(t, session, method, path, body).Has(t, path, http.StatusOK)
		}
	})
}

func TestOfManyWhoHaveTheTokenOneSignsIn(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	token := n.Token(t)
	statuses := make(chan int, 5)
	var group sync.WaitGroup
	for range cap(statuses) {
		group.Go(func() { statuses <- signIn(t, n, token).StatusCode })
	}
	group.Wait()
	close(statuses)
	got := map[int]int{}
	for status := range statuses {
		got[status]++
	}
	if got[http.StatusOK] != 1 || got[http.StatusUnauthorized] != 4 {
		t.Errorf("they got %v", got)
	}
}

func TestATokenExpires(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, func(cfg *app.Config) { cfg.TokenLife = time.Nanosecond })
	signIn(t, n, n.Token(t)).Fails(t, "an expired token", http.StatusUnauthorized, earshot.CodeInvalidKey)
}
