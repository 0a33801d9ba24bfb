package vendorapi

import (
	"cmp"
	"net/http"
	"slices"

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
// of an upstream.Request.
func RefusalBody(status int, header http.Header, body []byte) *upstream.Failure {
	return RefusalObject(status, header, rawdoc.FirstPiece(rawdoc.Trimmed(body)))
}

// RefusalObject returns the failure that a JSON object of an API reports, usually in its field
// "error". The status is 0 for an object inside an answer that began successfully.
func RefusalObject(status int, header http.Header, o loosejson.Object) *upstream.Failure {
	problem := o.Object("error")
	if problem == nil {
		problem = o
	}
	found := []string{problem.Text("type"), problem.Amount("code"), problem.Text("status"), problem.Object("innererror").Text("code"), o.Amount("code")}
	for _, detail := range problem.Objects("details") { // Google's format
		found = append(found, detail.Text("reason"))
		if delay := detail.Text("retryDelay"); delay != "" {
			header = header.Clone()
			if header == nil {
				header = http.Header{}
			}
			header.Set("Retry-After", delay)
		}
	}
	var codes []string
	for _, code := range found {
		if code != "" && code != "error" && !slices.Contains(codes, code) { // "error" is the type of any error event
			codes = append(codes, code)
		}
	}
	return Refusal(status, header, codes, cmp.Or(problem.Text("message"), o.Text("error", "detail")))
}
