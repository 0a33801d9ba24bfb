package api_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot/internal/account"
	"earshot/internal/store/storetest"
)

// After a start no key is cached. A burst of valid keys from one address must not be taken for
// forged keys, even while another address sends forged keys.
func TestAllKeysAreAcceptedAfterAStart(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := serveOn(t, address)
		const organizations, keysEach, forged = 5, 80, 300
		keys := make([]string, organizations*keysEach)
		var create errgroup.Group
		create.SetLimit(100)
		for i := range organizations {
			o := storetest.Organization(t, s.store, 1, 1000)
			for j := range keysEach {
				create.Go(func() error {
					key := account.NewKey()
					keys[i*keysEach+j] = key.Text
					return s.orgs.CreateKey(o.ID, key, []account.Scope{account.ScopeRead}, time.Time{}, account.Operator(), time.Now())
				})
			}
		}
		if err := create.Wait(); err != nil {
			t.Fatal(err)
		}
		status := func(key, from string) int {
			w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, echoPath, http.NoBody)
			r.RemoteAddr = from
			r.Header.Set("Authorization", "Bearer "+key)
			s.api.ServeHTTP(w, r)
			return w.Code
		}
		var group sync.WaitGroup
		for range forged {
			group.Go(func() {
				if got := status(account.NewKey().Text, "192.0.2.99:1"); got != http.StatusUnauthorized && got != http.StatusTooManyRequests {
					t.Errorf("a forged key: %d", got)
				}
			})
		}
		for _, key := range keys {
			group.Go(func() {
				// The key is known, but lacks the scope. So the request needs nothing else that is shared.
				if got := status(key, "192.0.2.1:1"); got != http.StatusForbidden {
					t.Errorf("a valid key: %d", got)
				}
			})
		}
		group.Wait()
	})
}
