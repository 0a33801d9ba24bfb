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
	"earshot/internal/store/storetest"
)

// signIn tries a token.
func (n *node) signIn(t *testing.T, token string) *reply {
	t.Helper()
	return n.post(t, nil, sessionPath, fmt.Sprintf(`{"token":%q}`, token))
}

func TestATokenSignsInOnce(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		n.organization(t, "business", 7) // a younger one
		before, token := n.token(t), n.token(t)
		if r := n.signIn(t, before); r.StatusCode != http.StatusUnauthorized || r.code(t) != earshot.CodeInvalidKey {
			t.Errorf("a token that another took the place of: %d %s", r.StatusCode, r.body)
		}
		if other != n {
			if r := other.signIn(t, token); r.StatusCode != http.StatusUnauthorized {
				t.Errorf("on another node: %d %s", r.StatusCode, r.body)
			}
		}
		var got struct {
			Secret    string
			ExpiresAt time.Time
		}
		n.signIn(t, token).into(t, &got)
		if left := time.Until(got.ExpiresAt); left < 11*time.Hour || left > 12*time.Hour {
			t.Errorf("the key expires in %s", left)
		}
		if r := n.signIn(t, token); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("a second time: %d %s", r.StatusCode, r.body)
		}
		session := &app.Account{Key: account.Key{Text: got.Secret}}
		if credits, err := other.client(session).Credits(t.Context()); err != nil || credits.Remaining != n.First.Organization.Balance {
			t.Errorf("it is not the oldest organization's key: %+v, %v", credits, err)
		}
		for path, body := range map[string]string{"/v1/keys": "", chat: good, taskPath: goodTask} {
			method := http.MethodPost
			if body == "" {
				method = http.MethodGet
			}
			if r := n.send(t, session, method, path, body); r.StatusCode != http.StatusOK {
				t.Errorf("%s: %d %s", path, r.StatusCode, r.body)
			}
		}
	})
}

func TestOfManyWhoHaveTheTokenOneSignsIn(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		n := start(t, address)
		token := n.token(t)
		statuses := make(chan int, 5)
		var group sync.WaitGroup
		for range cap(statuses) {
			group.Go(func() { statuses <- n.signIn(t, token).StatusCode })
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
		if r := n.signIn(t, n.token(t)); r.StatusCode != http.StatusTooManyRequests || r.number(t, "X-RateLimit-Limit") != 5 {
			t.Errorf("the sixth within a minute: %d %s", r.StatusCode, r.body)
		}
	})
}

func TestATokenExpires(t *testing.T) {
	t.Parallel()
	n := simple(t, func(cfg *app.Config) { cfg.TokenLife = time.Nanosecond })
	if r := n.signIn(t, n.token(t)); r.StatusCode != http.StatusUnauthorized || r.code(t) != earshot.CodeInvalidKey {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
}

func TestNobodySignsInToAWorker(t *testing.T) {
	t.Parallel()
	n := simple(t, as(app.RoleWorker))
	if got := n.DashboardURL(); got != n.BaseURL+"/" {
		t.Errorf("its dashboard is at %s", got)
	}
	if r := n.signIn(t, "x"); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
}
