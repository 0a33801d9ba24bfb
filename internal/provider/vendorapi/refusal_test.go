package vendorapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider/vendorapi"
)

func TestRefusal(t *testing.T) {
	t.Parallel()
	const (
		blocked     = earshot.ReasonBlocked
		unavailable = earshot.ReasonUnavailable
	)
	for _, test := range []struct {
		status  int
		codes   string
		message string
		reason  earshot.Reason
		final   bool
	}{
		{401, "", "", blocked, true},
		{402, "", "", blocked, true},
		{403, "PERMISSION_DENIED", "", blocked, true},
		{400, "INVALID_ARGUMENT API_KEY_INVALID", "", blocked, true},
		{400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", blocked, true},
		{429, "insufficient_quota", "", blocked, true},
		{400, "billing_not_active", "", blocked, true},
		{429, "RESOURCE_EXHAUSTED", "Check your plan and billing details.", blocked, false},
		{429, "Some resource has been exhausted", "The team has used all available credits.", blocked, true},
		{429, "", "", blocked, false},
		{408, "", "", unavailable, false},
		{409, "", "", unavailable, false},
		{500, "", "moderation is down", unavailable, false},
		{503, "UNAVAILABLE", "The model is overloaded.", unavailable, false},
		{529, "overloaded_error", "", unavailable, false},
		{400, "context_length_exceeded", "", blocked, true},
		{400, "string_above_max_length", "", blocked, true},
		{400, "content_policy_violation", "", blocked, true},
		{400, "", "This content was stopped by our moderation.", blocked, true},
		{400, "unknown_parameter", "", unavailable, true},
		{404, "NOT_FOUND", "", unavailable, true},
		{422, "", "", unavailable, true},
		{302, "", "", unavailable, false},
		{0, "rate_limit_error", "", blocked, false},
		{0, "429", "", blocked, false},
		{0, "authentication_error", "", blocked, true},
		{0, "overloaded_error", "", unavailable, false},
		{0, "invalid_request_error", "", unavailable, true},
		{0, "invalid_request_error content_filter", "", blocked, true},
		{0, "", "", unavailable, false},
	} {
		codes := strings.Fields(test.codes)
		failure := vendorapi.Refusal(test.status, nil, codes, test.message)
		if failure.Reason != test.reason || failure.Final != test.final || failure.RetryAfter != 0 {
			t.Errorf("%d %s %q is %s, final %t, after %s",
				test.status, test.codes, test.message, failure.Reason, failure.Final, failure.RetryAfter)
		}
	}
}

func TestRefusalRetryAfter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fields string
		want   time.Duration
	}{
		{"Retry-After=3", 3 * time.Second},
		{"Retry-After=0.5", 500 * time.Millisecond},
		{"Retry-After=86400", 5 * time.Minute},
		{"Retry-After=1e300", 5 * time.Minute},
		{"Retry-After=-3", 0},
		{"Retry-After=NaN", 0},
		{"Retry-After=soon", 0},
		{"Retry-After=Mon, 02 Jan 2006 15:04:35 GMT;Date=Mon, 02 Jan 2006 15:04:05 GMT", 30 * time.Second},
		{"Retry-After=Mon, 02 Jan 2006 15:04:05 GMT;Date=Mon, 02 Jan 2006 15:04:35 GMT", 0},
		{"Retry-After=Mon, 02 Jan 2006 15:04:05 GMT", 0},
		{"Retry-After-Ms=1500;Retry-After=2", 1500 * time.Millisecond},
		{"X-Ratelimit-Reset-Requests=1s;X-Ratelimit-Reset-Tokens=250ms", time.Second},
		{"X-Ratelimit-Reset-Requests=6m0s", 5 * time.Minute},
		{"X-Ratelimit-Reset-Tokens=10", 10 * time.Second},
		{"X-Ratelimit-Reset-Tokens=1s;Retry-After=4", 4 * time.Second},
		{"X-Ratelimit-Reset=1136214275;Date=Mon, 02 Jan 2006 15:04:05 GMT", 30 * time.Second},
		{"X-Ratelimit-Reset=30;Date=Mon, 02 Jan 2006 15:04:05 GMT", 0}, // of another vendor, and of unknown meaning
	} {
		header := http.Header{}
		for field := range strings.SplitSeq(test.fields, ";") {
			name, value, _ := strings.Cut(field, "=")
			header.Set(name, value)
		}
		for _, status := range []int{429, 503} {
			if got := vendorapi.Refusal(status, header, nil, "").RetryAfter; got != test.want {
				t.Errorf("%d with %s: after %s, want %s", status, test.fields, got, test.want)
			}
		}
		if got := vendorapi.Refusal(http.StatusUnauthorized, header, nil, "").RetryAfter; got != 0 {
			t.Errorf("a final refusal with %s has RetryAfter %s", test.fields, got)
		}
	}
}

func TestRefusalLogsNoKeys(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Incorrect API key provided: sk-proj-abc_123. See docs": "Incorrect API key provided: … See docs",
		"use xai-abc, pplx-abc or AIzaSyAbc":                    "use …, … or …",
		`header "Authorization: Bearer abc.def" is wrong`:       `header "Authorization: Bearer …" is wrong`,
		`{"api_key":"secret","model":"m"}`:                      `{"api_key":"…","model":"m"}`,
		"?key=secret&x=1":                                       "?key=…",
		"token 0123456789abcdef0123456789abcdef refused":        "token … refused",
		"limit generate_content_free_tier_requests_per_day":     "limit generate_content_free_tier_requests_per_day",
		"two\nlines\x00 \xff":                                   "two lines \ufffd",
		strings.Repeat("é", 300):                                strings.Repeat("é", 200),
		strings.Repeat("word ", 100_000):                        strings.TrimSuffix(strings.Repeat("word ", 40), " ") + " ",
	} {
		if got, want := vendorapi.Refusal(418, nil, nil, message).Err.Error(), "status 418: "+want; got != want {
			t.Errorf("%.80q is logged as %q, want %q", message, got, want)
		}
	}
	failure := vendorapi.Refusal(401, nil, []string{"invalid_request_error", "", "sk-secret"}, "")
	if got := failure.Err.Error(); got != "status 401 invalid_request_error …" {
		t.Errorf("codes are logged as %q", got)
	}
}
