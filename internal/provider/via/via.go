// Package via holds what the adapters of vendors share. A vendor sells answers from
// the pages of assistants and search engines; each adapter is a folder below this one
// that turns a provider.Question into the vendor's request and the vendor's document into
// our result types.
//
//	via.go       requests and orders, error answers
//	query.go     parameters and languages of searches
//	read.go      parts of answers out of JSON
//	page.go      result pages out of JSON
//	layout.go    the order of the blocks of result pages
//	blocks.go    less common blocks of result pages out of JSON
package via

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

// Reader reads a vendor's JSON document. The verdict says what the document means and what the
// vendor charges for it. The result is used only if the verdict has no failure. A reader is a
// pure function: it reads a document once for its verdict, and again for its result.
type Reader[T any] func(document any) (T, upstream.Verdict)

// read reads a body.
func (r Reader[T]) read(ctx context.Context, up *upstream.Session, body []byte) (result T, verdict upstream.Verdict) {
	err := up.Read(ctx, func() error {
		value, ok := loosejson.Decode(string(body))
		if !ok {
			return notJSON(up)
		}
		result, verdict = r(value)
		return nil
	})
	if failure, ok := errors.AsType[*upstream.Failure](err); ok {
		verdict = Failed(nil, failure)
	}
	return result, verdict
}

// judge returns a function that returns the verdict about a body.
func (r Reader[T]) judge(ctx context.Context, up *upstream.Session) func(body []byte) upstream.Verdict {
	return func(body []byte) upstream.Verdict {
		_, verdict := r.read(ctx, up, body)
		return verdict
	}
}

// result returns the result in a body, or the failure.
func (r Reader[T]) result(ctx context.Context, up *upstream.Session, body []byte) (T, error) {
	result, verdict := r.read(ctx, up, body)
	if verdict.Failure != nil {
		return result, verdict.Failure
	}
	return result, nil
}

func notJSON(up *upstream.Session) *upstream.Failure {
	return Unreadable("%s did not answer with JSON", up.Via())
}

// Buy sends a request that the vendor charges for, and reads the document that comes back.
func Buy[T any](ctx context.Context, up *upstream.Session, request *upstream.Request, read Reader[T]) (result T, document []byte, err error) {
	request.Judge = read.judge(ctx, up)
	response, err := send(ctx, up, request)
	if err != nil {
		return result, nil, err
	}
	result, err = read.result(ctx, up, response.Body)
	return result, response.Body, err
}

// Order asks a vendor that answers later, and reads the document with the answer. The requests
// of the order's functions are sent with Get, Post and Free.
func Order(ctx context.Context, up *upstream.Session, q *provider.Question, order upstream.Order, read Reader[*provider.Reply]) (*provider.Reply, error) {
	order.Buys, order.Judge = new(q.Parts()), read.judge(ctx, up)
	document, err := up.Order(ctx, &order)
	if err != nil {
		return nil, err
	}
	reply, err := read.result(ctx, up, document)
	if err != nil {
		return nil, err
	}
	if reply.Document == nil {
		reply.Document = document
	}
	return reply, nil
}

// Get reads a JSON document that the vendor does not charge for. The document is nil if the
// body is empty.
func Get(ctx context.Context, up *upstream.Session, path string, query url.Values) (any, []byte, error) {
	return Free(ctx, up, &upstream.Request{Path: path, Query: query, Header: http.Header{"Accept": {"application/json"}}})
}

// Post sends a JSON body and reads the JSON document that comes back. An order pays for the
// request.
func Post(ctx context.Context, up *upstream.Session, path string, query url.Values, body any) (any, []byte, error) {
	request, err := Request(up, path, body)
	if err != nil {
		return nil, nil, err
	}
	request.Query = query
	return Free(ctx, up, request)
}

// Request returns a request with a JSON body.
func Request(up *upstream.Session, path string, body any) (*upstream.Request, error) {
	return upstream.PostJSON(up.Via(), path, "application/json", body, geo.Locale{}) // the body names the place
}

// Free sends a request that the vendor does not charge for, or that is paid by the order that it
// belongs to, and reads the JSON document that comes back.
func Free(ctx context.Context, up *upstream.Session, request *upstream.Request) (any, []byte, error) {
	request.Free = true
	response, err := send(ctx, up, request)
	if err != nil {
		return nil, nil, err
	}
	value, ok := loosejson.Decode(string(response.Body))
	if !ok && len(response.Body) > 0 {
		return nil, nil, notJSON(up)
	}
	return value, response.Body, nil
}

func send(ctx context.Context, up *upstream.Session, request *upstream.Request) (*upstream.Response, error) {
	request.Site = up.Via()
	if request.Refusal == nil {
		request.Refusal = Refusal
	}
	return up.Fetch(ctx, request)
}

// Checked returns a reply and the verdict about it: a failure if the vendor found nothing, or
// delivered what is no answer.
func Checked(reply *provider.Reply, q *provider.Question, charge *upstream.USD) (*provider.Reply, upstream.Verdict) {
	verdict := upstream.Verdict{Charge: charge}
	switch {
	case reply.Answer != nil:
		verdict.Failure = provider.CheckAnswer(reply.Answer.Text, q.Text)
	case reply.Web != nil && reflect.ValueOf(*reply.Web).IsZero(), reply.News != nil && len(reply.News.NewsResults) == 0:
		verdict.Failure = provider.NothingFound()
	}
	return reply, verdict
}

// Failed returns the verdict about a document that is not an answer.
func Failed(charge *upstream.USD, failure *upstream.Failure) upstream.Verdict {
	return upstream.Verdict{Charge: charge, Failure: failure}
}

// Unreadable returns the failure of a document that does not have its documented form.
func Unreadable(format string, args ...any) *upstream.Failure {
	return upstream.Fail(earshot.ReasonUnreadable, format, args...)
}

// ID returns the id that a submission returned.
func ID(up *upstream.Session, id string) (string, *upstream.USD, error) {
	if id == "" {
		return "", nil, Unreadable("%s accepted the question without an id", up.Via())
	}
	return id, nil, nil
}

// SameID returns a failure if a vendor answers with another id than it was asked for. Vendors
// that do not repeat the id send none.
func SameID(up *upstream.Session, asked, got string) error {
	if got != "" && got != asked {
		return Unreadable("%s answered with %q in place of %q", up.Via(), got, asked)
	}
	return nil
}

// Refusal returns the failure that an answer with an error status means.
func Refusal(status int, header http.Header, body []byte) *upstream.Failure {
	value, ok := loosejson.Decode(string(body))
	if !ok {
		return vendorapi.Refusal(status, header, nil, string(body))
	}
	return refused(status, header, loosejson.AsObject(value))
}

// Refused returns the failure that an error object in an answer means.
func Refused(o loosejson.Object) *upstream.Failure { return refused(0, nil, o) }

// refused reads an error object, in the forms that vendors use.
func refused(status int, header http.Header, o loosejson.Object) *upstream.Failure {
	inner := o.Object("error")
	var codes []string
	for _, code := range []string{inner.Amount("code"), inner.Text("type"), o.Amount("code"), o.Amount("error_code"), o.Amount("status_code")} {
		if code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	message := cmp.Or(inner.Text("message"), o.Text("message"), o.Text("error"), o.Text("detail"), o.Text("title"), o.Text("status_message"))
	return vendorapi.Refusal(status, header, codes, message)
}

// Unit returns the price of one of the vendor's units, see provider.VendorDefinition.Unit.
func Unit(up *upstream.Session, list upstream.USD) upstream.USD {
	return provider.UnitPrice(up.Option(provider.OptionUnit), list)
}
