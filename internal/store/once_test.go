package store_test

import (
	"errors"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
)

// A node that dies between the claim of a key and the response leaves the key to the next request.
func TestAKeyIsFreeWhenItsNodeIsDead(t *testing.T) {
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		request := func() *account.Once {
			return &account.Once{
				Organization: o.ID,
				Operation:    "POST /v1/toys", Key: "key", Hash: []byte("hash"), Request: store.NewID(), Answer: "toy",
				Seal: func(any) ([]byte, error) { return []byte("toy"), nil },
			}
		}
		first, second, now := request(), request(), time.Now()
		if err := s.ClaimKey(first, nil, node, now); err != nil {
			t.Fatal(err)
		}
		claim, served, err := s.KeyedRequest(t.Context(), second)
		if err != nil || !served || claim.Answer != nil {
			t.Errorf("a claim: %+v, served %t, error %v", claim, served, err)
		}
		if err := s.ClaimKey(second, nil, node, now); !errors.Is(err, store.ErrKeyTaken) {
			t.Errorf("a second claim: %v", err)
		}
		if err := s.RemoveNode(node); err != nil {
			t.Fatal(err)
		}
		if _, served, err := s.KeyedRequest(t.Context(), second); err != nil || served {
			t.Errorf("the claim of a dead node: served %t, error %v", served, err)
		}
		if err := s.ClaimKey(second, claim, node, now); err != nil {
			t.Errorf("a claim instead of a lost one: %v", err)
		}
		if err := errors.Join(s.FreeKey(first), s.KeepAnswer(second, now)); err != nil {
			t.Error(err)
		}
		if err := s.KeepAnswer(first, now); !errors.Is(err, store.ErrKeyTaken) {
			t.Errorf("a response that came late: %v", err)
		}
		stored, served, err := s.KeyedRequest(t.Context(), first)
		if err != nil || served || string(stored.Answer) != "toy" || stored.Request != second.Request {
			t.Errorf("the response: %+v, served %t, error %v", stored, served, err)
		}
	})
}
