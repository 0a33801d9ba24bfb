package provider

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/upstream"
)

// Vendor is a company that sells answers from the pages of other companies' assistants
// and search engines. Implementations are stateless and safe for concurrent use. Each
// lives in a folder of its own below via.
type Vendor interface {
	Definition() VendorDefinition

	// Covers returns why the vendor cannot answer a question, or nil: the provider, the
	// country, the length of the prompt, or a flag that it cannot fill.
	Covers(q *Question) error

	// Ask makes one attempt. A vendor that answers later uses upstream.Session.Redeem, whose
	// *upstream.Pending it passes on. Other errors are the same as for Request.Ask.
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
	// Prices are list prices in USD for one answer, by provider. The settings override them.
	Prices map[string]float64
	// Fields are the fields that results can have, by provider. Every provider that the vendor
	// serves has an entry.
	Fields map[string]Fields
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

	// Of search engines. Location is a place name, UULE an encoded one.
	Location, UULE    string
	Device            earshot.Device
	Pages             int // at least 1
	First             int // results to skip before the first page
	Extra             map[string]string
	Overview          bool // the AI overview of a result page
	QuestionOverviews bool
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

// Ask makes one attempt through the upstream at hand: through its vendor if it has one,
// otherwise as the request itself does.
func (v Vendors) Ask(ctx context.Context, request Request, up *upstream.Session) (*Outcome, error) {
	if up.Via() == "" {
		return request.Ask(ctx, up)
	}
	vendor := v[up.Via()]
	buyer, ok := request.(Buyer)
	if vendor == nil || !ok {
		return nil, cannotServe(up.Via())
	}
	question := buyer.Question()
	if err := vendor.Covers(question); err != nil {
		return nil, &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: fmt.Errorf("%s cannot serve this: %w", up.Via(), err), Final: true}
	}
	reply, err := vendor.Ask(ctx, up, question)
	if err != nil {
		return nil, err
	}
	if reply.Answer != nil {
		if err := CheckAnswer(reply.Answer.Text, question.Text); err != nil {
			return nil, err
		}
	}
	return buyer.Complete(reply, up)
}

// Covers returns why the named vendor cannot answer a request, or nil.
func (v Vendors) Covers(request Request, via string) error {
	vendor := v[via]
	buyer, ok := request.(Buyer)
	if vendor == nil || !ok {
		return cannotServe(via)
	}
	return vendor.Covers(buyer.Question())
}

func cannotServe(vendor string) *upstream.Failure {
	return &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: fmt.Errorf("%s cannot serve this provider", vendor), Final: true}
}

// minLetters is how many letters the shortest text has that counts as an answer.
const minLetters = 20

var timestamp = regexp.MustCompile(`^[\d\s:.,TZ+/-]+(?:[AaPp]\.?[Mm]\.?)?$`)

// CheckAnswer returns a failure if the text that a vendor delivered is no answer to the
// prompt: the prompt itself, a time stamp, or fewer than 20 letters. Vendors have
// delivered all of these as answers.
func CheckAnswer(text, prompt string) error {
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	var why string
	switch trimmed := strings.TrimSpace(text); {
	case trimmed == "":
		why = "no text"
	case sameText(trimmed, prompt):
		why = "the prompt itself"
	case timestamp.MatchString(trimmed):
		why = "a time stamp"
	case letters < minLetters && !denseScript(trimmed):
		why = fmt.Sprintf("only %d letters", letters)
	default:
		return nil
	}
	return &upstream.Failure{Reason: earshot.ReasonEmpty, NoAnswer: true, Err: fmt.Errorf("the vendor delivered %s in place of an answer", why)}
}

// denseScript reports whether a text of few letters may be a sentence, as in Chinese.
func denseScript(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			n++
		}
	}
	return n >= minLetters/3
}

func sameText(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}
