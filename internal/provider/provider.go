// Package provider says what a provider is: something that can be asked, with
// its request, price, countries and result. Each lives in a folder of its own
// below this one and decides and parses; reaching outside is left to the
// upstream.Session that it is handed.
package provider

import (
	"context"
	"reflect"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/schema"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

// ParserVersion is that of the code that reads documents. Raise it with a change by which a
// document that could be read before is read otherwise: numbers of trackers break there.
const ParserVersion = 2

// Provider is one thing that can be asked. Implementations are stateless and
// safe for concurrent use.
type Provider interface {
	Definition() Definition

	// Decode takes the request out of in, noting every problem there. The
	// request is only used when in.Err() is nil afterwards.
	Decode(in *schema.Object) Request
}

// Definition is what everybody else needs to know of a provider: the route,
// the price list, the country list and the help texts come from it.
type Definition struct {
	Name     string // the path below /v1/monitor/, and its name in errors and settings
	TaskType string // its name in asynchronous tasks
	Summary  string // one line for help texts
	// Request and Result are the zero values of the types of its request and its
	// result.
	Request, Result any
	// Prose is what the OpenAPI document says of it beyond its types, in YAML:
	// summary, description, and examples of requests and responses.
	Prose []byte
	// Whole is a request for everything that one document can hold, less the
	// country: by it stored documents are read again.
	Whole string
	// Watched are the fields of a result, whatever was asked for, whose share of
	// filled ones tells how well documents are understood: "sources", or
	// "sources.label" for a field of each item.
	Watched []string
	Prices  []Price
	// Countries say where it can be asked from; the first is the provider itself,
	// further ones are parts of it that are offered in other places.
	Countries []Countries
	// APIs are the official APIs through which it can be asked.
	APIs []API
	// Site is the web site that it reads; several providers may share one. Lab is
	// the site that plays it in the lab.
	Site Site
	Lab  func() lab.Site
}

// Site is a web site.
type Site struct {
	Name string // in requests and settings
	URL  string // its base, unless the operator says otherwise
}

// API is an official API of an upstream, which an operator with a key of their
// own can use.
type API struct {
	Name string // in settings it is api:Name, and its variables begin with EARSHOT_NAME_
	URL  string // its base, unless the operator says otherwise; "" where only they can
	// Model is the model to ask, unless the operator says otherwise; "" where there
	// is no choice, or only they can tell.
	Model string
	// KeyHeader and KeyPrefix say how the key is sent.
	KeyHeader, KeyPrefix string
	// Redirects is the base of the links that lead to its sources, where it serves
	// those as redirects.
	Redirects string
	// Place says for operators which place its answers are for.
	Place string
}

// Countries are the countries in which something is offered: all but some.
type Countries struct {
	Model  string // its name in the list of countries; "" for what has no name there
	Except string // codes, separated by spaces
}

// Include tells whether the country is one of them.
func (c Countries) Include(country string) bool {
	return geo.IsCountry(country) && !strings.Contains(c.Except, country)
}

// Serves tells whether the provider can be asked from the country.
func (d Definition) Serves(country string) bool { return d.Countries[0].Include(country) }

// TypeName is the provider's name in Go: ChatAssistant for a provider whose request
// is a ChatAssistantRequest.
func (d Definition) TypeName() string {
	return strings.TrimSuffix(reflect.TypeOf(d.Request).Name(), "Request")
}

// TextField is the field of its request that holds what is asked: prompt or query.
func (d Definition) TextField() string {
	if _, ok := reflect.TypeOf(d.Request).FieldByName("Query"); ok {
		return "query"
	}
	return "prompt"
}

// Request is a valid request, ready to be asked any number of times.
type Request interface {
	// Bill is the most that the request can cost.
	Bill() Bill

	// Locale is where it is asked from; its country is "" where the request does
	// not say.
	Locale() geo.Locale

	// Ask makes one attempt. It returns an *upstream.Failure when the upstream
	// is to blame, and whatever ctx ended with when that came first.
	Ask(ctx context.Context, up *upstream.Session) (*Outcome, error)
}

// Outcome is what an attempt brought home.
type Outcome struct {
	Result any  // one of the result types of package earshot
	Bill   Bill // what it costs, at most the request's own bill
}
