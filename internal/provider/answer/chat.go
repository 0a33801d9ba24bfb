package answer

import (
	"context"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/strictjson"
	"earshot/internal/upstream"
)

// Chat is an assistant that is asked by fetching one document: a page or a
// stream with the whole answer in it. What such assistants differ in is which
// document that is and how to read it.
type Chat struct {
	About provider.Definition
	// Question is the document to fetch for a prompt.
	Question func(prompt string, locale geo.Locale) (upstream.Request, error)
	// Read reads a document. It returns everything that Want asks for and nothing
	// that is not there; an *upstream.Failure says what else the document is.
	Read func(document []byte, want Want) (*earshot.Answer, error)
}

// Want is what a reader needs to know besides the document.
type Want struct {
	Country  string // where it was asked from, which tells currencies apart
	Markdown bool   // whether the answer is wanted as Markdown too
}

var _ provider.Provider = (*Chat)(nil)

// Definition says what the assistant is and costs.
func (c *Chat) Definition() provider.Definition { return c.About }

// Decode takes the request out of in. All these assistants take the same one.
func (c *Chat) Decode(in *strictjson.Object) provider.Request {
	return &chatRequest{
		chat:    c,
		prompt:  provider.DecodePrompt(in),
		locale:  provider.DecodeLocale(in, c.About),
		include: DecodeInclude(in.Object("include")),
	}
}

type chatRequest struct {
	chat    *Chat
	prompt  string
	locale  geo.Locale
	include Include
}

// Bill is the base price and the state.
func (r *chatRequest) Bill() provider.Bill { return provider.BaseBill(r.locale) }

// Ask fetches the document and reads it.
func (r *chatRequest) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	question, err := r.chat.Question(r.prompt, r.locale)
	if err != nil {
		return nil, err
	}
	response, err := up.Fetch(ctx, question)
	if err != nil {
		return nil, err
	}
	found, err := r.chat.Read(response.Body, Want{Country: r.locale.Country, Markdown: r.include.Markdown})
	if err != nil {
		return nil, err
	}
	if err := r.include.Attach(found, up, response.Body); err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: found, Bill: r.Bill()}, nil
}

// Include are the parts of an answer that every chat assistant gives on demand.
type Include struct{ HTML, Markdown, RawResponse bool }

// DecodeInclude takes the flags.
func DecodeInclude(in *strictjson.Object) Include {
	return Include{HTML: in.Flag("html"), Markdown: in.Flag("markdown"), RawResponse: in.Flag("rawResponse")}
}

// Attach completes an answer that was read from document with what the flags ask
// for, and says where it came from.
func (i Include) Attach(a *earshot.Answer, up *upstream.Session, document []byte) error {
	a.Surface = up.Surface()
	if !i.Markdown {
		a.Markdown = ""
	}
	if i.RawResponse {
		raw, err := RawResponse(document)
		if err != nil {
			return err
		}
		a.RawResponse = raw
	}
	if i.HTML {
		a.HTML = up.Keep(CapturePage(document))
	}
	return nil
}
