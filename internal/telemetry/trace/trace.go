// Package trace records the work for a request, from the HTTP edge to its settlement, as
// OpenTelemetry spans.
//
//	trace.go   starting traces and spans
//	export.go  sending spans to the collector that the standard OTEL_ variables name
//
// Without a collector, tracing is off: the Tracer is nil, every Span is the zero value,
// and starting a span costs only one lookup in its context.
//
// A span contains only our own names, numbers and ids. It must not contain text from
// clients or upstreams, such as prompts, keys, bodies, query strings and error texts. Use
// a code or a reason instead.
package trace

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	otel "go.opentelemetry.io/otel/trace"
)

// scope is the instrumentation scope of the spans.
const scope = "earshot"

// Attributes of spans. They follow the semantic conventions of OpenTelemetry if there is
// one.
const (
	Method       = "http.request.method"
	Route        = "http.route"
	Status       = "http.response.status_code"
	Request      = "earshot.request.id"
	Organization = "earshot.organization.id"
	Task         = "earshot.task.id"
	Batch        = "earshot.batch.id"
	Provider     = "earshot.provider"
	Upstream     = "earshot.upstream"
	Site         = "earshot.site"
	Attempt      = "earshot.attempt"
	Try          = "earshot.try"
	Outcome      = "earshot.outcome"

	failure = "error.type"
)

// Tracer starts traces. A nil Tracer starts no traces. It is safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	otel     otel.Tracer
}

// Serve starts the span of a client's request. If the client sends a traceparent header,
// the span is part of that trace. The context of the returned request carries the span.
func (t *Tracer) Serve(r *http.Request, name string) (*http.Request, Span) {
	if t == nil {
		return r, Span{}
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.otel.Start(ctx, name, otel.WithSpanKind(otel.SpanKindServer))
	s := Span{span}
	s.String(Method, method(r.Method))
	return r.WithContext(ctx), s
}

// method returns the method if it is a known one, since a client can send any text.
func method(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return name
	default:
		return "_OTHER"
	}
}

// Begin starts a trace of background work that started at a time.
func (t *Tracer) Begin(ctx context.Context, name string, at time.Time) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := t.otel.Start(ctx, name, otel.WithNewRoot(), otel.WithTimestamp(at))
	return ctx, Span{span}
}

// Start starts a child of the span that ctx carries. If ctx carries no span, it returns
// the zero Span.
func Start(ctx context.Context, name string) (context.Context, Span) {
	parent := otel.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name)
	return ctx, Span{span}
}

// Note adds a child that has already ended to the span that ctx carries. It is for work
// that was done for many requests at once.
func Note(ctx context.Context, name string, began, ended time.Time) {
	parent := otel.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return
	}
	_, span := parent.TracerProvider().Tracer(scope).Start(ctx, name, otel.WithTimestamp(began))
	span.End(otel.WithTimestamp(ended))
}

// Span is a piece of work in a trace. The zero value records nothing.
type Span struct{ otel otel.Span }

// String sets an attribute with a name or an id.
func (s Span) String(key, value string) {
	if s.otel != nil {
		s.otel.SetAttributes(attribute.String(key, value))
	}
}

// Int sets an attribute with a number.
func (s Span) Int(key string, value int) {
	if s.otel != nil {
		s.otel.SetAttributes(attribute.Int(key, value))
	}
}

// Fail marks the span as failed. The reason is one word.
func (s Span) Fail(reason string) {
	if s.otel != nil {
		s.otel.SetAttributes(attribute.String(failure, reason))
		s.otel.SetStatus(codes.Error, "")
	}
}

// End ends the span.
func (s Span) End() {
	if s.otel != nil {
		s.otel.End()
	}
}
