package account_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/account"
)

func TestKeyIDAndHash(t *testing.T) {
	t.Parallel()
	key := account.NewKey()
	id, ok := account.KeyID(key.Text)
	if !ok || id != key.ID || !strings.HasPrefix(key.Text, "ear_live_"+id+"_") {
		t.Fatalf("%s has id %q, %t", key.Text, id, ok)
	}
	hash := account.HashKey(key.Text)
	if !account.KeyMatches(key.Text, hash) || account.KeyMatches(account.NewKey().Text, hash) || account.KeyMatches(key.Text, nil) {
		t.Error("different keys have the same hash, or a key does not match its own")
	}
	if strings.Contains(string(hash), key.Text[9:]) {
		t.Error("the hash contains the key")
	}
}

func TestInvalidKeys(t *testing.T) {
	t.Parallel()
	key := account.NewKey().Text
	last := "0"
	if strings.HasSuffix(key, "0") {
		last = "1"
	}
	for name, text := range map[string]string{
		"nothing":        "",
		"another prefix": "ear_test_" + key[9:],
		"cut off":        key[:len(key)-1],
		"too long":       key + "0",
		"a wrong sum":    key[:len(key)-1] + last,
		"another letter": strings.Replace(key, key[30:31], string(key[30]^1), 1),
	} {
		if id, ok := account.KeyID(text); ok {
			t.Errorf("%s: %q passes, with id %q", name, text, id)
		}
	}
}

func TestAWebhookSecretHas256Bits(t *testing.T) {
	t.Parallel()
	encoded, found := strings.CutPrefix(account.NewWebhookSecret(), "whsec_")
	secret, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil || len(secret) != 32 {
		t.Errorf("%q: %d bytes, %v", encoded, len(secret), err)
	}
}

func TestParseScopes(t *testing.T) {
	t.Parallel()
	scopes, err := account.ParseScopes("read, monitor")
	if err != nil || len(scopes) != 2 || scopes[1] != account.ScopeMonitor {
		t.Errorf("got %v, %v", scopes, err)
	}
	admin, err := account.ParseScopes("read,monitor,tasks,track,admin")
	if err != nil || !slices.Equal(admin, append(account.DefaultScopes(), account.ScopeAdmin)) || slices.Contains(account.DefaultScopes(), account.ScopeAdmin) {
		t.Errorf("with admin: %v, %v", admin, err)
	}
	if _, err := account.ParseScopes("read,write"); err == nil || !strings.Contains(err.Error(), `"write"`) {
		t.Errorf("an unknown scope: %v", err)
	}
}

func TestCycle(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, test := range []struct{ anchor, now, start, end string }{
		{"2026-01-15T10:00:00Z", "2026-01-15T10:00:00Z", "2026-01-15T10:00:00Z", "2026-02-15T10:00:00Z"},
		{"2026-01-15T10:00:00Z", "2026-02-15T09:59:59Z", "2026-01-15T10:00:00Z", "2026-02-15T10:00:00Z"},
		{"2026-01-15T10:00:00Z", "2026-02-15T10:00:00Z", "2026-02-15T10:00:00Z", "2026-03-15T10:00:00Z"},
		{"2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z"},
		{"2028-01-31T00:00:00Z", "2028-02-28T23:00:00Z", "2028-01-31T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"2025-12-31T00:00:00Z", "2026-06-30T12:00:00Z", "2026-06-30T00:00:00Z", "2026-07-31T00:00:00Z"},
		{"2024-05-10T00:00:00Z", "2026-11-09T00:00:00Z", "2026-10-10T00:00:00Z", "2026-11-10T00:00:00Z"},
	} {
		start, end := account.Cycle(at(test.anchor), at(test.now))
		if !start.Equal(at(test.start)) || !end.Equal(at(test.end)) {
			t.Errorf("anchor %s: the cycle of %s is %s to %s; want %s to %s", test.anchor, test.now, start, end, test.start, test.end)
		}
	}
}

func TestOverride(t *testing.T) {
	t.Parallel()
	mine := account.Plan{Name: "free", Slots: 3, CreditsPerCycle: 9, RequestsPerSecond: 2, QueueCapacity: 1}
	extra := account.Plan{Name: "huge", Slots: 999, RequestsPerSecond: 2}
	plans, err := account.DefaultPlans().Override(account.Plans{mine, extra})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []account.Plan{mine, extra} {
		if got, err := plans.Find(want.Name); err != nil || got != want {
			t.Errorf("%s is %+v, %v", want.Name, got, err)
		}
	}
	if len(plans) != 11 {
		t.Errorf("there are %d plans", len(plans))
	}
	if _, err := plans.Find("gold"); err == nil || !strings.Contains(err.Error(), "enterprise-5k") {
		t.Errorf("the error does not list the plans: %v", err)
	}
	if _, err := account.DefaultPlans().Override(account.Plans{{Name: "broken"}}); err == nil {
		t.Error("a plan without slots was accepted")
	}
}

func TestUnused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		o    account.Organization
		want int64
	}{
		{account.Organization{CycleGrant: 100, Balance: 100}, 100},
		{account.Organization{CycleGrant: 100, CycleUsed: 30, Balance: 70}, 70},
		{account.Organization{CycleGrant: 100, CycleUsed: 30, Balance: 120}, 70},          // 50 further credits
		{account.Organization{CycleGrant: 100, CycleUsed: 130, Balance: 20}, 0},           // the grant is used up
		{account.Organization{CycleGrant: 100, CycleUsed: 30, Balance: 70, Held: 10}, 60}, // a job runs at the end of the cycle
		{account.Organization{CycleGrant: 100, Balance: 5}, 5},                            // the balance was reduced
	} {
		if got := test.o.Unused(); got != test.want {
			t.Errorf("%+v has %d unused credits, want %d", test.o, got, test.want)
		}
	}
}
