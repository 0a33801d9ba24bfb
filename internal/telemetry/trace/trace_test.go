package trace_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel"

	"earshot/internal/telemetry/trace"
)

const (
	endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	traces   = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
)

func TestOpenWithoutCollectorReturnsNil(t *testing.T) {
	for _, variables := range []map[string]string{
		{},
		{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_SERVICE_NAME": "other"},
		{endpoint: "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"},
		{traces: "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"},
	} {
		t.Run("", func(t *testing.T) {
			for name, value := range variables {
				t.Setenv(name, value)
			}
			if tracer, err := trace.Open(t.Context(), slog.New(slog.DiscardHandler)); tracer != nil || err != nil {
				t.Errorf("%v: %v, %v", variables, tracer, err)
			}
		})
	}
}

func TestErrorNamesTheInvalidVariable(t *testing.T) {
	const secret = "do-not-show"
	for name, value := range map[string]string{
		endpoint:                             "localhost:4318 " + secret,
		traces:                               "unix:///" + secret,
		"OTEL_EXPORTER_OTLP_PROTOCOL":        "grpc",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
		"OTEL_TRACES_EXPORTER":               "zipkin",
		"OTEL_EXPORTER_OTLP_HEADERS":         secret,
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS":  "key=" + secret + ",a b=c",
		"OTEL_EXPORTER_OTLP_COMPRESSION":     "zip",
		"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT":  "1s",
		"OTEL_EXPORTER_OTLP_CERTIFICATE":     "/" + secret,
		"OTEL_EXPORTER_OTLP_CLIENT_KEY":      "/" + secret,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(endpoint, "http://127.0.0.1:1")
			t.Setenv(name, value)
			_, err := trace.Open(t.Context(), slog.New(slog.DiscardHandler))
			if err == nil || !strings.Contains(err.Error(), name+" must be") || strings.Contains(err.Error(), secret) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestNilTracerAllocatesNothing(t *testing.T) {
	var none *trace.Tracer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, "GET", "/", nil)
	r.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	allocations := testing.AllocsPerRun(100, func() {
		served, request := none.Serve(r, "GET /")
		below, task := none.Begin(served.Context(), "task", time.Time{})
		below, part := trace.Start(below, "part")
		trace.Note(below, "noted", time.Time{}, time.Time{})
		part.String(trace.Site, "site")
		part.Int(trace.Attempt, 1)
		part.Fail("blocked")
		part.End()
		task.End()
		request.End()
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
	if err := none.Close(ctx); err != nil {
		t.Error(err)
	}
}

func TestErrorsAreLoggedOnceAMinute(t *testing.T) {
	t.Setenv(endpoint, "http://127.0.0.1:1")
	var log bytes.Buffer
	tracer, err := trace.Open(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	log.Reset()
	synctest.Test(t, func(*testing.T) {
		for range 100 {
			otel.Handle(errors.New(strings.Repeat("ä", 1000)))
			time.Sleep(time.Second) // synctest time
		}
	})
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[1], "=59") || len(lines[1]) > 500 {
		t.Errorf("the log says %q", lines)
	}
}
