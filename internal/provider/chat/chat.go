// Package chat asks assistants: which document to fetch from the upstream at hand,
// and what of the answer the client gets.
package chat

import (
	"cmp"
	"context"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/schema"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// Assistant is one assistant that is asked by fetching one document: a page or a
// stream with the whole answer in it. What such assistants differ in is which
// document that is and how to read it.
type Assistant struct {
	About *provider.Definition
	// Question is the document to fetch for a prompt.
	Question func(prompt string, locale geo.Locale) (*upstream.Request, error)
	// Start is the page to open in a browser, and Script what to do there, for
	// upstreams that have one. Script may be nil.
	Start  string
	Script func(prompt string) []browser.Step
	// API is how its official API is asked. May be nil.
	API *API
	// Read reads a document. It returns everything that answer.Want asks for and nothing
	// that is not there; an *upstream.Failure says what else the document is.
	Read func(document []byte, want answer.Want) (*earshot.Answer, error)
}

// API is how an assistant is asked through its official API. Its answers are
// told apart from the site's own documents by what is in them, so Read reads
// both.
type API struct {
	// Question is the call for a prompt.
	Question func(q Question) (*upstream.Request, error)
	// Located says that country and state are told to the API.
	Located bool
	// Finish completes an answer after it was read: it asks for what the answer
	// only points at. May be nil.
	Finish func(ctx context.Context, up *upstream.Session, a *earshot.Answer, locale geo.Locale) error
}

// Question is what an assistant is asked.
type Question struct {
	Prompt string
	Locale geo.Locale
	// NoSearch leaves it to the model of an official API whether it searches the web.
	NoSearch bool
	// Model is that of an official API.
	Model string
}

var _ provider.Provider = (*Assistant)(nil)

// Definition says what the assistant is and costs.
func (c *Assistant) Definition() provider.Definition { return *c.About }

// Decode takes the request out of in. All these assistants take the same one.
func (c *Assistant) Decode(in *schema.Object) provider.Request {
	var body earshot.AssistantRequest
	in.Decode(&body)
	return &request{
		assistant: c,
		question:  Question{Prompt: body.Prompt, Locale: provider.CheckLocale(in, *c.About, body.Country, body.State)},
		include:   Include(body.Include),
	}
}

type request struct {
	assistant *Assistant
	question  Question
	include   Include
}

// Bill is the base price and the state.
func (r *request) Bill() provider.Bill { return provider.BaseBill(r.question.Locale) }

// Locale is where it is asked from.
func (r *request) Locale() geo.Locale { return r.question.Locale }

// Ask fetches the document and reads it.
func (r *request) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	found, err := r.assistant.Ask(ctx, up, r.question, r.include)
	if err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found, Bill: r.Bill()}, nil
}

// Ask puts a question to the upstream at hand, and reads the answer with the parts
// that are to be included.
func (c *Assistant) Ask(ctx context.Context, up *upstream.Session, q Question, include Include) (*earshot.Answer, error) {
	document, err := c.document(up, q)
	if err != nil {
		return nil, err
	}
	response, err := up.Fetch(ctx, document)
	if err != nil {
		return nil, err
	}
	var found *earshot.Answer
	err = up.Read(ctx, func() (err error) {
		found, err = c.Read(response.Body, answer.Want{Country: q.Locale.Country, Markdown: include.Markdown || include.HTML})
		return response.Judge(err)
	})
	if err != nil {
		return nil, err
	}
	if err := c.API.complete(ctx, up, found, q.Locale); err != nil {
		return nil, err
	}
	if err := include.Attach(found, up, response.Body); err != nil {
		return nil, err
	}
	return found, nil
}

// document is the one to fetch from the upstream at hand.
func (c *Assistant) document(up *upstream.Session, q Question) (*upstream.Request, error) {
	switch {
	case up.Surface() == earshot.SurfaceAPI && c.API != nil:
		q.Model = up.Model()
		return c.API.Question(q)
	case up.Browses() && c.Script != nil:
		return &upstream.Request{Site: c.About.Name, Path: c.Start, Locale: q.Locale, Steps: c.Script(q.Prompt)}, nil
	default:
		return c.Question(q.Prompt, q.Locale)
	}
}

// complete finishes an answer and says which place it is for. It may be called on
// nil.
func (api *API) complete(ctx context.Context, up *upstream.Session, a *earshot.Answer, locale geo.Locale) error {
	if up.Surface() != earshot.SurfaceAPI {
		a.Location = up.Location(locale)
		return nil
	}
	if api != nil && api.Located {
		a.Location = up.Location(locale)
	}
	if api == nil || api.Finish == nil {
		return nil
	}
	return api.Finish(ctx, up, a, locale)
}

// Include are the parts of an answer that every chat assistant gives on demand.
type Include earshot.AssistantInclude

// Attach completes an answer that was read from document with what the flags ask
// for, and says where it came from. The page that is kept is the document where that is
// one, and elsewhere the answer itself, from its Markdown.
func (i Include) Attach(a *earshot.Answer, up *upstream.Session, document []byte) error {
	a.Surface = cmp.Or(a.Surface, up.Surface()) // its reader may know better
	if i.RawResponse {
		raw, err := rawdoc.RawResponse(document)
		if err != nil {
			return err
		}
		a.RawResponse = raw
	}
	if i.HTML {
		page := document
		if !rawdoc.IsPage(rawdoc.Trimmed(document)) {
			var err error
			if page, err = formatted(a, document); err != nil {
				return err
			}
		}
		a.HTML = up.Keep(page)
	}
	if !i.Markdown {
		a.Markdown = ""
	}
	return nil
}
