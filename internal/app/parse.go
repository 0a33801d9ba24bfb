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
	"earshot/internal/upstream"
	"earshot/internal/upstream/har"
)

// Stored is a stored document of an upstream.
type Stored struct {
	Provider string
	Document []byte
	Surface  earshot.Surface // empty means to detect it from the document
	// Request has fields of the request that the document answers, such as country.
	// Required fields that are absent get placeholders.
	Request map[string]any
	// Host is the search engine's main host. Empty means to detect it from the document.
	Host string
}

// Parse parses a stored document and returns its result with all optional parts. In a
// recording of several exchanges, it uses the last answer with sources, or the last answer
// if no answer has sources. It needs no network and no database. It returns the errors of
// provider.Request.Ask.
func Parse(ctx context.Context, s Stored) (result any, err error) {
	for _, document := range slices.Backward(documents(rawdoc.CapturedDocument(s.Document))) {
		s.Document = document
		found, failure := parseOne(ctx, s)
		if failure != nil {
			err = cmp.Or(err, failure)
			continue
		}
		a, isAnswer := found.(*earshot.Answer)
		isLast := !isAnswer || len(a.Sources) > 0
		if result == nil || isLast {
			result = found
		}
		if isLast {
			break
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

// wrapped returns the data of an envelope {"response": {"data": …}}, in which some tools
// store a response. It returns nil if the document is not such an envelope.
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

// wholeRequest returns a request for all optional parts of a result.
func wholeRequest(p provider.Provider, fields map[string]any) (provider.Request, error) {
	body := map[string]any{}
	if err := json.Unmarshal([]byte(p.Definition().FullRequest), &body); err != nil {
		return nil, fmt.Errorf("the whole request of %s: %w", p.Definition().Name, err)
	}
	maps.Copy(body, fields)
	if _, hasURL := body["url"]; hasURL {
		delete(body, "query") // the two exclude each other
	}
	return newRequest(p, body)
}

// newRequest returns the request with the fields of body.
func newRequest(p provider.Provider, body map[string]any) (provider.Request, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return provider.ParseRequest(p, text)
}

// engineOf returns the search engine that served a page: the lab's engine if the page
// contains its host, and the real engine otherwise.
func engineOf(document []byte) (serp.Engine, error) {
	for _, p := range providers(serp.Engine{}, nil) {
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
