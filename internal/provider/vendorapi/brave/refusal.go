package brave

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

// Refusal returns the failure that a response with an error status means.
func Refusal(status int, header http.Header, body []byte) *upstream.Failure {
	text := vendorapi.BodyText(rawdoc.Trimmed(body)) // logged if there is no error object
	failure := vendorapi.Refusal(status, header, nil, text)
	_ = decode(body, func(o loosejson.Object) error {
		failure = refusal(status, header, o, text)
		return nil
	})
	return failure
}

// refusal classifies a document of type ErrorResponse. The documentation has also shown its error
// as a list.
func refusal(status int, header http.Header, o loosejson.Object, text string) *upstream.Failure {
	apiError := o.Object("error")
	if list := o.Objects("errors"); apiError == nil && len(list) > 0 {
		apiError = list[0]
	}
	status = cmp.Or(status, apiError.Int("status"))
	code := apiError.Text("code")
	if apiError != nil {
		text = apiError.Text("detail")
	}
	failure := vendorapi.Refusal(status, header, []string{code}, text)
	switch {
	case strings.HasPrefix(code, "SUBSCRIPTION_"), lacksKey(apiError):
		// The API answers 422 to an invalid key, and 404 to a key without a subscription.
		failure.Reason, failure.Final, failure.Setting = earshot.ReasonBlocked, true, upstream.SettingKey
	case code == "QUOTA_LIMITED":
		// QUOTA_LIMITED is the monthly quota; RATE_LIMITED is the limit per second.
		failure.Final, failure.RetryAfter = true, 0
	case status == http.StatusTooManyRequests && failure.RetryAfter == 0:
		failure.RetryAfter = untilReset(header)
	}
	return failure
}

// lacksKey reports whether the error is about a missing key. The API reports a missing key as an
// ordinary validation error.
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

// untilReset returns how long the limit of calls per second lasts. The header lists the seconds
// until each limit resets, such as "1, 1419704" for the limits per second and per month; the
// shortest counts.
func untilReset(header http.Header) time.Duration {
	soonest := time.Duration(0)
	for text := range strings.SplitSeq(header.Get("X-RateLimit-Reset"), ",") {
		seconds, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31)
		wait := min(time.Duration(seconds)*time.Second, vendorapi.MaxRetryAfter)
		if err == nil && wait > 0 && (soonest == 0 || wait < soonest) {
			soonest = wait
		}
	}
	return soonest
}
