package responses_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
)

func TestRefusal(t *testing.T) {
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
		failure := responses.Refusal(test.status, http.Header{"Retry-After": {"2"}}, []byte(body))
		if failure.Reason != test.reason || failure.Final != test.final || failure.Err.Error() != test.says {
			t.Errorf("%s\nis %s, final %t: %v", body, failure.Reason, failure.Final, failure.Err)
		}
		if !failure.Final && failure.RetryAfter != 2*time.Second {
			t.Errorf("%s: retry after %s", body, failure.RetryAfter)
		}
	}
}

// TestErrorsWithinAnswers checks that errors inside a stream or a response are classified like
// errors with a status.
func TestErrorsWithinAnswers(t *testing.T) {
	t.Parallel()
	failedWith := func(code string) string {
		return `{"object":"response","status":"failed","error":{"code":"` + code + `","message":"no"},"output":[]}`
	}
	for document, want := range map[string]upstream.Failure{
		failedWith("rate_limit_exceeded"): {Reason: earshot.ReasonBlocked},
		failedWith("server_error"):        {Reason: earshot.ReasonUnavailable},
		failedWith("invalid_prompt"):      {Reason: earshot.ReasonBlocked, Final: true},
		failedWith("unheard_of"):          {Reason: earshot.ReasonUnavailable},
		`{"type":"response.failed","response":` + failedWith("insufficient_quota") + `}`:                                  {Reason: earshot.ReasonBlocked, Final: true},
		"event: error\n" + `data: {"type":"error","code":"context_length_exceeded","message":"no","param":null}` + "\n\n": {Reason: earshot.ReasonBlocked, Final: true},
		`{"error":{"type":"invalid_request_error","param":"model","message":"no"}}`:                                       {Reason: earshot.ReasonUnavailable, Final: true},
		string(read(t, "refused.json")):  {Reason: earshot.ReasonBlocked, Final: true},
		string(read(t, "filtered.json")): {Reason: earshot.ReasonBlocked, Final: true},
		string(read(t, "too_long.json")): {Reason: earshot.ReasonUnavailable},
		string(read(t, "cut.sse")):       {Reason: earshot.ReasonUnavailable},
	} {
		_, err := responses.Read([]byte(document), answer.Want{})
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok || failure.Reason != want.Reason || failure.Final != want.Final {
			t.Errorf("%s\nis %+v", strings.TrimSpace(document), err)
		}
	}
}
