package trace

import (
	"cmp"
	"context"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	otelapi "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/net/http/httpguts"
)

// The standard variables that are read here. The variables of the exporter have one of
// two prefixes; tracesPrefix takes precedence.
const (
	exporterPrefix   = "OTEL_EXPORTER_OTLP_"
	tracesPrefix     = "OTEL_EXPORTER_OTLP_TRACES_"
	disabledVariable = "OTEL_SDK_DISABLED"
	exporterVariable = "OTEL_TRACES_EXPORTER"
)

// Open returns a tracer that sends spans in the background to the collector that the
// environment names. It returns nil if the environment names no collector. Its errors name
// the invalid variable. Call Close after use.
func Open(ctx context.Context, log *slog.Logger) (*Tracer, error) {
	if !enabled() {
		return nil, nil
	}
	if err := check(); err != nil {
		return nil, err
	}
	// A global handler is the only way to get the errors of failed exports.
	otelapi.SetErrorHandler(&errorLog{log: log})
	about, err := resource.New(ctx,
		resource.WithHost(), resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "earshot")),
		resource.WithFromEnv(), // last, since it may name the service
	)
	if err != nil {
		return nil, fmt.Errorf("tracing: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	// Nothing ever waits for the collector: a batch that cannot be sent is dropped, and so
	// are spans if the queue is full.
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	collector, _ := url.Parse(setting("ENDPOINT")) // check has parsed it before
	log.Info("traces are sent to a collector", "host", collector.Host)
	return &Tracer{provider, provider.Tracer(scope)}, nil
}

// Close sends the remaining spans until ctx ends. It may be called more than once.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last spans: %w", err)
	}
	return nil
}

func enabled() bool {
	if strings.EqualFold(variable(disabledVariable), "true") || variable(exporterVariable) == "none" {
		return false
	}
	return setting("ENDPOINT") != ""
}

func variable(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// setting returns the value of a variable of the exporter.
func setting(name string) string {
	return cmp.Or(variable(tracesPrefix+name), variable(exporterPrefix+name))
}

// rules are the checks for the variables of the exporter. The exporter itself ignores
// invalid values.
var rules = []struct {
	name string
	must string
	is   func(value string) bool
}{
	{"ENDPOINT", "a URL such as http://localhost:4318", isAddress},
	{"PROTOCOL", "http/protobuf, the only supported protocol", func(v string) bool { return v == "http/protobuf" }},
	{"HEADERS", "a list such as name=value,other=value", areHeaders},
	{"COMPRESSION", "gzip or none", func(v string) bool { return v == "gzip" || v == "none" }},
	{"TIMEOUT", "a number of milliseconds", func(v string) bool { _, err := strconv.ParseUint(v, 10, 31); return err == nil }},
	{"CERTIFICATE", "a file of certificates in PEM", isPEM},
	{"CLIENT_CERTIFICATE", "a file of certificates in PEM", isPEM},
	{"CLIENT_KEY", "a file of a key in PEM", isPEM},
}

// check returns an error for the first invalid variable. The error does not contain values
// that may be secret.
func check() error {
	for _, rule := range rules {
		for _, prefix := range []string{exporterPrefix, tracesPrefix} {
			if value := variable(prefix + rule.name); value != "" && !rule.is(value) {
				return fmt.Errorf("%s must be %s", prefix+rule.name, rule.must)
			}
		}
	}
	if exporter := variable(exporterVariable); exporter != "" && exporter != "otlp" {
		return fmt.Errorf("%s must be otlp or none, but is %q", exporterVariable, exporter)
	}
	return nil
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

func isPEM(file string) bool {
	content, err := os.ReadFile(file)
	block, _ := pem.Decode(content)
	return err == nil && block != nil
}

func areHeaders(list string) bool {
	for header := range strings.SplitSeq(list, ",") {
		name, value, found := strings.Cut(header, "=")
		_, err := url.PathUnescape(value)
		if !found || !httpguts.ValidHeaderFieldName(strings.TrimSpace(name)) || err != nil {
			return false
		}
	}
	return true
}

// logEvery is the minimum time between two logged errors.
const logEvery = time.Minute

// errorLog logs errors of the SDK, at most one in logEvery. It is safe for concurrent use.
type errorLog struct {
	log *slog.Logger

	mu      sync.Mutex
	next    time.Time // when the next error may be logged
	skipped int       // number of errors not logged since the last one
}

// Handle logs or counts an error of the SDK.
func (l *errorLog) Handle(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Before(l.next) {
		l.skipped++
		return
	}
	l.next = now.Add(logEvery)
	l.log.Warn("sending traces failed; requests are not affected", "error", shortened(err.Error()), "more since the last", l.skipped)
	l.skipped = 0
}

// shortened cuts a text for the log, since a collector's answer may be a whole page.
func shortened(text string) string {
	const limit = 300
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + " …"
}
