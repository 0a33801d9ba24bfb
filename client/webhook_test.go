package client_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"earshot"
	"earshot/client"
)

const (
	newSecret = "whsec_bmV3IG5ldyBuZXcgbmV3IG5ldyBuZXc="
	oldSecret = "whsec_b2xkIG9sZCBvbGQgb2xkIG9sZCBvbGQ="
)

// signed returns the headers of a webhook, signed with each of the secrets.
func signed(t *testing.T, body string, at time.Time, secrets ...string) http.Header {
	t.Helper()
	var signatures []string
	for _, secret := range secrets {
		key, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := key.Sign("msg-1", at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		signatures = append(signatures, signature)
	}
	header := http.Header{}
	header.Set("Webhook-Id", "msg-1")
	header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	header.Set("Webhook-Signature", strings.Join(signatures, " "))
	return header
}

func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	const body = `{"task":{"id":"7","status":"COMPLETED"},"credits":{},"result":{"text":"shoes"}}`
	now := time.Now()
	both := []string{newSecret, oldSecret}
	for name, test := range map[string]struct {
		header  http.Header
		body    string
		secrets []string
		valid   bool
	}{
		"one secret":                    {signed(t, body, now, newSecret), body, []string{newSecret}, true},
		"only the sender has rotated":   {signed(t, body, now, both...), body, []string{oldSecret}, true},
		"only the receiver has rotated": {signed(t, body, now, oldSecret), body, both, true},
		"both have rotated":             {signed(t, body, now, both...), body, both, true},
		"another secret":                {signed(t, body, now, oldSecret), body, []string{newSecret}, false},
		"a body that was changed":       {signed(t, body, now, newSecret), strings.Replace(body, "shoes", "boots", 1), both, false},
		"an old message":                {signed(t, body, now.Add(-time.Hour), newSecret), body, both, false},
		"a message from the future":     {signed(t, body, now.Add(time.Hour), newSecret), body, both, false},
		"no headers":                    {http.Header{}, body, both, false},
		"no secret":                     {signed(t, body, now, newSecret), body, nil, false},
		"an empty secret":               {signed(t, body, now, ""), body, []string{""}, false},
		"a prefix without a secret":     {signed(t, body, now, ""), body, []string{"whsec_"}, false},
		"an invalid secret":             {signed(t, body, now, newSecret), body, []string{"whsec_!"}, false},
		"signed, but not JSON":          {signed(t, "no JSON", now, newSecret), "no JSON", both, false},
		"signed, but not an object":     {signed(t, `[]`, now, newSecret), `[]`, both, false},
	} {
		record, err := client.VerifyWebhook(test.header, []byte(test.body), test.secrets...)
		if (err == nil) != test.valid || test.valid && (record.Task.ID != "7" || record.Task.Status != earshot.StatusCompleted) {
			t.Errorf("%s: %+v, %v", name, record, err)
		}
	}
	if _, err := client.VerifyWebhook(http.Header{}, nil, newSecret); !errors.Is(err, client.ErrSignature) || !errors.Is(err, standardwebhooks.ErrRequiredHeaders) {
		t.Errorf("without headers: %v", err)
	}
}
