package contract_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/test/harness"
)

const liveOp = "GET " + harness.LivePath

func liveRows() []row {
	live := append(commonRows("live", liveOp, "", "", account.ScopeRead),
		row{name: "live", method: "GET", path: harness.LivePath, key: busyKey, status: 200, media: "text/event-stream", check: says("event: status\ndata: " + `{"credits":{"remaining":500,"held":5,"perCycle":500,`)},
		row{name: "live while the node stops", on: "draining", method: "GET", path: harness.LivePath, key: anyKey, status: 503, code: "SERVICE_UNAVAILABLE"},
	)
	for i := range live {
		live[i].stream = true
	}
	return slices.Concat(live, commonRows("stats", "GET "+harness.StatsPath, "", "", account.ScopeRead), []row{
		{name: "stats", method: "GET", path: harness.StatsPath, key: listKey, status: 200, check: holds(`"provider":"websearch/news","jobs":1,"failed":0,"p50Ms":`)},
		{name: "stats of a task that could not be paid", method: "GET", path: harness.StatsPath + "?hours=24", key: unpaidKey, status: 200, check: holds(`"jobs":1,"failed":1,"p50Ms":null,"p95Ms":null}]}`)},
		{name: "stats of nobody", method: "GET", path: harness.StatsPath + "?hours=1", key: brokeKey, status: 200, check: says(`{"hours":[]}`)},
		{name: "stats of no hour", method: "GET", path: harness.StatsPath + "?hours=0", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("hours")},
		{name: "stats of 25 hours", method: "GET", path: harness.StatsPath + "?hours=25", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("hours")},

		// An address may try five tokens a minute, on each stage.
		{name: "session", method: "POST", path: harness.SessionPath, body: `{"token":"<token>"}`, status: 200, check: says(`{"success":true,"session":{"organization":"default","organizationId":"`)},
		{name: "session with a key", method: "POST", path: harness.SessionPath, body: `{"key":"<key>"}`, status: 200, check: holds(`"scopes":["read"],"organizations":[]}}`)},
		{name: "session with a wrong token", method: "POST", path: harness.SessionPath, body: `{"token":"x"}`, status: 401, code: "INVALID_API_KEY"},
		{name: "session with a wrong key", method: "POST", path: harness.SessionPath, body: `{"key":"x"}`, status: 401, code: "INVALID_API_KEY"},
		{name: "session without a body", method: "POST", path: harness.SessionPath, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
		{name: "session with a key that is none", method: "POST", path: harness.SessionPath, body: `{"key":1}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("key")},
		{name: "session with a long token", method: "POST", path: harness.SessionPath, body: `{"token":"` + strings.Repeat("x", 101) + `"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("token")},
		{name: "session too fast", method: "POST", path: harness.SessionPath, body: `{"key":"<hasty>"}`, status: 429, code: earshot.CodeRateLimit},
		{name: "who is signed in", method: "GET", path: harness.SessionPath, key: readKey, status: 200, check: holds(`"scopes":["read"],"organizations":[]}}`)},
		{name: "nobody is signed in", method: "GET", path: harness.SessionPath, key: wrongKey, status: 200, check: says(`{"success":true,"session":null,"signIn":{"passwords":true,"providers":[]}}`)},
		{name: "who is signed in too fast", method: "GET", path: harness.SessionPath, key: hastyKey, status: 429, code: earshot.CodeRateLimit},
		{name: "who is signed in when keys cannot be read", on: "keyless", method: "GET", path: harness.SessionPath, key: anyKey, status: 500, code: "INTERNAL_SERVER_ERROR"},
		{name: "who is signed in when the node is full", on: "full", method: "GET", path: harness.SessionPath, key: anyKey, status: 503, code: "SERVICE_UNAVAILABLE"},
		{name: "signing out", method: "DELETE", path: harness.SessionPath, status: 200, check: says(`{"success":true,"session":null,"signIn":{"passwords":true,"providers":[]}}`)},
		{name: "signing out when the node is full", on: "full", method: "DELETE", path: harness.SessionPath, status: 503, code: "SERVICE_UNAVAILABLE"},
		{name: "signing out from another site", method: "DELETE", path: harness.SessionPath, header: map[string]string{"Sec-Fetch-Site": "cross-site"}, status: 401, code: "MISSING_API_KEY"},
		{name: "session when keys cannot be written", on: "keyless", method: "POST", path: harness.SessionPath, body: `{"token":"<token>"}`, status: 500, code: "INTERNAL_SERVER_ERROR"},
		{name: "session while the node stops", on: "draining", method: "POST", path: harness.SessionPath, body: `{"token":"x"}`, status: 503, code: "SERVICE_UNAVAILABLE"},
	})
}

// firstEvent reads until an event of a stream is there, or the response ends.
func firstEvent(t *testing.T) func(io.Reader) []byte {
	t.Helper()
	return func(from io.Reader) (read []byte) {
		chunk := make([]byte, 4096)
		for {
			n, err := from.Read(chunk)
			read = append(read, chunk[:n]...)
			if _, event, _ := bytes.Cut(read, []byte("\ndata: ")); bytes.Contains(event, []byte("\n\n")) || errors.Is(err, io.EOF) {
				return read
			}
			if err != nil {
				t.Error(err)
				return read
			}
		}
	}
}
