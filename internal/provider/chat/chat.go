// Package chat asks assistants: it chooses the document to fetch from the upstream and returns the
// parts of the answer that the client requested.
package chat

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/schema"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// Assistant is an assistant that is asked by fetching one document, a page or a stream that holds
// the whole answer. Assistants differ in which document they fetch and how they read it.
type Assistant struct {
	About *provider.Definition
	// Question returns the request for the document that answers a prompt.
	Question func(prompt string, locale geo.Locale) (*upstream.Request, error)
	// Start is the page that a browser opens, and Script returns the steps to take there. They are
	// used by upstreams that have a browser. Script may be nil.
	Start  string
	Script func(prompt string) []browser.Step
	// API describes how to ask the official API. It may be nil.
	API *API
	// Read reads a document and returns every part of the answer that it finds. Its error is an
	// *upstream.Failure that says what the document is instead of an answer.
	Read func(document []byte, want answer.Options) (*earshot.Answer, error)
	// Trim removes the parts of a document that clients do not receive. It may be nil.
	Trim func(document []byte) []byte
}

// API describes how to ask an assistant through its official API. Assistant.Read also reads the
// API's answers: it recognises them by their content.
type API struct {
	// Question returns the API call for a prompt.
	Question func(q Question) (*upstream.Request, error)
	// Continue returns the request that continues an answer which the responses so far do not
	// complete, or nil if they do. The responses are joined by blank lines. It may be nil.
	Continue func(q Question, responses []byte) (*upstream.Request, error)
	// Located says that the API answers for the requested country and state. Otherwise answers name
	// no location.
	Located bool
	// Finish completes an answer after it was read, with further requests for data that the answer
	// only links to. It may be nil.
	Finish func(ctx context.Context, up *upstream.Session, a *earshot.Answer, locale geo.Locale) error
}

// Question is one question to an assistant.
type Question struct {
	Prompt string
	Locale geo.Locale
	// NoSearch lets the model of an official API decide whether to search the web.
	NoSearch bool
	// Model is the model of the official API, and Host the host that serves the API.
	Model, Host string
	// NoStream asks the official API for the whole answer at once.
	NoStream bool
}

var _ provider.Provider = (*Assistant)(nil)

// Definition returns the assistant's definition.
func (c *Assistant) Definition() provider.Definition { return *c.About }

// Decode reads the request, which has the same fields for all these assistants.
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

func (r *request) Bill() provider.Bill { return provider.BaseBill(r.question.Locale) }

func (r *request) Locale() geo.Locale { return r.question.Locale }

func (r *request) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	found, err := r.assistant.Ask(ctx, up, r.question, r.include)
	if err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found, Bill: r.Bill()}, nil
}

// Ask asks the question through the upstream of the session and returns the answer with the
// included parts.
func (c *Assistant) Ask(ctx context.Context, up *upstream.Session, q Question, include Include) (*earshot.Answer, error) {
	q.Model, q.Host, q.NoStream = up.Model(), up.APIHost(), !up.Streams()
	response, err := c.fetch(ctx, up, q)
	if failure, ok := errors.AsType[*upstream.Failure](err); ok && failure.Setting == upstream.SettingStream && !q.NoStream {
		up.StopStreaming() // the API refused before it did anything, so nothing is paid twice
		q.NoStream = true
		response, err = c.fetch(ctx, up, q)
	}
	if err != nil {
		return nil, err
	}
	var found *earshot.Answer
	err = up.Read(ctx, func() (err error) {
		found, err = c.Read(response.Body, answer.Options{
			Country: q.Locale.Country, Markdown: include.Markdown || include.HTML,
		})
		return response.Judge(err)
	})
	if err != nil {
		return nil, err
	}
	if err := c.API.complete(ctx, up, found, q.Locale); err != nil {
		return nil, err
	}
	if c.About.Site.URL == "" && up.Surface() != earshot.SurfaceLab {
		found.Surface = earshot.SurfaceAPI // also for stored documents, since there is no website
	}
	document := response.Body
	if c.Trim != nil {
		document = c.Trim(document)
	}
	if err := include.Attach(found, up, document); err != nil {
		return nil, err
	}
	return found, nil
}

// fetch returns the document that answers the question. If an API needs several calls for one
// answer, the document has all of their responses.
func (c *Assistant) fetch(ctx context.Context, up *upstream.Session, q Question) (*upstream.Response, error) {
	request, err := c.document(up, q)
	if err != nil {
		return nil, err
	}
	if up.Surface() != earshot.SurfaceAPI || c.API == nil {
		return up.Fetch(ctx, request)
	}
	whole := &upstream.Response{}
	for {
		request.Judge = func(document []byte) upstream.Verdict { return c.judge(q, whole.Body, document) }
		next, err := up.Fetch(ctx, request)
		if err != nil {
			return nil, err
		}
		whole.Header, whole.Body = next.Header, join(whole.Body, next.Body)
		if c.API.Continue == nil {
			return whole, nil
		}
		if request, err = c.API.Continue(q, whole.Body); err != nil || request == nil {
			return whole, err
		}
	}
}

// join returns the responses to several calls as one document.
func join(before, next []byte) []byte {
	if len(before) == 0 {
		return next
	}
	return slices.Concat(before, []byte("\n\n"), next)
}

// judge says whether a response of an official API is an answer, together with the responses before it,
// and what the API says that it costs.
func (c *Assistant) judge(q Question, before, document []byte) (v upstream.Verdict) {
	var cost float64
	_, err := c.Read(document, answer.Options{Country: q.Locale.Country, USD: &cost})
	if cost > 0 {
		v.Charge = new(upstream.Dollars(cost))
	}
	whole := join(before, document)
	if c.API.Continue != nil {
		if next, err := c.API.Continue(q, whole); err == nil && next != nil {
			return v // the answer goes on
		}
		_, err = c.Read(whole, answer.Options{Country: q.Locale.Country})
	}
	if failure, failed := errors.AsType[*upstream.Failure](answer.Settled(err)); failed {
		v.Failure = failure
	}
	return v
}

// document returns the request for the document to fetch: an API call, a visit with a browser, or
// the site's own document.
func (c *Assistant) document(up *upstream.Session, q Question) (*upstream.Request, error) {
	switch {
	case up.Surface() == earshot.SurfaceAPI && c.API != nil:
		return c.API.Question(q)
	case up.Browses() && c.Script != nil:
		return &upstream.Request{Site: c.About.Name, Path: c.Start, Locale: q.Locale, Steps: c.Script(q.Prompt)}, nil
	default:
		return c.Question(q.Prompt, q.Locale)
	}
}

// complete sets the location of the answer and calls Finish. It may be called on nil.
func (api *API) complete(ctx context.Context, up *upstream.Session, a *earshot.Answer, locale geo.Locale) error {
	fromAPI := up.Surface() == earshot.SurfaceAPI
	if !fromAPI || api != nil && api.Located {
		a.Location = up.Location(locale)
	}
	if !fromAPI || api == nil || api.Finish == nil {
		return nil
	}
	return api.Finish(ctx, up, a, locale)
}

// Include lists the optional parts of an answer that every chat assistant offers.
type Include earshot.AssistantInclude

// Attach adds the requested parts to an answer that was read from document, and sets its surface.
// The kept page is the document if that is a page, and otherwise a page made from the answer's
// Markdown.
func (i Include) Attach(a *earshot.Answer, up *upstream.Session, document []byte) error {
	a.Surface = cmp.Or(a.Surface, up.Surface()) // the reader may have set it
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
