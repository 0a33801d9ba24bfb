package service_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/trace"
	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	span "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"earshot"
	"earshot/test/harness"
)

// collector takes spans as one would.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	received []byte // as it came over the network
	services []string
	spans    []*span.Span
}

func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request collected.ExportTraceServiceRequest
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
			t.Errorf("the collector got %s %s and %d bytes that it cannot read (%v)", r.Method, r.URL, len(body), err)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.received = append(c.received, body...)
		for _, of := range request.GetResourceSpans() {
			c.services = append(c.services, attributes(of.GetResource().GetAttributes())["service.name"])
			for _, scope := range of.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// attributes are the strings and numbers of a list.
func attributes(list []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range list {
		all[a.GetKey()] = a.GetValue().GetStringValue()
		if _, ok := a.GetValue().GetValue().(*common.AnyValue_IntValue); ok {
			all[a.GetKey()] = strconv.FormatInt(a.GetValue().GetIntValue(), 10)
		}
	}
	return all
}

// find gives the one span with the name and the attribute.
func (c *collector) find(t *testing.T, name, key, value string) *span.Span {
	t.Helper()
	var found []*span.Span
	for _, s := range c.spans {
		if s.GetName() == name && attributes(s.GetAttributes())[key] == value {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are called %s and have %s=%q, want 1", len(found), name, key, value)
	}
	return found[0]
}

// below gives the children of a span, in the order in which they began, each with what
// matters of its attributes, and the children of these.
func (c *collector) below(parent *span.Span) []string {
	var children []*span.Span
	for _, s := range c.spans {
		if bytes.Equal(s.GetParentSpanId(), parent.GetSpanId()) && bytes.Equal(s.GetTraceId(), parent.GetTraceId()) {
			children = append(children, s)
		}
	}
	slices.SortFunc(children, func(a, b *span.Span) int {
		return int(a.GetStartTimeUnixNano()) - int(b.GetStartTimeUnixNano())
	})
	var lines []string
	for _, s := range children {
		line := s.GetName()
		all := attributes(s.GetAttributes())
		for _, key := range []string{"earshot.attempt", "earshot.upstream", "earshot.site", "http.response.status_code", "earshot.outcome"} {
			if value := all[key]; value != "" {
				line += " " + value
			}
		}
		lines = append(lines, line)
		for _, further := range c.below(s) {
			lines = append(lines, "  "+further)
		}
	}
	return lines
}

func TestACollectorSeesACallAndATaskFromEdgeToSettlement(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-access=collector-token")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000") // the end of the node must send them
	n := harness.Start(t, harness.LocalWebhooks)
	a, receiver := n.Organization(t, "many", 100), harness.Receive(t, http.StatusInternalServerError, http.StatusOK)

	const (
		client = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		prompt = "confidential question [[fail=1]]"
	)
	call := n.SendWith(t, a, http.MethodPost, harness.ChatPath, `{"prompt":"confidential question","country":"US"}`, map[string]string{"traceparent": client})
	call.Has(t, "a call", http.StatusOK)
	n.Post(t, a, harness.ChatPath+"?note=confidential", `{"prompt":"confidential"}`).Has(t, "a call that is refused", http.StatusBadRequest)
	n.Get(t, nil, "/confidential").Has(t, "a page that does not exist", http.StatusNotFound)
	task := n.Submit(t, a, harness.ChatTask(prompt, receiver.Field()))
	n.WaitDelivery(t, a, task.ID)
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	edge := c.find(t, "POST /v1/monitor/chatassistant", "earshot.request.id", call.Header.Get("X-Request-Id"))
	if got := trace.TraceID(edge.GetTraceId()).String() + "-" + trace.SpanID(edge.GetParentSpanId()).String(); !strings.Contains(client, got) {
		t.Errorf("the call belongs to %s, and its client said %s", got, client)
	}
	about := attributes(edge.GetAttributes())
	if about["http.route"] != harness.ChatPath || about["http.response.status_code"] != "200" || about["earshot.organization.id"] != a.Organization.ID || about["http.request.method"] != "POST" {
		t.Errorf("the span of the call says %v", about)
	}
	same(t, "a call", c.below(edge), `
store.begin
attempt 1 lab ok
  fetch lab chatassistant 200
  parse
store.settle COMPLETED`)

	refused := c.find(t, "POST /v1/monitor/chatassistant", "earshot.outcome", string(earshot.CodeValidation))
	if got := c.below(refused); len(got) > 0 || refused.GetStatus().GetCode() == span.Status_STATUS_CODE_ERROR {
		t.Errorf("a refused call is %v with %v", refused.GetStatus(), got)
	}

	c.find(t, "POST /v1/async/task", "earshot.task.id", task.ID)
	work := c.find(t, "task", "earshot.task.id", task.ID)
	if len(work.GetParentSpanId()) > 0 || attributes(work.GetAttributes())["earshot.organization.id"] != a.Organization.ID {
		t.Errorf("the span of the task is %v", work)
	}
	same(t, "a task", c.below(work), `
store.claim
attempt 1 lab unavailable
  fetch lab chatassistant 500
attempt 2 lab ok
  fetch lab chatassistant 200
  parse
store.settle COMPLETED`)
	c.find(t, "webhook", "earshot.outcome", "retry")
	if try := c.find(t, "webhook", "earshot.outcome", "delivered"); attributes(try.GetAttributes())["earshot.try"] != "2" || attributes(try.GetAttributes())["earshot.task.id"] != task.ID {
		t.Errorf("the span of the webhook is %v", try)
	}

	if i := slices.IndexFunc(c.services, func(name string) bool { return name != "earshot" }); i >= 0 {
		t.Errorf("the service is called %q", c.services[i])
	}
	for _, secret := range []string{"confidential", a.Key.Text, a.WebhookSecret, "/hook", "collector-token"} {
		if bytes.Contains(c.received, []byte(secret)) {
			t.Errorf("the collector was told %q", secret)
		}
	}
	for _, w := range receiver.Webhooks() {
		if w.Header.Get("traceparent") != "" {
			t.Error("a receiver of webhooks was told of the trace")
		}
	}
}

func same(t *testing.T, what string, got []string, want string) {
	t.Helper()
	if text := "\n" + strings.Join(got, "\n"); text != want {
		t.Errorf("the spans of %s are%s\nwant%s", what, text, want)
	}
}

func TestACollectorThatFailsHurtsNobody(t *testing.T) {
	var exports sync.WaitGroup
	exports.Add(3)
	left := 3
	var mu sync.Mutex
	c := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if left > 0 {
			left--
			exports.Done()
		}
		http.Error(w, strings.Repeat("no ", 1000), http.StatusBadRequest)
	}))
	defer c.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", c.URL+"/anywhere")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
	n := harness.Start(t)
	a := n.Organization(t, "many", 100)
	n.Post(t, a, harness.ChatPath, harness.GoodCall).Has(t, "a call", http.StatusOK)
	exports.Wait()
	n.Post(t, a, harness.ChatPath, harness.GoodCall).Has(t, "a call", http.StatusOK)
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	if logged := strings.Count(n.Logs.String(), "sending traces failed"); logged != 1 {
		t.Errorf("the log tells of it %d times, want once a minute", logged)
	}
}
