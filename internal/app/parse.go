package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/vendorapi/brave"
	"earshot/internal/schema"
	"earshot/internal/upstream"
	"earshot/internal/upstream/har"
)

// Stored is a document that an upstream served, to be read again.
type Stored struct {
	Provider string
	Document []byte
	Surface  earshot.Surface // "" means to recognise it by the document
	// Request holds fields of the request that it answered, such as country. Fields that
	// the provider requires and that are absent get placeholders.
	Request map[string]any
	// Host is the search engine's main host; "" means whichever the document names.
	Host string
}

// Parse returns the result of a stored document, with everything that the document
// holds. In a recording of several exchanges it takes the last answer with sources, or
// else the last one. It needs no network and no database. Errors are those of an
// attempt.
func Parse(ctx context.Context, s Stored) (result any, err error) {
	for _, document := range slices.Backward(documents(s.Document)) {
		s.Document = document
		found, failure := parseOne(ctx, s)
		if failure != nil {
			err = cmp.Or(err, failure)
			continue
		}
		if result == nil {
			result = found
		}
		if a, ok := found.(*earshot.Answer); !ok || len(a.Sources) > 0 {
			return found, nil
		}
	}
	if result != nil {
		return result, nil
	}
	return nil, err
}

// documents returns the answers in a recording, or the document itself if it is not a
// recording.
func documents(document []byte) [][]byte {
	var exchange upstream.Exchange
	if json.Unmarshal(document, &exchange) == nil && exchange.Upstream != "" {
		return [][]byte{exchange.Response.Document()}
	}
	if bodies := har.Bodies(document); bodies != nil {
		return bodies
	}
	if inner := wrapped(document); inner != nil {
		return [][]byte{document, inner}
	}
	return [][]byte{document}
}

// wrapped returns the answer in the envelope of a tool that stores what was fetched
// with how, {"response": {"data": …}}; nil if the document is no such envelope.
func wrapped(document []byte) []byte {
	var envelope struct {
		Response struct {
			Data json.RawMessage `json:"data"`
		} `json:"response"`
	}
	if json.Unmarshal(document, &envelope) != nil || len(envelope.Response.Data) == 0 {
		return nil
	}
	var text string
	if json.Unmarshal(envelope.Response.Data, &text) == nil {
		return []byte(text)
	}
	return envelope.Response.Data
}

func parseOne(ctx context.Context, s Stored) (any, error) {
	if s.Surface == "" {
		s.Surface = earshot.SurfaceWeb
		if brave.Recognises(s.Document) {
			s.Surface = earshot.SurfaceAPI
		}
	}
	engine := serp.Engine{Host: s.Host}
	if s.Host == "" {
		var err error
		if engine, err = engineOf(s.Document); err != nil {
			return nil, err
		}
	}
	p, err := findProvider(s.Provider, engine)
	if err != nil {
		return nil, err
	}
	request, err := wholeRequest(p, s.Request)
	if err != nil {
		return nil, err
	}
	session := upstream.NewStored(s.Surface, [][]byte{rawdoc.CapturedDocument(s.Document)}, nil).NewSession(1, "captures/"+account.NewCaptureID())
	outcome, err := request.Ask(ctx, session)
	if err != nil {
		return nil, err
	}
	return outcome.Result, nil
}

// wholeRequest asks for everything that a document can hold.
func wholeRequest(p provider.Provider, fields map[string]any) (provider.Request, error) {
	body := map[string]any{}
	if err := json.Unmarshal([]byte(p.Definition().Whole), &body); err != nil {
		return nil, fmt.Errorf("the whole request of %s: %w", p.Definition().Name, err)
	}
	maps.Copy(body, fields)
	if _, hasURL := body["url"]; hasURL {
		delete(body, "query") // the two exclude each other
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	in, err := schema.Parse(text)
	if err != nil {
		return nil, err
	}
	request := p.Decode(in)
	return request, in.Err()
}

// engineOf is the search engine that served a page: the lab's if the page contains its
// host, or else the one on the web.
func engineOf(document []byte) (serp.Engine, error) {
	for _, p := range providers(serp.Engine{}) {
		about := p.Definition()
		if about.Site.Name != serp.Site {
			continue
		}
		if site := about.Lab(); bytes.Contains(document, []byte(site.Host)) {
			return serp.NewEngine(site.URL())
		}
		break // all providers of the engine share its host
	}
	return serp.NewEngine(serp.WebSite.URL)
}
