package contract_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/captures"
	"earshot/test/harness"
)

// hostileRow is a line of the list of hostile bodies.
type hostileRow struct {
	ID       string            `json:"id"`
	Kind     string            `json:"kind"`
	Endpoint string            `json:"endpoint"` // method and path
	Headers  map[string]string `json:"headers"`
	Encoding string            `json:"enc"`
	Body     string            `json:"body"`
	Why      string            `json:"why"`
	Expected json.RawMessage   `json:"expected"` // a status or a list of them
}

// body is the body as it is to be sent.
func (h *hostileRow) body() (string, error) {
	if h.Encoding == "utf8" {
		return h.Body, nil
	}
	decoded, err := base64.StdEncoding.DecodeString(h.Body)
	if err != nil || h.Encoding == "base64" {
		return string(decoded), err
	}
	if h.Encoding != "gzip+base64" {
		return "", fmt.Errorf("unknown encoding %q", h.Encoding)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(decoded))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(unpacked)
	return string(text), err
}

func (h *hostileRow) expected() (statuses []int, err error) {
	if err = json.Unmarshal(h.Expected, &statuses); err == nil {
		return statuses, nil
	}
	var one int
	err = json.Unmarshal(h.Expected, &one)
	return []int{one}, err
}

// hostile sends a body and checks that the answer is one of the statuses, and
// that whatever happens is no fault of the server.
func hostile(t *testing.T, n *harness.Node, a *app.Account, what, endpoint, body string, header map[string]string, statuses ...int) {
	t.Helper()
	method, path, _ := strings.Cut(endpoint, " ")
	headers := map[string]string{}
	if method == http.MethodPost {
		headers["Content-Type"] = "application/json"
	}
	for name, value := range header {
		headers[name] = value
	}
	r := n.SendWith(t, a, method, path, body, headers)
	if !slices.Contains(statuses, r.StatusCode) {
		t.Errorf("%s: %d %.300s, want %v", what, r.StatusCode, r.Body, statuses)
		return
	}
	if r.StatusCode == http.StatusOK && path == harness.BatchPath {
		faultyItems(t, what, r)
	}
	if r.StatusCode == http.StatusOK {
		return
	}
	if r.StatusCode == http.StatusUnsupportedMediaType {
		r.Fails(t, what, r.StatusCode, earshot.CodeMediaType)
		return
	}
	if r.StatusCode == http.StatusNotFound {
		r.Fails(t, what, r.StatusCode, earshot.CodeNotFound)
		return
	}
	r.Fails(t, what, r.StatusCode, earshot.CodeValidation)
	if len(r.Fields(t)) == 0 {
		t.Errorf("%s: no field is named: %s", what, r.Body)
	}
}

// faultyItems checks that what is wrong with the items of a batch is named.
func faultyItems(t *testing.T, what string, r *harness.Reply) {
	t.Helper()
	var batch harness.BatchReply
	r.Into(t, &batch)
	for _, item := range batch.Results {
		if !item.Success && (item.Error.Code != earshot.CodeValidation || !strings.HasPrefix(string(item.Error.Details), `[{"field":"`)) {
			t.Errorf("%s: item %d is %+v", what, item.Index, item)
		}
	}
}

// unharmed checks that a node has no fault of its own in its log and that its
// books are in order.
func unharmed(t *testing.T, n *harness.Node) {
	t.Helper()
	n.Get(t, nil, "/readyz").Has(t, "/readyz", http.StatusOK)
	if log := n.Logs.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "panic") {
		t.Error("the log has errors")
	}
	storetest.Audited(t, n.Store)
}

func TestTheListOfHostileBodies(t *testing.T) {
	t.Parallel()
	list := captures.Sample(t, "hostile_bodies.jsonl")
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-5k", 10_000)
	run := 0
	for line := range bytes.Lines(list) {
		var h hostileRow
		if err := json.Unmarshal(line, &h); err != nil {
			t.Fatal(err)
		}
		body, err := h.body()
		if err != nil {
			t.Fatalf("%s: %v", h.ID, err)
		}
		statuses, err := h.expected()
		if err != nil {
			t.Fatalf("%s: %v", h.ID, err)
		}
		hostile(t, n, a, h.ID+" "+h.Why, h.Endpoint, body, h.Headers, statuses...)
		run++
	}
	if run < 150 {
		t.Errorf("only %d rows were run", run)
	}
	drained(t, n, a)
	unharmed(t, n)
}

// drained waits until no task of an account is left to run.
func drained(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	harness.Eventually(t, "the queue is worked off", func() bool {
		status := n.Queue(t, a)
		return status.QueuedTasks+status.ProcessingTasks == 0
	})
}

// utf16Text is the text in UTF-16, little-endian.
func utf16Text(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(unit))
		b.WriteByte(byte(unit >> 8))
	}
	return b.String()
}

func TestHostileBodies(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-5k", 10_000)
	const plain = `{"prompt":"x","country":"US"}`
	prompt := func(literal string) string { return `{"prompt":"` + literal + `","country":"US"}` }
	country := func(literal string) string { return `{"prompt":"x","country":` + literal + `}` }
	extra := func(more string) string { return `{"prompt":"x","country":"US",` + more + `}` }
	many := &strings.Builder{}
	for i := range 50_000 {
		fmt.Fprintf(many, `"f%d":0,`, i)
	}
	for _, c := range []struct {
		what, body string
		status     int
	}{
		{"a number", `1`, 400},
		{"null", `null`, 400},
		{"a string", `"` + strings.Repeat("x", 1000) + `"`, 400},
		{"white space", " \r\n\t", 400},
		{"an object in an array", `[` + plain + `]`, 400},
		{"two documents", plain + plain, 400},
		{"two documents on lines", plain + "\n" + plain, 400},
		{"a trailing comma", `{"prompt":"x","country":"US",}`, 400},
		{"single quotes", `{'prompt':'x','country':'US'}`, 400},
		{"NaN", extra(`"legacy":NaN`), 400},
		{"a comment", `{"prompt":"x",//` + "\n" + `"country":"US"}`, 400},
		{"a byte order mark", "\xef\xbb\xbf" + plain, 400},
		{"UTF-16 with a mark", utf16Text("\ufeff" + plain), 400},
		{"UTF-16", utf16Text(plain), 400},
		{"a form", `prompt=x&country=US`, 400},
		{"XML", `<?xml version="1.0"?><prompt>x</prompt>`, 400},
		{"YAML", "prompt: x\ncountry: US\n", 400},
		{"deep arrays", strings.Repeat("[", 500_000), 400},
		{"deep objects", strings.Repeat(`{"a":`, 100_000), 400},
		{"deep and closed", extra(`"z":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)), 400},
		{"deep in a field that is known", extra(`"include":` + strings.Repeat(`{"html":`, 40) + "true" + strings.Repeat("}", 40)), 400},
		{"many fields", `{` + many.String() + `"prompt":"x","country":"US"}`, 400},
		{"a NUL byte", prompt("a\x00b"), 400},
		{"a NUL escape", prompt(`a\u0000b`), 400},
		{"a lone high surrogate", prompt(`\ud83d`), 400},
		{"a lone low surrogate", prompt(`x\ude00y`), 400},
		{"surrogates the wrong way round", prompt(`\ude00\ud83d`), 400},
		{"a surrogate in a name", extra(`"\ud800":1`), 400},
		{"overlong UTF-8", prompt("\xc0\xaf"), 400},
		{"UTF-8 cut short", prompt("\xf0\x9f\x98"), 400},
		{"CRLF in the country", country(`"US\r\nX-Injected: 1"`), 400},
		{"a country with a space", country(`"US "`), 400},
		{"a country of wide letters", country(`"ＵＳ"`), 400},
		{"a country of Cyrillic letters", country(`"СН"`), 400},
		{"a country that is a number", country(`840`), 400},
		{"a list of countries", country(`["US"]`), 400},
		{"a country that climbs", country(`"../../etc/passwd"`), 400},
		{"a huge country", country(`"` + strings.Repeat("US", 100_000) + `"`), 400},
		{"a huge exponent", extra(`"legacy":1e999999999`), 400},
		{"a long number", extra(`"legacy":` + strings.Repeat("9", 100_000)), 400},
		{"minus zero", extra(`"legacy":-0`), 400},
		{"names in capitals", `{"PROMPT":"x","COUNTRY":"US"}`, 400},
		{"names that fold to others", `{"prompt":"x","country":"US","inc` + "\u017f" + `":{}}`, 400},
		{"an empty name", extra(`"":1`), 400},
		{"a name with a dot", extra(`"include.html":true`), 400},
		{"a prototype", extra(`"__proto__":{"legacy":true}`), 400},
		{"a name twice, escaped", `{"prompt":"x","country":"US","countr\u0079":"DE"}`, 400},
		{"a name twice inside", extra(`"include":{"ads":false,"ads":true}`), 400},
		{"a prompt of spaces", prompt(`\u00a0\u2003\t\n`), 400},
		{"an object as a prompt", `{"prompt":{"$ne":null},"country":"US"}`, 400},

		{"white space around", "\r\n\t " + plain + "\n", 200},
		{"a pair of surrogates", prompt(`\ud83d\ude00`), 200},
		{"SQL", prompt(`'; DROP TABLE jobs; --`), 200},
		{"markup", prompt(`</script><script>alert(1)</script><!--`), 200},
		{"lines for a header", prompt(`x\r\nX-Injected: 1\r\n\r\nGET / HTTP/1.1`), 200},
		{"control characters", prompt(`\u0001\u0007\u001b[31m\u007f\u0085`), 200},
		{"marks and directions", prompt("e" + strings.Repeat("\u0301", 2000) + "\u202e\u2066x"), 200},
		{"a path", prompt(`../../../../etc/passwd?x=1#y&z=%00`), 200},
		{"templates", prompt(`{{.}} ${7*7} %s%n %00 \\u0000`), 200},
		{"words for the lab that make no sense", prompt(`[[delay=-1s]] [[status=99]] [[nosuch]] [[fail=x]] [[delay=]]`), 200},
	} {
		hostile(t, n, a, c.what, "POST "+harness.ChatPath, c.body, nil, c.status)
	}
	unharmed(t, n)
}

// FuzzBodies sends what the fuzzer makes of bodies to a node.
func FuzzBodies(f *testing.F) {
	for i, body := range []string{
		harness.GoodCall, harness.EveryFlag, harness.GoodTask, "[" + harness.GoodTask + "]", harness.ChatTask("x", harness.IdempotencyKey("k"), `"priority":10`),
		harness.ChatTask("x", `"webhook":{"url":"https://example.com/"}`), `{"prompt":"\ud83d\ude00","country":"US","country":"DE"}`, `[{}, null]`, `{"a":1e999,"b":"\u0000"}`,
	} {
		f.Add(uint8(i), body)
	}
	n := harness.Start(f)
	a := n.Organization(f, "many", 1<<40)
	f.Fuzz(func(t *testing.T, endpoint uint8, body string) {
		path := []string{harness.ChatPath, harness.TaskPath, harness.BatchPath, harness.QuotePath}[endpoint%4]
		if strings.Contains(body, "[[") {
			t.Skip("the lab might obey")
		}
		if r := n.Post(t, a, path, body); r.StatusCode >= http.StatusInternalServerError {
			t.Errorf("%s: %q is answered with %d %s", path, body, r.StatusCode, r.Body)
		}
	})
}

func TestHostileTasks(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, hostileTasks)
}

func hostileTasks(t *testing.T, address string) {
	n := harness.StartOn(t, address)
	a := n.Organization(t, "enterprise-5k", 10_000)
	payload := func(text string) string { return `{"taskType":"CHATASSISTANT","payload":` + text + `}` }
	prompt := func(literal string) string { return payload(`{"prompt":"` + literal + `","country":"US"}`) }
	extra := func(more string) string { return strings.TrimSuffix(prompt("x"), "}") + "," + more + "}" }
	key := func(literal string) string { return extra(`"idempotencyKey":"` + literal + `"`) }
	many := &strings.Builder{}
	for i := range 20_000 {
		fmt.Fprintf(many, `"f%d":0,`, i)
	}
	for _, c := range []struct {
		what, task string
		batch      int // what a batch that holds it is answered with; the others refuse it
	}{
		{"nothing", ``, 422},
		{"a number", `1`, 200},
		{"null", `null`, 200},
		{"an array", `[` + prompt("x") + `]`, 200},
		{"two documents", prompt("x") + prompt("x"), 422},
		{"a trailing comma", extra(``), 422},
		{"a comment", extra(`/**/"priority":1`), 422},
		{"a byte order mark", "\xef\xbb\xbf" + prompt("x"), 422},
		{"deep arrays", strings.Repeat("[", 100_000), 422},
		{"deep and closed", extra(`"z":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000)), 200},
		{"deeper than any reader goes", extra(`"z":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)), 422},
		{"deep in the payload", payload(`{"prompt":"x","country":"US","include":` + strings.Repeat(`{"html":`, 40) + "true" + strings.Repeat("}", 40) + `}`), 200},
		{"many fields", extra(many.String() + `"z":0`), 200},
		{"many fields in the payload", payload(`{` + many.String() + `"prompt":"x","country":"US"}`), 200},
		{"a name twice", extra(`"priority":1,"priority":2`), 200},
		{"a name twice, escaped", extra(`"priority":1,"priorit\u0079":2`), 200},
		{"a name twice in the payload", payload(`{"prompt":"x","prompt":"y","country":"US"}`), 200},
		{"a NUL byte", prompt("a\x00b"), 422},
		{"a NUL escape", prompt(`a\u0000b`), 200},
		{"overlong UTF-8", prompt("\xc0\xaf"), 200},
		{"a lone surrogate", prompt(`\ud83d`), 200},
		{"a surrogate in a name", extra(`"\ud800":1`), 200},
		{"a payload that is a text", payload(`"{\"prompt\":\"x\",\"country\":\"US\"}"`), 200},
		{"a payload of another provider", payload(`{"query":"x","country":"US"}`), 200},
		{"a payload without a type", `{"payload":{"x":{"y":[]}}}`, 200},
		{"a prototype", extra(`"__proto__":{"status":"COMPLETED"}`), 200},
		{"fields of the server", extra(`"id":"x","status":"COMPLETED","creditsCharged":0`), 200},
		{"a priority that is a fraction", extra(`"priority":1.5`), 200},
		{"a priority in words", extra(`"priority":"1"`), 200},
		{"a huge priority", extra(`"priority":` + strings.Repeat("9", 10_000)), 200},
		{"a key with a NUL", key(`a\u0000`), 200},
		{"a key with a line end", key(`a\nb`), 200},
		{"a key that turns text round", key("a\u202e"), 200},
		{"a key with a wide space", key("a\u3000b"), 200},
		{"a key of 256 characters", key(strings.Repeat("ä", 256)), 200},
		{"a null key", extra(`"idempotencyKey":null`), 200},
		{"a null webhook", extra(`"webhook":null`), 200},
		{"a webhook in words", extra(`"webhook":"https://example.com/"`), 200},
		{"a webhook with more", extra(`"webhook":{"url":"https://example.com/","secret":"x"}`), 200},
		{"a webhook with a line end", extra(`"webhook":{"url":"https://example.com/\r\nX: 1"}`), 200},
		{"a webhook with a NUL", extra(`"webhook":{"url":"https://example.com/\u0000"}`), 200},
	} {
		hostile(t, n, a, c.what, "POST "+harness.TaskPath, c.task, nil, 422)
		hostile(t, n, a, c.what+" in a batch", "POST "+harness.BatchPath, "["+c.task+"]", nil, c.batch)
		if c.what != "an array" { // that is a batch
			hostile(t, n, a, c.what+" in a quote", "POST "+harness.QuotePath, c.task, nil, 400)
		}
	}
	if status := n.Queue(t, a); status.QueuedTasks+status.ProcessingTasks != 0 {
		t.Errorf("some were queued: %+v", status)
	}
	for _, task := range []string{
		prompt(`'; DROP TABLE jobs; --`), prompt(`</script><!-- \u2028 \u001b`), key(`'; DELETE FROM idempotency_keys; --`), key(strings.Repeat("😀", 255)),
		key(` ${{1+1}} %s \" \\ `), `{"taskType":"WEBSEARCH","payload":{"query":"x","gl":"us","include":{"searchGoto":["\u0000",1e999]}}}`, prompt(`\ud83d\ude00`), payload("{\n\t\"country\" : \"US\" ,\r\n \"prompt\" : \"x\" }"),
	} {
		hostile(t, n, a, task, "POST "+harness.TaskPath, task, nil, 200)
	}
	drained(t, n, a)
	unharmed(t, n)
}
