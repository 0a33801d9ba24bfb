// Package via holds what the adapters of vendors share. A vendor sells answers from
// the pages of assistants and search engines; each adapter is a folder below this one
// that turns a provider.Question into the vendor's request and the vendor's document into
// our result types.
//
//	via.go     requests, error answers, limits
//	read.go    parts of answers out of JSON
//	page.go    result pages out of JSON
//	layout.go  the order of the blocks of result pages
//	blocks.go  less common blocks of result pages out of JSON
package via

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

// Redeem asks a vendor that answers later. read polls once and returns the reply, or
// upstream.ErrNotReady. A reply that is no answer fails the ticket, so that the next
// attempt may submit the question again.
func Redeem(ctx context.Context, up *upstream.Session, q *provider.Question, a upstream.Async, read func(ctx context.Context, id string) (*provider.Reply, error)) (reply *provider.Reply, err error) {
	a.Poll = func(ctx context.Context, id string) (err error) {
		if reply, err = read(ctx, id); err == nil && reply.Answer != nil {
			err = provider.CheckAnswer(reply.Answer.Text, q.Text)
		}
		return err
	}
	if err := up.Redeem(ctx, &a); err != nil {
		return nil, err
	}
	return reply, nil
}

// Get reads a JSON document.
func Get(ctx context.Context, up *upstream.Session, path string, query url.Values) (any, []byte, error) {
	return Fetch(ctx, up, &upstream.Request{Path: path, Query: query, Header: http.Header{"Accept": {"application/json"}}})
}

// Post sends a JSON body and reads the JSON document that comes back.
func Post(ctx context.Context, up *upstream.Session, path string, query url.Values, body any) (any, []byte, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the request to %s: %w", up.Via(), err)
	}
	return Fetch(ctx, up, &upstream.Request{
		Path: path, Query: query, Body: encoded, Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}},
	})
}

// Fetch sends a request to the vendor and reads the JSON document that comes back. It
// returns nil for an empty body. Error statuses are read by Refusal, unless the request
// has its own reader.
func Fetch(ctx context.Context, up *upstream.Session, request *upstream.Request) (any, []byte, error) {
	request.Site = up.Via()
	if request.Refusal == nil {
		request.Refusal = Refusal
	}
	response, err := up.Fetch(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	value, ok := loosejson.Decode(string(response.Body))
	if !ok && len(response.Body) > 0 {
		return nil, nil, upstream.Fail(earshot.ReasonUnreadable, "%s did not answer with JSON", up.Via())
	}
	return value, response.Body, nil
}

// Refusal returns the failure that an answer with an error status means.
func Refusal(status int, header http.Header, body []byte) *upstream.Failure {
	value, ok := loosejson.Decode(string(body))
	if !ok {
		return vendorapi.Refusal(status, header, nil, string(body))
	}
	codes, message := Trouble(loosejson.AsObject(value))
	return vendorapi.Refusal(status, header, codes, message)
}

// Trouble returns the codes and the message of an error object, in the forms that vendors use.
func Trouble(o loosejson.Object) (codes []string, message string) {
	inner := o.Object("error")
	for _, code := range []string{inner.Amount("code"), inner.Text("type"), o.Amount("code"), o.Amount("error_code"), o.Amount("status_code")} {
		if code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes, cmp.Or(inner.Text("message"), o.Text("message"), o.Text("error"), o.Text("detail"), o.Text("title"), o.Text("status_message"))
}

// NoAnswer returns the failure of a ticket that the vendor gave up on.
func NoAnswer(reason earshot.Reason, format string, args ...any) *upstream.Failure {
	failure := upstream.Fail(reason, format, args...)
	failure.NoAnswer = true
	return failure
}

// CheckProvider returns an error unless the provider is one of the keys.
func CheckProvider[V any](q *provider.Question, served map[string]V) error {
	if _, ok := served[q.Provider]; !ok {
		return errors.New("it does not offer " + q.Provider)
	}
	return nil
}

// CheckLength returns an error if the prompt is longer than the vendor allows.
func CheckLength(q *provider.Question, limit int) error {
	if n := utf8.RuneCountInString(q.Text); n > limit {
		return fmt.Errorf("the prompt has %d characters and the limit is %d", n, limit)
	}
	return nil
}

// Unit returns the operator's price of one vendor credit in USD, or the list price.
func Unit(up *upstream.Session, list float64) float64 {
	if unit, err := strconv.ParseFloat(up.Option("unit"), 64); err == nil {
		return unit
	}
	return list
}
