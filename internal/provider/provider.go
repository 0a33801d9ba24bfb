// Package provider defines what a provider is: an assistant or search engine that users can query,
// with its request type, prices, countries and result type. Each provider has its own folder below
// this one. A provider decides which documents to fetch and parses them; the upstream.Session that
// it is given does the fetching.
package provider

import (
	"context"
	"reflect"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/schema"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

// ParserVersion is the version of the code that reads documents. Increase it with every change that
// makes a document yield a different result than before: a tracker's metrics are not comparable
// across parser versions.
const ParserVersion = 3

// Provider is one assistant or search engine. Implementations are stateless and safe for concurrent
// use.
type Provider interface {
	Definition() Definition

	// Decode reads the request from in and reports every problem to in. The request may be used
	// only if in.Err() is nil afterwards.
	Decode(in *schema.Object) Request
}

// Definition describes a provider. The route, the price list, the country list and the help texts
// are derived from it.
type Definition struct {
	Name     string // the path below /v1/monitor/, and the name in errors and settings
	TaskType string // the name in asynchronous tasks
	Product  string // the product that is asked, such as ChatGPT
	Summary  string // one line for help texts
	// Request and Result are zero values of the request type and the result type.
	Request, Result any
	// Prose is YAML for the OpenAPI document: summary, description, and examples of requests and
	// responses.
	Prose []byte
	// FullRequest is a request, without its country, for everything that one document can hold. Stored
	// documents are read again with it.
	FullRequest string
	// HealthFields names the result fields whose fill rate shows how well documents are understood:
	// "sources", or "sources.label" for a field of each item. Such a field must not depend on
	// the request's options.
	HealthFields []string
	// Fields are the fields that results of each surface can have. Every surface on which the
	// provider can be asked has an entry.
	Fields map[earshot.Surface]Fields
	// Flags are the fields that results have only if the request has an option, and the option,
	// such as include.ads.
	Flags  map[Fields]string
	Prices []Price
	// Countries says where the provider is available. The first entry is the provider itself;
	// further entries are parts of it that are available elsewhere.
	Countries []Countries
	// APIs lists the official APIs through which the provider can be asked.
	APIs []API
	// Site is the website that the provider reads; several providers may share one. Lab returns the
	// site that replaces it in the lab.
	Site Site
	Lab  func() lab.Site
}

// Site is a website.
type Site struct {
	Name string // the name in requests and settings
	URL  string // the default base URL; "" for a provider that only APIs and the lab answer
}

// API is an official API of an upstream. Operators can use it with their own key.
type API struct {
	Name string // settings call it api:Name; its environment variables begin with EARSHOT_NAME_
	URL  string // the default base URL; "" if only the operator knows it
	// Model is the default model. It is "" if the API has no choice of models or only the operator
	// knows the model.
	Model string
	// ModelList is the path of the API's list of models if the list has a shutdown_date for each.
	ModelList string
	// KeyHeader and KeyPrefix say in which header the key is sent, and what precedes it there.
	KeyHeader, KeyPrefix string
	// Redirects is the base URL of the redirect links to sources, for APIs that return such links.
	Redirects string
	// Place tells operators which location the API's answers are for.
	Place string
}

// Countries is the set of all countries except some.
type Countries struct {
	Model  string // the name in the list of countries; "" if it is not listed there
	Except string // country codes, separated by spaces
}

// Include reports whether the set contains the country.
func (c Countries) Include(country string) bool {
	return geo.IsCountry(country) && !strings.Contains(c.Except, country)
}

// Serves reports whether the provider is available in the country.
func (d Definition) Serves(country string) bool { return d.Countries[0].Include(country) }

// TypeName returns the provider's name in Go: ChatAssistant for a provider whose request type is
// ChatAssistantRequest.
func (d Definition) TypeName() string {
	return strings.TrimSuffix(reflect.TypeOf(d.Request).Name(), "Request")
}

// TextField returns the name of the request field that holds the text to ask: prompt or query.
func (d Definition) TextField() string {
	if _, ok := reflect.TypeOf(d.Request).FieldByName("Query"); ok {
		return "query"
	}
	return "prompt"
}

// Request is a valid request. It can be asked any number of times.
type Request interface {
	// Bill returns the most that the request can cost.
	Bill() Bill

	// Locale returns where the request is asked from. The country is "" if the request has none.
	Locale() geo.Locale

	// Ask makes one attempt. It returns an *upstream.Failure if the upstream failed, or the error
	// of ctx if ctx ended first.
	Ask(ctx context.Context, up *upstream.Session) (*Outcome, error)
}

// ParseRequest returns the request in a JSON body, or an error with all problems of the body.
func ParseRequest(p Provider, body []byte) (Request, error) {
	in, err := schema.Parse(body)
	if err != nil {
		return nil, err
	}
	request := p.Decode(in)
	return request, in.Err()
}

// Chooser is a Request that names one of the models that the operator lists.
type Chooser interface {
	Request
	Model() string
}

// ModelOf returns the model that the request names, or "".
func ModelOf(r Request) string {
	if chooser, ok := r.(Chooser); ok {
		return chooser.Model()
	}
	return ""
}

// Outcome is the result of a successful attempt.
type Outcome struct {
	Result any  // one of the result types of package earshot
	Bill   Bill // what the attempt costs, at most the request's bill
}
