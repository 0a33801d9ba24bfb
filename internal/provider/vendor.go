package provider

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/upstream"
)

// Vendor is a company that sells answers from the pages of other companies' assistants
// and search engines. Implementations are stateless and safe for concurrent use. Each
// lives in a folder of its own below via.
type Vendor interface {
	Definition() VendorDefinition

	// Ask makes one attempt at a question that the definition covers. It must not buy more than
	// the question's Parts. Errors are the same as for Request.Ask, or *upstream.Pending.
	Ask(ctx context.Context, up *upstream.Session, q *Question) (*Reply, error)
}

// VendorDefinition describes a vendor to the rest of the program.
type VendorDefinition struct {
	Name  string // in settings it is via:Name, and its variables begin with EARSHOT_NAME_
	Title string // its name for people
	URL   string // its base, unless the operator says otherwise
	// KeyHeader and KeyPrefix say how the key is sent, or KeyParameter if it is a query
	// parameter. With Basic the operator also has a user name, and both are sent as
	// HTTP basic authentication.
	KeyHeader, KeyPrefix, KeyParameter string
	Basic                              bool
	// Options are the names of further settings that its adapter reads.
	Options []string
	// Serves says what the vendor can serve, by provider.
	Serves map[string]Coverage
	// Read is the date when Serves was compared with the vendor's documentation.
	Read string
	// Unit is the list price of what the vendor counts: a credit, a search, a record. The setting
	// unit replaces it, and all prices change in proportion. 0 if the vendor counts nothing.
	Unit upstream.USD
	// Adjust returns the price of a provider with the operator's options. May be nil.
	Adjust func(price upstream.Price, provider string, options map[string]string) upstream.Price
	// Calls and CallsPerMinute are the default limits on submissions at a time and a minute.
	Calls, CallsPerMinute int
}

// Vendors holds vendors by name.
type Vendors map[string]Vendor

// NewVendors returns the vendors by name.
func NewVendors(list ...Vendor) Vendors {
	vendors := Vendors{}
	for _, v := range list {
		vendors[v.Definition().Name] = v
	}
	return vendors
}

// Question is a request in the form that vendors need.
type Question struct {
	Provider string
	Text     string // the prompt or the search query
	Locale   geo.Locale

	// Of assistants.
	NoSearch, Legacy                     bool
	Markdown, HTML, RawResponse          bool
	SearchQueries, Shopping, Ads, Expand bool

	// Of search engines. Location is a place name, UULE the same place encoded, or an encoded
	// place whose name is not known.
	Location, UULE    string
	Device            earshot.Device
	Pages             int // at least 1
	First             int // results to skip before the first page
	Extra             map[string]string
	Overview          bool // the AI overview of a result page
	QuestionOverviews bool
}

// IsSearch reports whether the question is a search whose answer is result pages.
func (q *Question) IsSearch() bool { return strings.HasPrefix(q.Provider, "websearch") }

// Parts returns the most that an attempt at the question buys.
func (q *Question) Parts() upstream.Parts {
	n := upstream.Parts{Requests: 1, Pages: max(0, q.Pages-1)}
	for _, overview := range []bool{q.Overview, q.QuestionOverviews} {
		if overview {
			n.Overviews++
		}
	}
	if q.Shopping || q.Ads || q.Expand || q.SearchQueries || q.RawResponse {
		n.Extras = 1
	}
	return n
}

// Reply is what a vendor answered: the field of the question's provider is set.
type Reply struct {
	Answer   *earshot.Answer
	Web      *earshot.WebSearch
	News     *earshot.NewsSearch
	Document []byte // what the vendor sent
	// Located says that the vendor received the place and documents that it asks from there.
	Located bool
}

// Buyer is a request that vendors can answer.
type Buyer interface {
	Request
	// Question returns the request in the form that vendors need.
	Question() *Question
	// Complete makes the result from a vendor's reply: it adds and removes what the
	// request's flags ask for and computes the bill.
	Complete(reply *Reply, up *upstream.Session) (*Outcome, error)
}

// PartsOf returns the most that an attempt at a request buys.
func PartsOf(r Request) upstream.Parts {
	if buyer, ok := r.(Buyer); ok {
		return buyer.Question().Parts()
	}
	return upstream.Parts{Requests: 1}
}

// Ask makes one attempt through the upstream at hand: through its vendor if it has one,
// otherwise as the request itself does.
func (v Vendors) Ask(ctx context.Context, request Request, up *upstream.Session) (*Outcome, error) {
	if up.Via() == "" {
		return request.Ask(ctx, up)
	}
	if err := v.Covers(request, up.Via()); err != nil {
		return nil, &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: fmt.Errorf("%s cannot serve this: %w", up.Via(), err), Final: true}
	}
	buyer, ok := request.(Buyer)
	if !ok {
		return nil, fmt.Errorf("%s: the request is a %T", up.Via(), request) // Covers has checked it
	}
	reply, err := v[up.Via()].Ask(ctx, up, buyer.Question())
	if err != nil {
		return nil, err
	}
	return buyer.Complete(reply, up)
}

// Covers returns *Uncovered if the named vendor cannot answer a request.
func (v Vendors) Covers(request Request, via string) error {
	vendor := v[via]
	buyer, ok := request.(Buyer)
	if vendor == nil || !ok {
		return &Uncovered{Field: "provider", Why: "is not supported"}
	}
	return vendor.Definition().Covers(buyer.Question())
}

// PageParts returns what result page n buys, counted from 1.
func PageParts(n int) *upstream.Parts {
	if n > 1 {
		return &upstream.Parts{Pages: 1}
	}
	return &upstream.Parts{Requests: 1}
}

// NothingFound returns the failure of an upstream that looked and found nothing.
func NothingFound() *upstream.Failure {
	failure := upstream.Fail(earshot.ReasonEmpty, "nothing was found")
	failure.Final = true
	return failure
}

// timestamp matches a date with a time, such as 2026-10-07T10:30:00.000Z.
var timestamp = regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[T,\s]+\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?\s*(?:[AaPp]\.?[Mm]\.?)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?$`)

// CheckAnswer returns a failure if a vendor delivered no text, the prompt itself or a time stamp in
// place of an answer. Vendors have delivered all of these.
func CheckAnswer(text, prompt string) *upstream.Failure {
	switch trimmed := strings.TrimSpace(text); {
	case trimmed == "":
		return NothingFound()
	case isEcho(trimmed, prompt):
		return upstream.Fail(earshot.ReasonEmpty, "the vendor delivered the prompt itself in place of an answer")
	case timestamp.MatchString(trimmed):
		return upstream.Fail(earshot.ReasonEmpty, "the vendor delivered a time stamp in place of an answer")
	}
	return nil
}

// isEcho reports whether a text is a prompt of more than one word. A single word may be its own
// answer.
func isEcho(text, prompt string) bool {
	words := strings.Fields(prompt)
	return len(words) > 1 && strings.EqualFold(strings.Join(strings.Fields(text), " "), strings.Join(words, " "))
}
