package brave_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider/vendorapi/brave"
)

func TestRefusal(t *testing.T) {
	t.Parallel()
	said := func(code string) string {
		return `{"type":"ErrorResponse","error":{"code":"` + code + `","detail":"d","status":1,"meta":{"component":"c"}},"time":1}`
	}
	reset := http.Header{"X-Ratelimit-Reset": {"1, 1419704"}, "X-Ratelimit-Remaining": {"0, 7"}}
	for _, test := range []struct {
		name   string
		status int
		header http.Header
		body   string
		reason earshot.Reason
		final  bool
		wait   time.Duration
	}{
		{"wrong key", 422, nil, said("SUBSCRIPTION_TOKEN_INVALID"), earshot.ReasonBlocked, true, 0},
		{"wrong key, as a list", 422, nil, `{"errors":[{"code":"SUBSCRIPTION_TOKEN_INVALID"}]}`, earshot.ReasonBlocked, true, 0},
		{"no key", 422, nil, `{"error":{"code":"VALIDATION","meta":{"errors":[{"loc":["header","x-subscription-token"],"msg":"Field required"}]}}}`, earshot.ReasonBlocked, true, 0},
		{"no subscription", 404, nil, said("SUBSCRIPTION_NOT_FOUND"), earshot.ReasonBlocked, true, 0},
		{"forbidden", 403, nil, said("OPTION_NOT_IN_PLAN"), earshot.ReasonBlocked, true, 0},
		{"the month's quota", 429, reset, said("QUOTA_LIMITED"), earshot.ReasonBlocked, true, 0},
		{"the second's limit", 429, reset, said("RATE_LIMITED"), earshot.ReasonBlocked, false, time.Second},
		{"its own wish first", 429, http.Header{"Retry-After": {"7"}, "X-Ratelimit-Reset": {"1"}}, said("RATE_LIMITED"), earshot.ReasonBlocked, false, 7 * time.Second},
		{"a long wait", 429, http.Header{"X-Ratelimit-Reset": {"86400"}}, said("RATE_LIMITED"), earshot.ReasonBlocked, false, 5 * time.Minute},
		{"an odd header", 429, http.Header{"X-Ratelimit-Reset": {"-1, x, 0, 99999999999999999999, 3"}}, "", earshot.ReasonBlocked, false, 3 * time.Second},
		{"no header", 429, nil, said("RATE_LIMITED"), earshot.ReasonBlocked, false, 0},
		{"a question too long", 422, nil, `{"error":{"code":"VALIDATION","meta":{"errors":[{"loc":["query","q"],"msg":"too long"}]}}}`, earshot.ReasonUnavailable, true, 0},
		{"broken", 500, nil, "<html>", earshot.ReasonUnavailable, false, 0},
		{"down", 503, http.Header{"Retry-After": {"2"}}, "", earshot.ReasonUnavailable, false, 2 * time.Second},
		{"text", 502, nil, "error code: 502", earshot.ReasonUnavailable, false, 0},
		{"huge", 500, nil, strings.Repeat("x", 4<<20), earshot.ReasonUnavailable, false, 0},
		{"wrong types", 422, nil, `{"error":[1],"errors":{"code":2}}`, earshot.ReasonUnavailable, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := brave.Refusal(test.status, test.header, []byte(test.body))
			if got == nil || got.Err == nil {
				t.Fatalf("the failure is %v", got)
			}
			if body, _, _ := strings.Cut(test.body, "<"); body != "" && !strings.HasPrefix(body, "{") && !strings.Contains(got.Error(), body[:10]) {
				t.Errorf("the text of the body is not in %v", got)
			}
			if got.Reason != test.reason || got.Final != test.final || got.RetryAfter != test.wait {
				t.Errorf("%v, final %v, wait %v", got, got.Final, got.RetryAfter)
			}
		})
	}
}
