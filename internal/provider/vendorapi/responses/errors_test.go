package responses_test

import (
	"errors"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/vendorapi/responses"
	"earshot/internal/upstream"
)

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
		_, err := responses.Read([]byte(document), answer.Options{})
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok || failure.Reason != want.Reason || failure.Final != want.Final {
			t.Errorf("%s\nis %+v", strings.TrimSpace(document), err)
		}
	}
}
