package trace

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	otelapi "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// The variables that are looked at before the SDK reads them: what it cannot use, it
// passes over, and a part of it prints to standard error.
const (
	endpointVariable  = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tracesVariable    = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	protocolVariable  = "OTEL_EXPORTER_OTLP_PROTOCOL"
	tracesProtocol    = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	headersVariable   = "OTEL_EXPORTER_OTLP_HEADERS"
	tracesHeaders     = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
	disabledVariable  = "OTEL_SDK_DISABLED"
	exporterVariable  = "OTEL_TRACES_EXPORTER"
	supportedProtocol = "http/protobuf"
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
	log.Info("traces are sent to a collector", "host", collector())
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
	return variable(endpointVariable) != "" || variable(tracesVariable) != ""
}

func variable(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// collector is the host that spans are sent to.
func collector() string {
	u, _ := url.Parse(cmp.Or(variable(tracesVariable), variable(endpointVariable))) // it was checked
	return u.Host
}

// check returns what is wrong with the variables. It shows no value that may be secret.
func check() error {
	for _, name := range []string{endpointVariable, tracesVariable} {
		u, err := url.Parse(variable(name))
		if err != nil || variable(name) != "" && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf("%s must be a URL such as http://localhost:4318", name)
		}
	}
	for _, name := range []string{protocolVariable, tracesProtocol} {
		if protocol := variable(name); protocol != "" && protocol != supportedProtocol {
			return fmt.Errorf("%s must be %s, the one protocol that traces are sent by, but is %q", name, supportedProtocol, protocol)
		}
	}
	if exporter := variable(exporterVariable); exporter != "" && exporter != "otlp" {
		return fmt.Errorf("%s must be otlp or none, but is %q", exporterVariable, exporter)
	}
	for _, name := range []string{headersVariable, tracesHeaders} {
		if !areHeaders(variable(name)) {
			return fmt.Errorf("%s must be a list such as name=value,other=value", name)
		}
	}
	return nil
}

func areHeaders(list string) bool {
	if list == "" {
		return true
	}
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
