package model

import (
	"cmp"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/webtext"
	"earshot/internal/upstream"
)

// page recognises a challenge that comes in place of an answer. No page has an answer.
var page = chatpage.New(chatpage.Layout{})

// read reads an answer, streamed or whole, and returns what it cost in USD; 0 if the endpoint does
// not say. The error is an *upstream.Failure.
func read(document []byte, want answer.Options) (_ *earshot.Answer, cost float64, _ error) {
	body := rawdoc.Trimmed(document)
	if rawdoc.IsPage(body) {
		a, err := page.Read(body, want)
		return a, 0, err
	}
	a := &earshot.Answer{}
	var c completion
	err := rawdoc.ReadPieces(body, func(p rawdoc.Pieces) error {
		for _, object := range p.Objects {
			if err := c.take(object); err != nil {
				return err
			}
		}
		c.ended = c.ended || p.Done || p.Alone && !strings.HasSuffix(p.Objects[0].Text("object"), ".chunk")
		if err := c.check(); err != nil {
			return err
		}
		a.Model = answer.ModelName(c.model)
		c.cite(a, want)
		return nil
	})
	a, err = answer.NotEmpty(a, err)
	return a, c.cost, err
}

// completion is an answer as far as it was read.
type completion struct {
	chosen bool // there was a choice
	model  string
	finish string // the finish reason
	ended  bool
	cost   float64

	text    strings.Builder
	refusal string
	notes   []loosejson.Object // annotated pages
	cited   []any              // URLs or pages that numbers in the text refer to, from 1
	found   []loosejson.Object // search results
}

// maxPages limits the pages of each list; real answers have up to about fifty.
const maxPages = 1000

// maxCost is the largest cost in USD that is believed.
const maxCost = 1000

// take adds a whole answer or a chunk of a stream. An error may come after the answer began.
func (c *completion) take(object loosejson.Object) error {
	if cost := object.Object("usage").Number("cost"); cost != nil && *cost > 0 && *cost <= maxCost {
		c.cost = *cost
	}
	if object.Object("error") != nil || object.Text("error") != "" {
		return vendorapi.RefusalObject(0, nil, object)
	}
	c.model = cmp.Or(c.model, object.Text("model"))
	if cited, _ := object["citations"].([]any); len(cited) > 0 {
		c.cited = cited[:min(len(cited), maxPages)]
	}
	if found := object.Objects("search_results"); len(found) > 0 {
		c.found = found[:min(len(found), maxPages)]
	}
	for _, choice := range object.Objects("choices") {
		if choice.Int("index") == 0 {
			return c.choice(choice)
		}
	}
	return nil
}

// choice adds the first choice, the only one that is requested.
func (c *completion) choice(choice loosejson.Object) error {
	if choice.Object("error") != nil {
		return vendorapi.RefusalObject(0, nil, choice)
	}
	c.chosen = true
	for _, part := range []loosejson.Object{choice.Object("message"), choice.Object("delta")} {
		if c.text.Len() < webtext.MaxText {
			c.text.WriteString(vendorapi.MessageText(part))
		}
		c.refusal = cmp.Or(c.refusal, part.Text("refusal"))
		for _, note := range part.Objects("annotations") {
			if cited := note.Object("url_citation"); cited != nil && len(c.notes) < maxPages {
				c.notes = append(c.notes, cited)
			}
		}
	}
	if reason := choice.Text("finish_reason"); reason != "" {
		c.finish, c.ended = reason, true
	}
	return nil
}

// check returns an error if the answer is not complete.
func (c *completion) check() error {
	said := strings.TrimSpace(c.text.String()) != ""
	switch {
	case !c.chosen:
		return upstream.Fail(earshot.ReasonUnreadable, "the document has no choice of a chat completion")
	case !said && (c.finish == "content_filter" || c.refusal != ""):
		return vendorapi.Blocked("the model refused to answer")
	case c.finish == "length", c.finish == "error", c.finish == "content_filter":
		return upstream.Fail(earshot.ReasonUnavailable, "the answer is incomplete: %q", c.finish)
	case !c.ended:
		return upstream.Fail(earshot.ReasonUnavailable, "the answer is cut off")
	default:
		return nil
	}
}
