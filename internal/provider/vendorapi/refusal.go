// Package vendorapi holds what the official APIs of all vendors have in common. The packages below
// it ask and read APIs that several providers use.
//
//	completion.go  parts of chat completions
//	error.go       reading errors in JSON
//	refusal.go     classifying errors
//	state.go       names of US states
package vendorapi

import (
	"cmp"
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

// Refusal returns the failure that an error of an official API means: whether to ask again, and
// when. codes are the vendor's machine-readable error codes, such as its type and its code; empty
// codes are ignored. An error inside an answer that began successfully has no status: pass 0, and
// the codes decide. A code may be an HTTP status in digits.
func Refusal(status int, header http.Header, codes []string, message string) *upstream.Failure {
	words := normalWords(strings.Join(codes, " "))
	allWords := words + " " + normalWords(message[:min(len(message), maxMessage)])
	kind := status
	if kind < http.StatusBadRequest {
		kind = statusOf(codes, words)
	}
	failure := upstream.Fail(earshot.ReasonUnavailable, "%s", describe(status, codes, message))
	if containsAny(words, endedCodes) {
		failure.Err, failure.Final = fmt.Errorf("the vendor's API that was asked has ended; the key is not wrong: %w", failure.Err), true
		return failure
	}
	switch {
	case kind == http.StatusUnauthorized, kind == http.StatusForbidden, kind == http.StatusPaymentRequired,
		containsAny(words, accountCodes), containsAny(allWords, accountPhrases):
		failure.Reason, failure.Final = earshot.ReasonBlocked, true
	case kind == http.StatusTooManyRequests:
		failure.Reason, failure.RetryAfter = earshot.ReasonBlocked, retryAfter(header)
	case kind == http.StatusRequestTimeout, kind == http.StatusConflict, kind >= http.StatusInternalServerError:
		failure.RetryAfter = retryAfter(header)
	case containsAny(allWords, refusedPhrases):
		failure.Reason, failure.Final = earshot.ReasonBlocked, true
	default:
		failure.Final = kind >= http.StatusBadRequest
	}
	switch {
	case containsAny(words, emptyCodes): // the key works
	case kind < http.StatusInternalServerError && kind != http.StatusTooManyRequests && modelGone(words, message):
		failure.Setting, failure.Final = upstream.SettingModel, true
	case kind == http.StatusUnauthorized, kind == http.StatusForbidden, containsAny(words, keyCodes), containsAny(allWords, keyPhrases):
		failure.Setting = upstream.SettingKey
	}
	return failure
}

// Phrases for a model that does not exist, or that the key may not use.
var (
	modelCodes  = []string{"model not found", "invalid model", "unknown model", "model deprecated", "model not available"}
	modelIsGone = regexp.MustCompile(`(?i)\bmodels?\b.{0,100}\b(?:do(?:es)? not exist|not found|no longer (?:available|supported)|not available|not supported for|` +
		`(?:has|have) been (?:deprecated|retired|removed|shut ?down|discontinued|decommissioned)|is (?:deprecated|retired|discontinued|decommissioned))|` +
		`\bmodel "[^"]{1,100}" is not supported|` +
		`\b(?:no|without|not have) access to (?:the )?(?:requested )?model|\b(?:unknown|invalid|unsupported|no such) model|\bmodel not found`)
)

// modelGone reports whether an error says that the model is gone or refused.
func modelGone(words, message string) bool {
	return containsAny(words, modelCodes) || modelIsGone.MatchString(message[:min(len(message), maxMessage)])
}

// Codes and phrases that decide regardless of the status. Account codes are searched for only in
// the codes, not in the message, because the message of an ordinary rate limit may mention billing.
var (
	accountCodes = slices.Concat(emptyCodes, keyCodes)
	emptyCodes   = []string{"insufficient quota", "billing"}
	keyCodes     = []string{"api key invalid", "invalid api key"}
	// Perplexity's answer to requests for its Sonar API, which ended on 2026-09-27. Its status is 403.
	endedCodes = []string{"chat completions not available"}
	// An empty account or a wrong key, for vendors that send no code for it.
	accountPhrases = slices.Concat([]string{"used all available credits", "spending limit", "insufficient credits"}, keyPhrases)
	keyPhrases     = []string{"incorrect api key", "api key not valid", "api key not found", "invalid api key", "api key expired"}
	// A prompt that is too long or not allowed.
	refusedPhrases = []string{
		"context length", "string above max length", "too many prompt tokens", "prompt is too long", "maximum prompt length", "maximum number of tokens",
		"content policy", "content filter", "content management policy", "responsibleaipolicy", "moderation",
		"usage policy", "usage policies", "usage guidelines", "invalid prompt", "safety",
	}
)

// statusOf returns the HTTP status that the codes mean, or 0 if they mean none. It is for errors
// without a status.
func statusOf(codes []string, words string) int {
	for _, code := range codes {
		if status, err := strconv.Atoi(code); err == nil && status >= 400 && status < 600 {
			return status
		}
	}
	for _, meaning := range codeMeanings {
		if containsAny(words, meaning.words) {
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

func containsAny(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(text, phrase) })
}

// normalWords returns text in lower case with spaces between words, so that content_filter,
// content-filter and Content Filter are equal.
func normalWords(text string) string {
	return strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(text))
}

// MaxRetryAfter caps the Retry-After that we honour, because no job waits longer.
const MaxRetryAfter = 5 * time.Minute

// retryAfter returns how long the header asks to wait before the next try, or 0 if it does not ask.
func retryAfter(header http.Header) time.Duration {
	return min(MaxRetryAfter, cmp.Or(
		parseWait(header.Get("Retry-After-Ms"), time.Millisecond),
		parseWait(header.Get("Retry-After"), time.Second),
		untilDate(header),
		untilReset(header),
		max(parseWait(header.Get("X-Ratelimit-Reset-Requests"), time.Second), parseWait(header.Get("X-Ratelimit-Reset-Tokens"), time.Second)),
	))
}

// parseWait parses a duration such as "6m0s", or a number of units. It returns 0 for an invalid or
// negative value.
func parseWait(text string, unit time.Duration) time.Duration {
	text = strings.TrimSpace(text)
	if count, err := strconv.ParseFloat(text, 64); err == nil {
		if !(count > 0) { // also true for NaN
			return 0
		}
		return time.Duration(min(count, float64(MaxRetryAfter/unit)) * float64(unit))
	}
	wait, _ := time.ParseDuration(text)
	return max(wait, 0)
}

// untilDate returns the time from the response's Date to its Retry-After, if that is a date.
func untilDate(header http.Header) time.Duration {
	until, err := http.ParseTime(header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return untilTime(header, until)
}

// untilReset returns the time from the response's Date to X-Ratelimit-Reset, if that is in seconds
// since 1970, as Perplexity sends it.
func untilReset(header http.Header) time.Duration {
	seconds, err := strconv.ParseInt(header.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil || seconds < 1e9 || seconds > 1e10 {
		return 0
	}
	return untilTime(header, time.Unix(seconds, 0))
}

func untilTime(header http.Header, until time.Time) time.Duration {
	sent, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		sent = time.Now()
	}
	return max(until.Sub(sent), 0)
}

// maxMessage limits the bytes of an error message that are searched, and maxLogged the characters
// of it that are logged.
const (
	maxMessage = 4 << 10
	maxLogged  = 200
)

// describe returns the log text for an error. It contains no API key, although vendors often repeat
// the key that they reject.
func describe(status int, codes []string, message string) string {
	text := "status " + strconv.Itoa(status)
	for _, code := range codes {
		if code = loggable(code); code != "" {
			text += " " + code
		}
	}
	if message = loggable(message); message != "" {
		text += ": " + message
	}
	return text
}

// loggable returns a vendor's text on one line, shortened and without keys.
func loggable(text string) string {
	text = webtext.Line(redact(text[:min(len(text), maxMessage)]))
	runes := []rune(text)
	return string(runes[:min(len(runes), maxLogged)])
}

// Patterns for keys: by the word before the key, by a vendor's prefix, or by the length.
var (
	namedKey    = regexp.MustCompile(`(?i)((?:key|bearer)(?:\s+(?:id|provided|is|was))*[\s:="']+)([^\s"',;:=][^\s"',;]*)`)
	prefixedKey = regexp.MustCompile(`\b(?:(?:sk|rk|pk|xai|pplx|gsk)-|AIza|ya29\.)[^\s"',;]*`)
	longToken   = regexp.MustCompile(`[\w+/=-]{32,}`)
)

// keyWords follow the word key without being one: API key not valid.
var keyWords = []string{"not", "is", "was", "has", "invalid", "missing", "expired", "required", "or", "and", "in", "for", "to"}

// redact replaces everything that looks like a key.
func redact(text string) string {
	text = namedKey.ReplaceAllStringFunc(text, func(found string) string {
		named := namedKey.FindStringSubmatch(found)
		if slices.Contains(keyWords, strings.ToLower(strings.TrimRight(named[2], "."))) {
			return found
		}
		return named[1] + "…"
	})
	text = prefixedKey.ReplaceAllString(text, "…")
	return longToken.ReplaceAllStringFunc(text, func(token string) string {
		if strings.ContainsAny(token, "0123456789") {
			return "…"
		}
		return token // a long word, such as the name of a limit
	})
}
