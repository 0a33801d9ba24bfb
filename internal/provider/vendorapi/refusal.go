// Package vendorapi is what official APIs have in common, whichever the vendor. The
// packages below it are APIs that several providers use.
package vendorapi

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// Refusal says what an error of an official API means for the question: whether
// to ask again, and when. codes are the vendor's machine-readable words for the
// error, such as its type and its code. An error within an answer that began well
// has no status of its own: its status is 0 and the codes tell, among them a
// status as digits.
func Refusal(status int, header http.Header, codes []string, message string) *upstream.Failure {
	words := normalWords(strings.Join(codes, " "))
	allWords := words + " " + normalWords(message[:min(len(message), maxMessage)])
	kind := status
	if kind < http.StatusBadRequest {
		kind = statusOf(codes, words)
	}
	failure := upstream.Fail(earshot.ReasonUnavailable, "%s", describe(status, codes, message))
	switch {
	case kind == http.StatusUnauthorized, kind == http.StatusForbidden, kind == http.StatusPaymentRequired,
		contains(words, accountCodes), contains(allWords, accountPhrases):
		failure.Reason, failure.Final = earshot.ReasonBlocked, true
	case kind == http.StatusTooManyRequests:
		failure.Reason, failure.RetryAfter = earshot.ReasonBlocked, retryAfter(header)
	case kind == http.StatusRequestTimeout, kind == http.StatusConflict, kind >= http.StatusInternalServerError:
		failure.RetryAfter = retryAfter(header)
	case contains(allWords, refusedPhrases):
		failure.Reason, failure.Final = earshot.ReasonBlocked, true
	default:
		failure.Final = kind >= http.StatusBadRequest
	}
	return failure
}

// What errors say whatever their status is. The codes are apart from the phrases
// that are looked for in messages too: the message about an ordinary limit may
// speak of billing.
var (
	accountCodes = []string{"insufficient quota", "billing", "api key invalid", "invalid api key"}
	// An empty account or a wrong key, in the words of vendors without such codes.
	accountPhrases = []string{
		"incorrect api key", "api key not valid", "api key not found", "invalid api key", "api key expired",
		"used all available credits", "spending limit", "insufficient credits",
	}
	// A question that is too long or not allowed.
	refusedPhrases = []string{
		"context length", "string above max length", "too many prompt tokens", "prompt is too long", "maximum prompt length", "maximum number of tokens",
		"content policy", "content filter", "content management policy", "responsibleaipolicy", "moderation",
		"usage policy", "usage policies", "usage guidelines", "invalid prompt", "safety",
	}
)

// statusOf is the status that the codes stand for where an error has none, 0
// where they do not tell.
func statusOf(codes []string, words string) int {
	for _, code := range codes {
		if status, err := strconv.Atoi(code); err == nil && status >= 400 && status < 600 {
			return status
		}
	}
	for _, meaning := range codeMeanings {
		if contains(words, meaning.words) {
			return meaning.status
		}
	}
	return 0
}

var codeMeanings = []struct {
	status int
	words  []string
}{
	{http.StatusTooManyRequests, []string{"rate limit", "too many requests", "resource exhausted"}},
	{http.StatusUnauthorized, []string{"authentication", "unauthenticated", "permission"}},
	{http.StatusServiceUnavailable, []string{"server error", "internal", "overloaded", "unavailable", "timeout", "deadline exceeded"}},
	{http.StatusBadRequest, []string{"invalid", "not found", "failed precondition"}},
}

func contains(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(text, phrase) })
}

// normalWords writes words alike, however they are joined: content_filter,
// content-filter and Content Filter.
func normalWords(text string) string {
	return strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(text))
}

// maxRetryAfter is the longest wish to be left alone that is heeded: no job waits
// longer.
const maxRetryAfter = 5 * time.Minute

// retryAfter is how long the header asks to wait before the next try, 0 where it
// does not say.
func retryAfter(header http.Header) time.Duration {
	wait := span(header.Get("Retry-After-Ms"), time.Millisecond)
	if wait == 0 {
		wait = span(header.Get("Retry-After"), time.Second)
	}
	if wait == 0 {
		wait = untilDate(header)
	}
	if wait == 0 {
		wait = max(span(header.Get("X-Ratelimit-Reset-Requests"), time.Second), span(header.Get("X-Ratelimit-Reset-Tokens"), time.Second))
	}
	return min(wait, maxRetryAfter)
}

// span reads a time such as "6m0s", or one without a unit. What cannot be read or
// is in the past is 0.
func span(text string, unit time.Duration) time.Duration {
	text = strings.TrimSpace(text)
	if count, err := strconv.ParseFloat(text, 64); err == nil {
		if !(count > 0) { // which is no number either
			return 0
		}
		return time.Duration(min(count, float64(maxRetryAfter/unit)) * float64(unit))
	}
	wait, _ := time.ParseDuration(text)
	return max(wait, 0)
}

// untilDate is the time from when the answer was sent until the date that it
// names.
func untilDate(header http.Header) time.Duration {
	until, err := http.ParseTime(header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	sent, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		sent = time.Now()
	}
	return max(until.Sub(sent), 0)
}

// Limits on what is taken from an error's message: how much of it is looked at,
// and how many characters of it reach the log.
const (
	maxMessage = 4 << 10
	maxLogged  = 200
)

// describe is what the log says of an error. No key stands in it, though vendors
// like to repeat the one they refuse.
func describe(status int, codes []string, message string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "status %d", status)
	for _, code := range codes {
		if code = loggable(code); code != "" {
			text.WriteString(" " + code)
		}
	}
	if message = loggable(message); message != "" {
		text.WriteString(": " + message)
	}
	return text.String()
}

// loggable is a text of the vendor's on one line, short and without keys.
func loggable(text string) string {
	text = webtext.Line(redact(text[:min(len(text), maxMessage)]))
	count := 0
	for i := range text {
		if count == maxLogged {
			return text[:i]
		}
		count++
	}
	return text
}

// These find keys: by what stands before them, by how the vendors' begin, and by
// their length.
var (
	namedKey    = regexp.MustCompile(`(?i)((?:key|bearer)(?:\s+(?:id|provided|is|was))*[\s:="']+)[^\s"',;:=][^\s"',;]*`)
	prefixedKey = regexp.MustCompile(`\b(?:(?:sk|rk|pk|xai|pplx|gsk)-|AIza|ya29\.)[^\s"',;]*`)
	longToken   = regexp.MustCompile(`[\w+/=-]{32,}`)
)

// redact replaces everything that looks like a key.
func redact(text string) string {
	text = namedKey.ReplaceAllString(text, "${1}…")
	text = prefixedKey.ReplaceAllString(text, "…")
	return longToken.ReplaceAllStringFunc(text, func(token string) string {
		if strings.ContainsAny(token, "0123456789") {
			return "…"
		}
		return token // a long word, such as the name of a limit
	})
}
