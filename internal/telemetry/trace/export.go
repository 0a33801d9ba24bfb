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
)

// The standard variables that are read here. Those of the exporter have these prefixes;
// what is said of traces alone counts before what is said of everything.
const (
	exporterPrefix   = "OTEL_EXPORTER_OTLP_"
	tracesPrefix     = "OTEL_EXPORTER_OTLP_TRACES_"
	disabledVariable = "OTEL_SDK_DISABLED"
	exporterVariable = "OTEL_TRACES_EXPORTER"
)

// Open makes a tracer that sends spans to the collector that the environment names,
// in the background. It returns nil where none is named. Errors name the variable that
// cannot be used. Close must follow.
func Open(ctx context.Context, log *slog.Logger) (*Tracer, error) {
	if !enabled() {
		return nil, nil
	}
	if err := check(); err != nil {
		return nil, err
	}
	// Global, as the API wants it: the SDK tells of failed exports in no other way.
	otelapi.SetErrorHandler(&complaints{log: log})
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
	// A batch that cannot be sent is dropped, and so is a span when too many wait:
	// nothing ever waits for the collector.
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	collector, _ := url.Parse(setting("ENDPOINT")) // it was checked
	log.Info("traces are sent to a collector", "host", collector.Host)
	return &Tracer{provider, provider.Tracer(scope)}, nil
}

// Close sends what is left, until ctx ends. It may be called more than once.
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

// setting is the value of a variable of the exporter.
func setting(name string) string {
	return cmp.Or(variable(tracesPrefix+name), variable(exporterPrefix+name))
}

// rules say what the variables of the exporter must be. The exporter itself ignores a
// value that it cannot use.
var rules = []struct {
	name string
	must string
	is   func(value string) bool
}{
	{"ENDPOINT", "a URL such as http://localhost:4318", isAddress},
	{"PROTOCOL", "http/protobuf, the one protocol that traces are sent by", func(v string) bool { return v == "http/protobuf" }},
	{"HEADERS", "a list such as name=value,other=value", areHeaders},
	{"COMPRESSION", "gzip or none", func(v string) bool { return v == "gzip" || v == "none" }},
	{"TIMEOUT", "a number of milliseconds", func(v string) bool { _, err := strconv.ParseUint(v, 10, 31); return err == nil }},
	{"CERTIFICATE", "a file of certificates in PEM", isPEM},
	{"CLIENT_CERTIFICATE", "a file of certificates in PEM", isPEM},
	{"CLIENT_KEY", "a file of a key in PEM", isPEM},
}

// check returns what is wrong with the variables. It shows no value that may be secret.
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
		name = strings.TrimSpace(name)
		_, err := url.PathUnescape(value)
		if !found || name == "" || strings.ContainsFunc(name, notInName) || err != nil {
			return false
		}
	}
	return true
}

// notInName tells whether a header's name may not have the character.
func notInName(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	default:
		return !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}
}

// complainEvery is how often the log tells that spans are lost.
const complainEvery = time.Minute

// complaints logs what the SDK complains about, not too often. It is safe for
// concurrent use.
type complaints struct {
	log *slog.Logger

	mu   sync.Mutex
	next time.Time // before it nothing is logged
	left int       // not logged since
}

// Handle logs an error of the SDK, or counts it.
func (c *complaints) Handle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if now.Before(c.next) {
		c.left++
		return
	}
	c.next = now.Add(complainEvery)
	c.log.Warn("tracing is in trouble, requests are not", "error", shortened(err.Error()), "more since the last", c.left)
	c.left = 0
}

// shortened is a text of at most as many bytes as a line of the log should have: a
// collector's answer may be a page.
func shortened(text string) string {
	const limit = 300
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + " …"
}
