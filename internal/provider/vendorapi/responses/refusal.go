package responses

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

// Refusal returns the failure that a response with an error status means.
func Refusal(status int, header http.Header, body []byte) *upstream.Failure {
	codes, message := trouble(rawdoc.FirstPiece(rawdoc.Trimmed(body)))
	return vendorapi.Refusal(status, header, codes, message)
}

// failed returns the failure that an object inside an answer reports.
func failed(o loosejson.Object) *upstream.Failure {
	codes, message := trouble(o)
	return vendorapi.Refusal(0, nil, codes, message)
}

func blocked(format string, args ...any) *upstream.Failure {
	failure := upstream.Fail(earshot.ReasonBlocked, format, args...)
	failure.Final = true
	return failure
}

// isError reports whether the object is an error of such an API: its message comes with a type or
// with the name of a wrong parameter. Other APIs send a number as the code.
func isError(o loosejson.Object) bool {
	if o.Text("error") != "" { // xAI's format
		return o.Text("code") != "" && len(o) == 2
	}
	problem := o
	if inner := o.Object("error"); inner != nil {
		problem = inner
	} else if o.Text("type") != "error" {
		return false
	}
	_, number := problem["code"].(json.Number)
	_, parameter := problem["param"]
	return problem.Text("message") != "" && !number && (problem.Text("type") != "" || parameter)
}

// trouble returns the error codes and the message of an object.
func trouble(o loosejson.Object) (codes []string, message string) {
	problem := o.Object("error")
	if problem == nil {
		problem = o
	}
	for _, code := range []string{
		problem.Text("type"), problem.Amount("code"), problem.Object("innererror").Text("code"), o.Amount("code"),
	} {
		known := code == "error" || slices.Contains(codes, code) // every error event has the type "error"
		if code != "" && !known {
			codes = append(codes, code)
		}
	}
	return codes, cmp.Or(problem.Text("message"), o.Text("error", "detail"))
}
