package vendorapi_test

import (
	"net/http"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider/vendorapi"
)

func TestRefusalBody(t *testing.T) {
	t.Parallel()
	for body, test := range map[string]struct {
		status int
		reason earshot.Reason
		final  bool
		says   string
	}{
		`{"error":{"message":"Incorrect API key provided: sk-abc123.","type":"invalid_request_error","code":"invalid_api_key"}}`: {
			401, earshot.ReasonBlocked, true, "status 401 invalid_request_error invalid_api_key: Incorrect API key provided: …",
		},
		`{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}`: {
			429, earshot.ReasonBlocked, true, "status 429 insufficient_quota: You exceeded your current quota.",
		},
		`{"error":{"message":"Rate limit reached.","type":"tokens","code":"rate_limit_exceeded"}}`: {
			429, earshot.ReasonBlocked, false, "status 429 tokens rate_limit_exceeded: Rate limit reached.",
		},
		`{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***yz."}`: {
			400, earshot.ReasonBlocked, true, "status 400 Client specified an invalid argument: Incorrect API key provided: …",
		},
		`{"error":{"code":"content_filter","message":"Filtered.","param":"prompt","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`: {
			400, earshot.ReasonBlocked, true, "status 400 content_filter ResponsibleAIPolicyViolation: Filtered.",
		},
		`{"error":{"code":"500","message":"Broken."}}`: {500, earshot.ReasonUnavailable, false, "status 500 500: Broken."},
		"<html>Bad gateway</html>":                     {502, earshot.ReasonUnavailable, false, "status 502"},
		`{"detail":"no such model"}`:                   {404, earshot.ReasonUnavailable, true, "status 404: no such model"},
		"":                                             {403, earshot.ReasonBlocked, true, "status 403"},
	} {
		failure := vendorapi.RefusalBody(test.status, http.Header{"Retry-After": {"2"}}, []byte(body))
		if failure.Reason != test.reason || failure.Final != test.final || failure.Err.Error() != test.says {
			t.Errorf("%s\nis %s, final %t: %v", body, failure.Reason, failure.Final, failure.Err)
		}
		if !failure.Final && failure.RetryAfter != 2*time.Second {
			t.Errorf("%s: retry after %s", body, failure.RetryAfter)
		}
	}
}
