package brave

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

// Refusal says what an error of the API means.
func Refusal(status int, header http.Header, body []byte) *upstream.Failure {
	failure := vendorapi.Refusal(status, header, nil, "") // for a body that cannot be read
	_ = decode(body, func(o loosejson.Object) error {
		failure = refusal(status, header, o)
		return nil
	})
	return failure
}

// refusal is Refusal for a document of the type ErrorResponse. Its error has been
// documented as a list, too.
func refusal(status int, header http.Header, o loosejson.Object) *upstream.Failure {
	apiError := o.Object("error")
	if list := o.Objects("errors"); apiError == nil && len(list) > 0 {
		apiError = list[0]
	}
	if own := apiError.Count("status"); status == 0 && own != nil {
		status = *own
	}
	code := apiError.Text("code")
	failure := vendorapi.Refusal(status, header, []string{code}, apiError.Text("detail"))
	switch {
	case strings.HasPrefix(code, "SUBSCRIPTION_"), lacksKey(apiError):
		// A key that it does not accept is a 422, one without a subscription a 404.
		failure.Reason, failure.Final = earshot.ReasonBlocked, true
	case code == "QUOTA_LIMITED":
		// The month's, while RATE_LIMITED is about the second.
		failure.Final, failure.RetryAfter = true, 0
	case status == http.StatusTooManyRequests && failure.RetryAfter == 0:
		failure.RetryAfter = untilReset(header)
	}
	return failure
}

// lacksKey tells whether the error is about a request without a key, which the
// API calls invalid like any other mistake.
func lacksKey(apiError loosejson.Object) bool {
	for _, mistake := range apiError.Object("meta").Objects("errors") {
		for _, part := range mistake.Texts("loc", "") {
			if strings.EqualFold(part, API.KeyHeader) {
				return true
			}
		}
	}
	return false
}

// maxWait is the longest wish to be left alone that is heeded: no job waits
// longer.
const maxWait = 5 * time.Minute

// untilReset is how long the limit of calls a second lasts. The header has the
// seconds for each limit, such as "1, 1419704" for that of the second and that of
// the month: it is the shortest.
func untilReset(header http.Header) time.Duration {
	soonest := time.Duration(0)
	for text := range strings.SplitSeq(header.Get("X-RateLimit-Reset"), ",") {
		seconds, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31)
		wait := min(time.Duration(seconds)*time.Second, maxWait)
		if err == nil && wait > 0 && (soonest == 0 || wait < soonest) {
			soonest = wait
		}
	}
	return soonest
}
