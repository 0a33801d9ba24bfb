package upstream

import (
	"context"
	"errors"
	"runtime/debug"

	"earshot"
	"earshot/internal/telemetry/trace"
)

// trace begins the span of a fetch. The upstream gets no trace header.
func (s *Session) trace(ctx context.Context, req *Request) (context.Context, trace.Span) {
	ctx, span := trace.Start(ctx, "fetch")
	span.String(trace.Upstream, s.client.name)
	span.String(trace.Site, req.Site)
	return ctx, span
}

func endSpan(span trace.Span, err error) {
	if err != nil {
		span.Fail(Outcome(err))
	}
	span.End()
}

// ErrPanicked means that a parser panicked, which is a bug.
var ErrPanicked = errors.New("the parser panicked")

// Read calls read, which parses a document, within its own span of the trace. It recovers from
// panics, since providers also read documents in goroutines of their own.
func (s *Session) Read(ctx context.Context, read func() error) (err error) {
	_, span := trace.Start(ctx, "parse")
	defer func() {
		if p := recover(); p != nil {
			err = Fail(earshot.ReasonUnreadable, "%w: %v\n%s", ErrPanicked, p, debug.Stack())
		}
		endSpan(span, err)
	}()
	return read()
}
