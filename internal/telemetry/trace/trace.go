// Package trace records what is done for a request, from the edge to its settlement,
// as spans of OpenTelemetry.
//
//	trace.go   beginning traces, and the spans in them
//	export.go  where they are sent, by the standard OTEL_ variables
//
// It is off unless one of those variables names a collector. Then a Tracer is nil, a
// Span is its zero value, and all that is left of a span is one look into its context.
//
// A span holds names of our own, numbers and ids. What clients and upstreams write,
// such as prompts, keys, bodies, query strings and the texts of errors, belongs into
// none: pass a code or a reason instead.
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

// scope names who made the spans.
const scope = "earshot"

// The attributes of spans, by the semantic conventions where these have one.
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

// Tracer begins traces. A nil Tracer begins none. It is safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	otel     otel.Tracer
}

// Serve begins the span of a request that a client makes, as a part of the trace that
// the client names in its header traceparent, if it does. The request that is returned
// carries the span.
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

// method is the method of a request, unless the client made it up.
func method(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return name
	default:
		return "_OTHER"
	}
}

// Begin begins a trace of work that no client waits for, which began at a time.
func (t *Tracer) Begin(ctx context.Context, name string, at time.Time) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := t.otel.Start(ctx, name, otel.WithNewRoot(), otel.WithTimestamp(at))
	return ctx, Span{span}
}

// Start begins a span within the one that ctx carries. Without one, there is none.
func Start(ctx context.Context, name string) (context.Context, Span) {
	parent := otel.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name)
	return ctx, Span{span}
}

// Note adds a span that has ended to the one that ctx carries: how long something took
// that was done for many at once.
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

// String notes a name or an id.
func (s Span) String(key, value string) {
	if s.otel != nil {
		s.otel.SetAttributes(attribute.String(key, value))
	}
}

// Int notes a number.
func (s Span) Int(key string, value int) {
	if s.otel != nil {
		s.otel.SetAttributes(attribute.Int(key, value))
	}
}

// Fail marks the span as failed, for a reason in one word.
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
