package vendorapi

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/upstream"
)

// Blocked returns the final failure of a question that the API does not answer.
func Blocked(format string, args ...any) *upstream.Failure {
	failure := upstream.Fail(earshot.ReasonBlocked, format, args...)
	failure.Final = true
	return failure
}

// RefusalBody returns the failure that a response with an error status means. It can be the Refusal
// of an upstream.Request. A body that is no error object in JSON is logged as text.
func RefusalBody(status int, header http.Header, body []byte) *upstream.Failure {
	body = rawdoc.Trimmed(body)
	object := rawdoc.FirstPiece(body)
	if codes, message, _ := trouble(object); len(codes) > 0 || message != "" {
		return RefusalObject(status, header, object)
	}
	return Refusal(status, header, nil, BodyText(body))
}

// maxBody limits how many bytes of a body without an error object are read.
const maxBody = 16 << 10

// Markup in the page that a gateway sends in place of an error object.
var (
	hidden = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(?:script|style|head)\s*>|<!--.*?-->`)
	tag    = regexp.MustCompile(`<[^<>]*>`)
)

// BodyText returns the text of an error's body: a page without its markup, or the unchanged body.
func BodyText(body []byte) string {
	text := strings.ToValidUTF8(string(body[:min(len(body), maxBody)]), "")
	if !rawdoc.IsPage(body) {
		return text
	}
	return strings.TrimSpace(tag.ReplaceAllString(hidden.ReplaceAllString(text, " "), " "))
}

// RefusalObject returns the failure that a JSON object of an API reports, usually in its field
// "error". The status is 0 for an object inside an answer that began successfully.
func RefusalObject(status int, header http.Header, o loosejson.Object) *upstream.Failure {
	codes, message, delay := trouble(o)
	if delay != "" {
		header = header.Clone()
		if header == nil {
			header = http.Header{}
		}
		header.Set("Retry-After", delay)
	}
	failure := Refusal(status, header, codes, message)
	if refusesStream(status, o, message) {
		failure.Setting = upstream.SettingStream
	}
	return failure
}

// aboutStream matches messages of models and accounts that cannot stream.
var aboutStream = regexp.MustCompile(`(?i)verified to stream|\bstream(?:ing)?\b.{0,40}\b(?:not|n't|un)\s?(?:supported|available|allowed|enabled)|(?:not|n't) (?:support|allow|enable) stream`)

// refusesStream reports whether an error says that the answer cannot be streamed. OpenAI names the
// parameter "stream".
func refusesStream(status int, o loosejson.Object, message string) bool {
	badRequest := status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
	return badRequest && (o.Object("error").Text("param") == "stream" || aboutStream.MatchString(message[:min(len(message), maxMessage)]))
}

// trouble returns the codes and the message of an error object, and how long to wait in Google's
// format.
func trouble(o loosejson.Object) (codes []string, message, delay string) {
	problem := o.Object("error")
	if problem == nil {
		problem = o
	}
	found := []string{problem.Text("type"), problem.Amount("code"), problem.Text("status"), problem.Object("innererror").Text("code"), o.Amount("code")}
	for _, detail := range problem.Objects("details") { // Google's format
		found = append(found, detail.Text("reason"))
		delay = cmp.Or(detail.Text("retryDelay"), delay)
	}
	for _, code := range found {
		if code != "" && code != "error" && !slices.Contains(codes, code) { // "error" is the type of any error event
			codes = append(codes, code)
		}
	}
	return codes, cmp.Or(problem.Text("message"), o.Text("error", "detail")), delay
}
