package trace_test

import (
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"earshot/internal/telemetry/trace"
)

func TestSpansAreSentAsTheVariablesSay(t *testing.T) {
	var got http.Header
	var path string
	var sent collected.ExportTraceServiceRequest
	c := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, path = r.Header, r.URL.Path
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, _ := io.ReadAll(unpacked)
		if err := proto.Unmarshal(body, &sent); err != nil {
			t.Error(err)
		}
		answer, _ := proto.Marshal(&collected.ExportTraceServiceResponse{PartialSuccess: &collected.ExportTracePartialSuccess{RejectedSpans: 1, ErrorMessage: "one too many"}})
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(answer)
	}))
	defer c.Close()
	authority := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(endpoint, c.URL+"/base/")
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", authority)
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "60000")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-all=no")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-access = a%20b ,x-other=c")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,place=Köln")
	t.Setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "3")

	var log bytes.Buffer
	tracer, err := trace.Open(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	r.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	r.Header.Set("tracestate", "vendor=1")
	served, span := tracer.Serve(r, "GET /")
	began := time.UnixMilli(1_700_000_000_000)
	trace.Note(served.Context(), "noted", began, began.Add(time.Second))
	span.Int(trace.Attempt, -2)
	span.String(trace.Site, "é")
	span.String(trace.Outcome, "more than the limit")
	span.Fail("blocked")
	span.End()
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	if path != "/base/v1/traces" || got.Get("X-Access") != "a b" || got.Get("X-Other") != "c" || got.Get("X-All") != "" {
		t.Errorf("%s with %v", path, got)
	}
	about := sent.GetResourceSpans()[0].GetResource().String()
	if !strings.Contains(about, `"other"`) || !strings.Contains(about, "Köln") || !strings.Contains(about, "telemetry.sdk") {
		t.Errorf("the resource is %s", about)
	}
	all := sent.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()
	if len(all) != 2 {
		t.Fatalf("%d spans", len(all))
	}
	noted, request := all[0], all[1]
	if noted.GetStartTimeUnixNano() != uint64(began.UnixNano()) || noted.GetEndTimeUnixNano()-noted.GetStartTimeUnixNano() != 1e9 ||
		!bytes.Equal(noted.GetParentSpanId(), request.GetSpanId()) || noted.GetKind() != spans.Span_SPAN_KIND_INTERNAL || noted.GetStatus().GetCode() != spans.Status_STATUS_CODE_UNSET || noted.GetFlags() != 0x101 {
		t.Errorf("noted is %v", noted)
	}
	if request.GetName() != "GET /" || request.GetTraceState() != "vendor=1" || request.GetKind() != spans.Span_SPAN_KIND_SERVER ||
		request.GetStatus().GetCode() != spans.Status_STATUS_CODE_ERROR || request.GetFlags() != 0x301 || request.GetDroppedAttributesCount() != 2 ||
		request.GetAttributes()[1].GetValue().GetIntValue() != -2 || request.GetAttributes()[2].GetValue().GetStringValue() != "é" {
		t.Errorf("the request is %v", request)
	}
	if !strings.Contains(log.String(), "one too many (1 spans rejected)") {
		t.Errorf("the log says %s", log.String())
	}
}
