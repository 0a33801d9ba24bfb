// Package purchase buys answers: it decides which upstream is asked, what may be asked again, and
// what every request costs. Providers and vendors only translate requests and responses.
//
//	purchase.go  states of a purchase, and how a request ends
//	basket.go    the purchases of a call or task: reserving, sending, keeping answers
//	order.go     purchases that are answered later
//	ledger.go    where purchases are stored
//	attempt.go   the attempts of a call or task, and when there is another one
//	route.go     one attempt: the upstreams of a provider in turn
//	circuit.go   circuit breakers
//	late.go      answers that arrive after their call or task has ended
//	list.go      the upstreams with their state, and quotes
//	shadow.go    asks a second upstream, to compare answers
package purchase

import (
	"context"
	"errors"
	"runtime/debug"

	"earshot"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

// The states of a purchase. docs/architecture.md has a picture.
const (
	stateSent     = "sent"     // its price is reserved, and the request may have left this node
	stateOpen     = "open"     // an order that the vendor has accepted
	stateLate     = "late"     // answered after its caller had left
	stateAnswered = "answered" // the answer is kept
	stateNothing  = "nothing"  // the upstream looked and found nothing
	stateRefused  = "refused"  // the upstream did not accept the request
	stateBlocked  = "blocked"  // the upstream does not serve us
	stateFailed   = "failed"   // the upstream accepted the request and failed
	stateUnknown  = "unknown"  // nobody knows whether the upstream accepted the request
)

// end is how a request ended.
type end struct {
	state     string
	charged   upstream.USD
	estimated bool // the upstream did not report the charge
	document  []byte
	failure   *upstream.Failure // nil after an answer
}

// judged returns the end of a request that was answered with a document.
func judged(document []byte, judge func([]byte) upstream.Verdict, price upstream.USD) end {
	verdict := recovered(document, judge)
	e := end{state: stateAnswered, charged: price, estimated: true, failure: verdict.Failure}
	if verdict.Charge != nil {
		e.charged, e.estimated = *verdict.Charge, false
	}
	switch {
	case e.failure == nil:
		e.document = document
	case e.failure.Reason == earshot.ReasonEmpty:
		e.state = stateNothing
	case e.failure.Reason == earshot.ReasonBlocked:
		e.state = stateBlocked
	default:
		e.state = stateFailed
	}
	return e
}

// recovered returns the verdict on a document. A document that makes its reader panic is unreadable.
func recovered(document []byte, judge func([]byte) upstream.Verdict) (verdict upstream.Verdict) {
	if judge == nil {
		return verdict
	}
	defer func() {
		if p := recover(); p != nil {
			verdict = upstream.Verdict{Failure: upstream.Fail(earshot.ReasonUnreadable, "%w: %v\n%s", upstream.ErrPanicked, p, debug.Stack())}
		}
	}()
	return judge(document)
}

// failed returns the end of a request without a document.
func failed(err error, price upstream.USD) end {
	failure, ok := errors.AsType[*upstream.Failure](err)
	switch {
	case errors.Is(err, context.Canceled): // a comparison that was given up
		failure = upstream.Fail(earshot.ReasonTimeout, "the request was given up: %w", err)
	case !ok: // the request could not be made
		return end{state: stateRefused, failure: &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: err, Final: true}}
	case failure.Refused && failure.Reason == earshot.ReasonBlocked:
		return end{state: stateBlocked, failure: failure}
	case failure.Refused:
		return end{state: stateRefused, failure: failure}
	}
	return end{state: stateUnknown, charged: price, estimated: true, failure: failure}
}

// isAnswer reports whether a purchase has an answer that can be read again.
func isAnswer(p *outbound.Purchase) bool { return p.State == stateAnswered || p.State == stateLate }

// isLost reports whether a purchase cost something, or may have, and brought no answer.
func isLost(p *outbound.Purchase) bool {
	return p.Charged > 0 && !outbound.IsOpen(p.State) && !isAnswer(p) || p.State == stateUnknown
}
