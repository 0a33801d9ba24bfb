package schema

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"earshot/internal/geo"
)

// Format is a kind of value that several fields have in common.
type Format struct {
	Name        string
	Description string            // used for fields without a comment
	Schema      Map               // its JSON Schema
	limits      map[string]string // like the limits in a tag
	// check reports whether a value is valid, and message is the problem if it is not. If
	// check is nil, the caller of Decode checks the value.
	check   func(string) bool
	message string
}

const (
	// MaxPrompt is the maximum number of characters of a prompt or a query.
	MaxPrompt = 10_000
	// MaxIdempotencyKey is the maximum number of characters of an idempotency key.
	MaxIdempotencyKey = 255

	maxLanguage = 64
	maxLocation = 200
	maxUULE     = 400
)

// IdempotencyKeyRule is the error message for an invalid idempotency key.
var IdempotencyKeyRule = fmt.Sprintf("must have 1 to %d printable characters", MaxIdempotencyKey)

var (
	momentPattern   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}([Tt].+)?$`)
	languagePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,35}$`)
	uuidPattern     = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
	uulePattern     = regexp.MustCompile(`^[A-Za-z0-9+/_=-]+$`)
	trackerName     = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`)
	daysPattern     = regexp.MustCompile(`^([1-9][0-9]{0,2}|[1-2][0-9]{3}|3[0-5][0-9]{2}|36[0-4][0-9]|3650)d$`)
	everyPattern    = regexp.MustCompile(`^(day|week|month|([1-9]|1[0-9]|2[0-4])h)$`)
	clockPattern    = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
	durationPattern = regexp.MustCompile(`^([1-9][0-9]{0,2}h)?([1-9][0-9]{0,3}m)?$`)
)

// IsInterfaceLanguage reports whether text can be sent to the search engine as the
// language of its interface. The engine may not know the language.
func IsInterfaceLanguage(text string) bool { return isPrintable(text, maxLanguage) }

// IsUULE reports whether text has the form of the search engine's encoded locations.
func IsUULE(text string) bool { return len(text) <= maxUULE && uulePattern.MatchString(text) }

// ParseMoment parses a time in RFC 3339, or a date. A date means the beginning of that day
// in UTC; then isDay is true.
func ParseMoment(text string) (moment time.Time, isDay bool, err error) {
	if moment, err = time.Parse(time.DateOnly, text); err == nil {
		return moment, true, nil
	}
	moment, err = time.Parse(time.RFC3339, text)
	return moment, false, err
}

func isMoment(text string) bool {
	moment, _, err := ParseMoment(text)
	return err == nil && moment.UTC().Year() >= 1970 && moment.UTC().Year() <= 9999
}

func stateCodes() []string {
	var codes []string
	for _, s := range geo.States() {
		codes = append(codes, s.Code)
	}
	return codes
}

// IsIdempotencyKey reports whether text can be an idempotency key.
func IsIdempotencyKey(text string) bool { return isPrintable(text, MaxIdempotencyKey) }

// isPrintable reports whether text consists of 1 to maxLength printable characters.
func isPrintable(text string, maxLength int) bool {
	n := utf8.RuneCountInString(text)
	return utf8.ValidString(text) && n > 0 && n <= maxLength && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// TrackerNameRule is the error message for an invalid name of a tracker.
const TrackerNameRule = "must have 1 to 100 of the characters a to z, 0 to 9, - and _, and begin with a letter or digit"

// IsTrackerName reports whether text can be the name of a tracker.
func IsTrackerName(text string) bool { return trackerName.MatchString(text) }

// formats are the formats that a tag can name.
var formats = map[string]Format{
	"prompt": {
		Description: "The prompt to send. White space around it is removed.",
		limits:      map[string]string{"maxLength": fmt.Sprint(MaxPrompt)},
	},
	"query": {
		Description: "The query to search for. White space around it is removed.",
		limits:      map[string]string{"maxLength": fmt.Sprint(MaxPrompt)},
	},
	"country": {
		Description: "An ISO 3166-1 alpha-2 code in upper case, or `XK`. It must be one that the provider serves; see `GET /v1/countries`.",
		Schema:      Map{{"pattern", "^[A-Z]{2}$"}},
	},
	"gl": {
		Description: "The country in either letter case, in the place of `country`. When both are given they must agree.",
		Schema:      Map{{"pattern", "^[A-Za-z]{2}$"}},
	},
	"hl": {
		Description: "The interface language, such as `de`, `pt-BR` or `en_US`, in any letter case. Any printable characters are passed on to the search engine. Overrides the language of the country.",
		Schema:      Map{{"minLength", 1}, {"maxLength", maxLanguage}},
		check:       IsInterfaceLanguage, message: fmt.Sprintf("must have 1 to %d printable characters, such as en, pt-BR or en_US", maxLanguage),
	},
	"state": {
		Description: "A US state or the District of Columbia. Only with country `US`.",
		Schema:      Map{{"enum", stateCodes()}},
	},
	"location": {
		Description: "A place as `City,Region,Country`, for results of one city. It must have a letter. Not together with `uule`.",
		limits:      map[string]string{"maxLength": fmt.Sprint(maxLocation)},
		check:       hasLetter, message: "must name a place, such as Austin,Texas,United States",
	},
	"uule": {
		Description: "A location that is encoded already. Not together with `location`.",
		limits:      map[string]string{"maxLength": fmt.Sprint(maxUULE)},
		check:       IsUULE, message: "must be an encoded location",
	},
	"pages": {
		Description: "How many result pages to read. Each after the first costs 2 credits if it has results; after a page without results no more are read.",
		limits:      map[string]string{"min": "1", "max": "10", "default": "1"},
	},
	"idempotencyKey": {
		Schema: Map{{"minLength", 1}, {"maxLength", MaxIdempotencyKey}},
		check:  IsIdempotencyKey, message: IdempotencyKeyRule,
	},
	"uri": {Schema: Map{{"format", "uri"}, {"pattern", "^[hH][tT][tT][pP][sS]?://"}}},
	// The URL of a webhook, or channel://NAME for a channel of the organization.
	"receiver": {Schema: Map{{"format", "uri"}, {"pattern", "^([hH][tT][tT][pP][sS]?|channel)://"}}},

	"uuid": {Schema: Map{{"format", "uuid"}}, check: uuidPattern.MatchString, message: "must be a UUID"},
	"date": {
		Description: "A UTC day.", Schema: Map{{"format", "date"}},
		check: func(text string) bool { _, err := time.Parse(time.DateOnly, text); return err == nil }, message: "must be a date such as 2026-09-08",
	},
	"moment": {
		Schema: Map{{"pattern", momentPattern.String()}},
		check:  isMoment, message: "must be a time in RFC 3339, such as 2026-09-08T09:30:00Z, or a date such as 2026-09-08",
	},
	"trackerName": {
		Schema: Map{{"pattern", trackerName.String()}},
		check:  IsTrackerName, message: TrackerNameRule,
	},
	"title": {
		limits: map[string]string{"maxLength": "200"},
		check:  func(text string) bool { return !strings.ContainsFunc(text, unicode.IsControl) }, message: "must be one line",
	},
	"language": {
		Schema: Map{{"pattern", languagePattern.String()}}, check: languagePattern.MatchString, message: "must be a language such as en or pt-BR",
	},
	"days": {
		Description: "A number of days, such as `400d`.",
		Schema:      Map{{"pattern", daysPattern.String()}}, check: daysPattern.MatchString, message: "must be 1 to 3650 days, such as 400d",
	},
	"every": {
		Schema: Map{{"pattern", everyPattern.String()}}, check: everyPattern.MatchString, message: "must be day, week, month or 1h to 24h",
	},
	"clock": {
		Schema: Map{{"pattern", clockPattern.String()}}, check: clockPattern.MatchString, message: "must be a time of day from 00:00 to 23:59",
	},
	"duration": {
		Schema: Map{{"pattern", durationPattern.String()}}, check: func(text string) bool { return text != "" && durationPattern.MatchString(text) }, message: "must be a time such as 4h or 30m",
	},
	"nextCursor": {Description: "Null on the last page."},
	"redirectLink": {
		Description: "The redirect that the engine served in the place of the destination, in the form that goto accepts. Absent when it served the destination itself.",
		Schema:      Map{{"format", "uri"}, {"pattern", "^https?://"}},
	},
	"ignored": {Description: "Accepted and ignored.", Schema: Map{{"deprecated", true}}},
	"object":  {Schema: Map{{"type", "object"}}},
	"options": {Schema: Map{{"type", "object"}}}, // its fields are checked elsewhere
	"cursor":  {Schema: Map{{"minLength", 1}, {"maxLength", 200}}},

	// The values of these depend on the providers, so the OpenAPI document has a component
	// for each.
	"provider": {Schema: Map{{"$ref", refPrefix + "Provider"}}},
	"taskType": {Schema: Map{{"$ref", refPrefix + "TaskType"}}},
	"model":    {Schema: Map{{"$ref", refPrefix + "CountryModel"}}},
	"result":   {Schema: Map{{"$ref", refPrefix + "TaskResult"}}},
	"error":    {Schema: Map{{"$ref", refPrefix + "Error"}}},
	"details":  {Schema: Map{{"$ref", refPrefix + "ErrorDetails"}}},
}
